//! What programs do with their arguments, as a table.

/// Folders whose programs are what they are called.
pub(super) const FOLDERS: [&str; 9] = [
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/opt/homebrew/bin",
    "/snap/bin",
    "/run/current-system/sw/bin",
];

/// What the arguments that are no options mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rest {
    /// Text.
    Text,
    /// Files that are read.
    Read,
    /// Files that are written.
    Write,
    /// Files that are removed.
    Delete,
    /// One text, unless an option gave it, then files that are read.
    TextThenRead,
    /// Files that are read, then one that is written.
    ReadThenWrite,
    /// One that is read, then one that is written.
    ReadThenMaybeWrite,
    /// Files that are removed, then one that is written.
    MoveThenWrite,
    /// Mode or owner, then files that are written.
    TextThenWrite,
}

/// A row of the table.
pub(super) struct Row {
    pub(super) names: &'static [&'static str],
    pub(super) letters: &'static str,
    pub(super) words: &'static [&'static str],
    pub(super) rest: Rest,
    pub(super) reads: &'static [&'static str],
    pub(super) writes: &'static [&'static str],
    /// Options that give the text which stands first otherwise.
    pub(super) instead: &'static [&'static str],
}

const fn row(names: &'static [&'static str], letters: &'static str, rest: Rest) -> Row {
    Row { names, letters, words: &[], rest, reads: &[], writes: &[], instead: &[] }
}

