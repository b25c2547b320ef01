//! Which programs run others, or code.

/// Shells, which take code as `-c` does.
pub(super) const SHELLS: [&str; 14] = [
    "sh", "bash", "zsh", "dash", "ksh", "ksh93", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "yash",
    "pwsh",
];

/// Programs that run the program after them: options with a value, and how many arguments come before it.
pub(super) const BEFORE: &[(&str, &str, &[&str], usize)] = &[
    ("sudo", "ugpCThrtaDUR", &["user", "group", "prompt", "chdir", "host", "role", "type"], 0),
    ("doas", "uCa", &[], 0),
    ("nice", "n", &["adjustment"], 0),
    ("nohup", "", &[], 0),
    ("setsid", "", &[], 0),
    ("stdbuf", "ioe", &["input", "output", "error"], 0),
    ("time", "fo", &["format", "output"], 0),
    ("timeout", "ks", &["kill-after", "signal"], 1),
    ("gtimeout", "ks", &["kill-after", "signal"], 1),
    ("ionice", "cnpPu", &["class", "classdata"], 0),
    ("chrt", "TPD", &[], 1),
    ("taskset", "", &[], 1),
    ("builtin", "", &[], 0),
    ("exec", "a", &[], 0),
    ("unbuffer", "", &[], 0),
    ("caffeinate", "tw", &[], 0),
    ("strace", "eopsSuEaOPXbI", &[], 0),
    ("ltrace", "eopsuanxFl", &[], 0),
    ("chroot", "", &["userspec", "groups"], 1),
    ("unshare", "SGR", &["setuid", "setgid", "root", "wd"], 0),
    ("nsenter", "tSG", &["target"], 0),
    ("setpriv", "", &["reuid", "regid"], 0),
    ("runuser", "ugGsw", &["user", "group"], 0),
    ("proxychains", "f", &[], 0),
    ("proxychains4", "f", &[], 0),
    ("torsocks", "", &[], 0),
    ("tsocks", "", &[], 0),
    ("xvfb-run", "nsefp", &["server-num", "server-args"], 0),
    ("dbus-run-session", "", &[], 0),
    ("ssh-agent", "aEt", &[], 0),
    ("firejail", "", &[], 0),
    ("bwrap", "", &[], 0),
    ("systemd-run", "uptMHE", &["unit", "property", "uid", "gid", "slice"], 0),
    ("rlwrap", "", &[], 0),
    ("busybox", "", &[], 0),
    ("toybox", "", &[], 0),
    ("coproc", "", &[], 0),
    ("entr", "", &[], 0),
    ("hyperfine", "wrmMPLSNu", &["warmup", "runs"], 0),
    ("perf", "eo", &[], 1),
    ("valgrind", "", &[], 0),
    ("op", "", &[], 1),
    ("dotenv", "f", &[], 0),
    ("direnv", "", &[], 2),
];

/// Interpreters, and the options that give them code.
pub(super) const INTERPRETERS: &[(&str, &[&str])] = &[
    ("python", &["-c"]),
    ("pypy", &["-c"]),
    ("ipython", &["-c"]),
    ("perl", &["-e", "-E"]),
    ("ruby", &["-e"]),
    ("node", &["-e", "-p", "--eval", "--print", "-r", "--require", "--import", "--loader"]),
    ("nodejs", &["-e", "-p", "--eval", "--print", "-r", "--require"]),
    ("php", &["-r", "-B", "-R"]),
    ("lua", &["-e"]),
    ("luajit", &["-e"]),
    ("Rscript", &["-e"]),
    ("osascript", &["-e"]),
    ("tclsh", &[]),
    ("wish", &[]),
    ("expect", &["-c"]),
    ("julia", &["-e", "-E", "--eval"]),
    ("groovy", &["-e"]),
    ("elixir", &["-e", "--eval"]),
    ("ghc", &["-e"]),
    ("scala", &["-e"]),
    ("swift", &["-e"]),
    ("guile", &["-c", "-e"]),
    ("racket", &["-e"]),
    ("sbcl", &["--eval"]),
    ("emacsclient", &["-e", "--eval"]),
];

/// Modules of Python that are programs which rules know.
pub(super) const MODULES: [&str; 11] =
    ["pip", "pip3", "pipx", "uv", "poetry", "twine", "black", "pytest", "ruff", "mypy", "tox"];

/// Programs with a language of their own, in which they run others.
pub(super) const LANGUAGES: [&str; 12] = [
    "gdb",
    "lldb",
    "sqlite3",
    "psql",
    "mysql",
    "m4",
    "mongosh",
    "redis-cli",
    "tmux",
    "screen",
    "gnuplot",
    "octave",
];

/// Programs that run what the project's files say.
pub(super) const PROJECT: [&str; 46] = [
    "make", "gmake", "ninja", "just", "task", "npm", "yarn", "pnpm", "bun", "cargo", "go", "mvn", "gradle",
    "gradlew", "pytest", "tox", "nox", "rake", "bundle", "composer", "dotnet", "bazel", "cmake", "ctest",
    "jest", "vitest", "mocha", "tsc", "eslint", "prettier", "ruff", "mypy", "phpunit", "rspec", "sbt", "mix",
    "stack", "cabal", "zig", "vite", "webpack", "turbo", "nx", "poetry", "uv", "pipenv",
];

/// Programs that run something on another machine or in another system.
pub(super) const REMOTE: [&str; 13] = [
    "ssh", "mosh", "docker", "podman", "kubectl", "nerdctl", "lxc", "vagrant", "oc", "heroku", "flyctl",
    "ansible", "telnet",
];