pub(super) const TABLE: &[Row] = &[
    row(
        &[
            "echo",
            "printf",
            "true",
            "false",
            ":",
            "test",
            "[",
            "[[",
            "sleep",
            "pwd",
            "whoami",
            "id",
            "uname",
            "hostname",
            "which",
            "type",
            "seq",
            "expr",
            "basename",
            "dirname",
            "exit",
            "return",
            "break",
            "continue",
            "shift",
            "wait",
            "jobs",
            "kill",
            "pkill",
            "pgrep",
            "ps",
            "tty",
            "clear",
            "hash",
            "ulimit",
            "umask",
            "set",
            "shopt",
            "getopts",
            "let",
            "nproc",
            "uptime",
            "free",
            "df",
            "groups",
            "locale",
            "yes",
            "fg",
            "bg",
            "times",
            "tput",
            "stty",
            "arch",
            "logname",
            "who",
            "w",
            "factor",
            "lsb_release",
        ],
        "",
        Rest::Text,
    ),
    row(
        &[
            "cat",
            "less",
            "more",
            "tac",
            "nl",
            "od",
            "hexdump",
            "strings",
            "base64",
            "base32",
            "md5sum",
            "sha1sum",
            "sha256sum",
            "sha512sum",
            "b2sum",
            "cksum",
            "rev",
            "paste",
            "comm",
            "join",
            "cmp",
            "file",
            "fold",
            "expand",
            "column",
            "look",
            "zcat",
            "bzcat",
            "xzcat",
            "zless",
            "bat",
            "batcat",
            "sum",
            "tsort",
            "readlink",
            "realpath",
            "stat",
            "ls",
            "ll",
            "dir",
            "vdir",
            "open",
            "xdg-open",
            "pr",
            "fmt",
            "hd",
            "jless",
            "glow",
            "ldd",
            "nm",
            "objdump",
            "readelf",
            "size",
        ],
        "",
        Rest::Read,
    ),
    Row { reads: &["-r", "-n"], writes: &["-a", "-w"], ..row(&["history"], "arnwd", Rest::Text) },
    Row {
        words: &["skip-fields", "skip-chars", "check-chars"],
        ..row(&["uniq"], "fsw", Rest::ReadThenMaybeWrite)
    },
    row(&["xxd"], "cglosR", Rest::ReadThenMaybeWrite),
    Row {
        words: &["from-code", "to-code"],
        writes: &["-o", "--output"],
        ..row(&["iconv"], "fto", Rest::Read)
    },
    Row { writes: &["-o"], ..row(&["tree"], "oLPIHT", Rest::Read) },
    Row { reads: &["-f", "--file"], words: &["date"], ..row(&["date"], "dfrs", Rest::Text) },
    Row { reads: &["--files0-from"], ..row(&["wc"], "", Rest::Read) },
    Row {
        reads: &["--files0-from", "-X", "--exclude-from"],
        words: &["block-size", "exclude", "max-depth", "threshold", "time-style"],
        ..row(&["du"], "BdtX", Rest::Read)
    },
    Row {
        reads: &["--from-file", "--to-file", "-X", "--exclude-from"],
        writes: &["--output"],
        words: &["label", "exclude", "ignore-matching-lines", "width", "unified", "context"],
        ..row(&["diff"], "FILSWUXx", Rest::Read)
    },
    Row {
        writes: &["-o", "--out-dir", "-d"],
        ..row(
            &["gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ld", "javac", "tsc"],
            "oIlLDd",
            Rest::Read,
        )
    },
    Row { writes: &["-o", "--output", "--crate"], ..row(&["hence"], "o", Rest::Read) },
    row(&["head", "tail"], "nc", Rest::Read),
    row(&["cut"], "dfcb", Rest::Read),
    Row { writes: &["-o", "--output"], reads: &["--files0-from"], ..row(&["sort"], "kotSTu", Rest::Read) },
    row(&["tr"], "", Rest::Text),
    Row {
        words: &[
            "regexp",
            "file",
            "include",
            "exclude",
            "glob",
            "type",
            "max-count",
            "after-context",
            "context",
        ],
        reads: &["-f", "--file"],
        instead: &["-e", "--regexp", "-f", "--file", "--files"],
        ..row(&["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack"], "efmABCgtTjd", Rest::TextThenRead)
    },
    Row {
        words: &["expression", "file"],
        reads: &["-f", "--file"],
        instead: &["-e", "--expression", "-f", "--file"],
        ..row(&["sed", "gsed"], "efl", Rest::TextThenRead)
    },
    Row {
        words: &["assign", "file", "field-separator", "include", "load", "source", "exec"],
        reads: &["-f", "--file"],
        instead: &["-f", "--file", "-e", "--source", "-E", "--exec"],
        ..row(&["awk", "gawk", "mawk", "nawk"], "vfFileEW", Rest::TextThenRead)
    },
    Row {
        reads: &["-f", "--from-file"],
        instead: &["-f", "--from-file"],
        ..row(&["jq", "yq"], "fL", Rest::TextThenRead)
    },
    row(&["tee", "touch", "mkdir", "mkfifo", "mknod", "truncate", "sponge", "fallocate"], "smr", Rest::Write),
    Row { writes: &["-p", "--tmpdir"], words: &["suffix"], ..row(&["mktemp"], "p", Rest::Write) },
    row(
        &["ed", "ex", "vi", "vim", "nvim", "nano", "emacs", "pico", "joe", "code", "patch"],
        "cS",
        Rest::Write,
    ),
    row(&["rm", "rmdir", "unlink", "shred", "srm", "trash"], "", Rest::Delete),
    Row {
        words: &["target-directory", "suffix"],
        writes: &["-t", "--target-directory"],
        ..row(&["cp", "install", "ditto"], "tSmog", Rest::ReadThenWrite)
    },
    Row {
        words: &["suffix"],
        writes: &["-t", "--target-directory"],
        ..row(&["ln"], "tS", Rest::ReadThenWrite)
    },
    Row {
        words: &["target-directory", "suffix"],
        writes: &["-t", "--target-directory"],
        ..row(&["mv", "rename"], "tS", Rest::MoveThenWrite)
    },
    row(&["chmod", "chown", "chgrp", "chattr", "setfacl", "xattr"], "", Rest::TextThenWrite),
    row(&["scp", "rclone", "sftp"], "iFoPSJceL", Rest::ReadThenWrite),
    Row {
        words: &["rsh", "filter", "exclude", "include", "temp-dir", "port", "bwlimit", "rsync-path"],
        reads: &["--files-from", "--exclude-from", "--include-from", "--password-file"],
        writes: &["--log-file", "--backup-dir", "--partial-dir", "-T"],
        ..row(&["rsync"], "efTBM@", Rest::ReadThenWrite)
    },
    Row {
        words: &["file", "directory", "use-compress-program", "checkpoint-action", "exclude", "to-command"],
        reads: &["-T", "--files-from", "-X", "--exclude-from"],
        writes: &["-g", "--listed-incremental", "--index-file"],
        ..row(&["tar", "bsdtar"], "bCfFgHIKLNTVX", Rest::Read)
    },
    row(&["unzip"], "dPxIO", Rest::Read),
    row(
        &["zip", "7z", "gzip", "gunzip", "bzip2", "xz", "zstd", "split", "csplit", "cpio", "ar"],
        "dbnl",
        Rest::Write,
    ),
    Row {
        words: &[
            "data",
            "data-binary",
            "data-raw",
            "data-urlencode",
            "form",
            "upload-file",
            "output",
            "config",
            "header",
            "request",
            "user",
            "url",
            "cookie",
            "cookie-jar",
            "key",
            "cert",
            "cacert",
            "json",
            "dump-header",
            "proxy",
        ],
        reads: &["-T", "--upload-file", "-K", "--config", "-E", "--cert", "--key", "--netrc-file"],
        writes: &["-o", "--output", "-c", "--cookie-jar", "-D", "--dump-header", "--output-dir"],
        ..row(&["curl"], "dFToKHXuAebcEDmxQrwUC", Rest::Text)
    },
    Row {
        words: &[
            "post-file",
            "body-file",
            "output-document",
            "output-file",
            "directory-prefix",
            "input-file",
            "header",
        ],
        reads: &["--post-file", "--body-file", "-i", "--input-file"],
        writes: &["-O", "--output-document", "-o", "--output-file", "-P", "--directory-prefix", "-a"],
        ..row(&["wget"], "OoPiUteTQwa", Rest::Text)
    },
];

/// Options that name a program which is run.
pub(super) const RUNS: [(&str, &str); 20] = [
    ("split", "--filter"),
    ("zip", "-TT"),
    ("zip", "--unzip-command"),
    ("rsync", "-e"),
    ("rsync", "--rsh"),
    ("rsync", "--rsync-path"),
    ("rg", "--hostname-bin"),
    ("scp", "-S"),
    ("scp", "-o"),
    ("sftp", "-o"),
    ("sftp", "-b"),
    ("sort", "--compress-program"),
    ("rg", "--pre"),
    ("ag", "--pager"),
    ("bat", "--pager"),
    ("less", "+"),
    ("more", "+"),
    ("install", "--strip-program"),
    ("tee", "--output-error"),
    ("curl", "--engine"),
];

/// Further long options of programs that take them shortened: those that rules or this walk know, and whole names with which
/// one of those begins.
pub(super) const SHORTENED: &[(&[&str], &[&str])] = &[
    (
        &["tar", "bsdtar"],
        &[
            "checkpoint",
            "rsh-command",
            "new-volume-script",
            "info-script",
            "extract",
            "get",
            "append",
            "create",
            "list",
            "one-top-level",
            "remove-files",
            "to-stdout",
        ],
    ),
    (&["sed", "gsed"], &["in-place"]),
    (&["su", "script", "flock"], &["command", "session-command"]),
    (&["curl"], &["head"]),
    (&["rm", "rmdir"], &["recursive", "force"]),
    (&["make", "gmake"], &["eval", "file", "makefile", "directory"]),
    (
        &["git"],
        &[
            "hard",
            "force",
            "force-with-lease",
            "delete",
            "mirror",
            "prune",
            "all",
            "exec",
            "upload-pack",
            "receive-pack",
            "extcmd",
            "output",
            "output-directory",
            "open-files-in-pager",
            "global",
            "glob",
            "system",
            "file",
            "template",
            "separate-git-dir",
            "directory",
            "discard-changes",
            "config",
            "config-env",
            "exec-path",
            "git-dir",
            "work-tree",
            "author",
            "message",
            "remote",
            "run",
            "include-untracked",
            "orphan",
        ],
    ),
];

/// Programs that change the files that they are told in place, and the options that have them do so; none where they do it by
/// themselves.
pub(super) const IN_PLACE: &[(&str, &[&str])] = &[
    ("black", &[]),
    ("isort", &[]),
    ("rustfmt", &[]),
    ("stylua", &[]),
    ("dos2unix", &[]),
    ("unix2dos", &[]),
    ("ruff", &["format", "--fix", "--fix-only"]),
    ("gofmt", &["-w"]),
    ("goimports", &["-w"]),
    ("shfmt", &["-w", "--write"]),
    ("prettier", &["-w", "--write"]),
    ("biome", &["--write", "--fix", "--apply"]),
    ("eslint", &["--fix"]),
    ("stylelint", &["--fix"]),
    ("autopep8", &["-i", "--in-place"]),
    ("clang-format", &["-i"]),
    ("perltidy", &["-b"]),
];

/// Options with which those change nothing.
pub(super) const ONLY_LOOKS: [&str; 4] = ["--check", "--diff", "--check-only", "--stdin-filename"];

/// Options of runners of the project's code that name what they write.
pub(super) const OUTPUTS: [&str; 16] = [
    "--output",
    "--out",
    "--out-dir",
    "--outDir",
    "--outdir",
    "--outFile",
    "--outfile",
    "--output-file",
    "--declarationDir",
    "--target-dir",
    "--junitxml",
    "--junit-xml",
    "--basetemp",
    "--cache-dir",
    "--root",
    "--prefix",
];
