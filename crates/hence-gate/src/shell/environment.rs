//! Variables of the environment that change which programs run, what they load, or where they write.

use std::path::Path;

use super::arithmetic::named_by;
use super::table::FOLDERS;
use super::walk::Walk;
use super::word::Word;
use super::{Mode, Why};

/// Variables that a shell heeds itself or passes on by itself.
const OWN: [&str; 14] = [
    "PATH",
    "HOME",
    "CDPATH",
    "GLOBIGNORE",
    "BASH_CMDS",
    "BASH_ALIASES",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "EDITOR",
    "VISUAL",
    "PAGER",
    "MANPAGER",
    "BROWSER",
];

/// Beginnings of the names of variables that programs heed.
const FAMILIES: [&str; 42] = [
    "GIT_",
    "CARGO_",
    "RUSTC",
    "RUSTDOC",
    "LD_",
    "DYLD_",
    "PYTHON",
    "PYTEST_",
    "npm_config_",
    "NPM_CONFIG_",
    "NODE_",
    "PERL5",
    "RUBY",
    "BUNDLE_",
    "GEM_",
    "BASH_",
    "XDG_CONFIG",
    "XDG_DATA",
    "ZDOTDIR",
    "TAR_OPTIONS",
    "MAKEFILES",
    "MAKEFLAGS",
    "GNUMAKEFLAGS",
    "GCONV_PATH",
    "LOCPATH",
    "RIPGREP_CONFIG_PATH",
    "AWKPATH",
    "AWKLIBPATH",
    "LESSOPEN",
    "LESSCLOSE",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "RSYNC_",
    "CVS_RSH",
    "SVN_SSH",
    "MANOPT",
    "GCC_",
    "COMPILER_PATH",
    "ZIPOPT",
    "UNZIP",
    "GREP_OPTIONS",
    "DOCKER_",
];

/// Those of them that change nothing of the kind, by their beginnings.
const HARMLESS: [&str; 38] = [
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "GIT_TERMINAL_PROMPT",
    "GIT_MERGE_AUTOEDIT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_CEILING_",
    "GIT_LFS_SKIP_SMUDGE",
    "GIT_ADVICE",
    "CARGO_TERM_",
    "CARGO_INCREMENTAL",
    "CARGO_NET_",
    "CARGO_PROFILE_",
    "CARGO_PKG_",
    "CARGO_MANIFEST_DIR",
    "CARGO_BUILD_JOBS",
    "CARGO_LOG",
    "RUSTC_LOG",
    "RUSTC_BOOTSTRAP",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "PYTHONIOENCODING",
    "PYTHONUTF8",
    "PYTHONHASHSEED",
    "PYTHONFAULTHANDLER",
    "PYTHONDEVMODE",
    "PYTHONNOUSERSITE",
    "PYTHONOPTIMIZE",
    "PYTHONSAFEPATH",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD",
    "NODE_ENV",
    "NODE_NO_WARNINGS",
    "NODE_DEBUG",
    "NODE_DISABLE_COLORS",
    "npm_config_loglevel",
    "npm_config_yes",
    "npm_config_fund",
    "npm_config_audit",
    "DOCKER_BUILDKIT",
];

/// Those whose value is run.
const RUN: [&str; 10] = [
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "LESSOPEN",
    "RUSTC_WRAPPER",
];

/// Those whose value is a file or folder that is written.
const WRITTEN: [&str; 9] = [
    "TMPDIR",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "GIT_INDEX_FILE",
    "GIT_TRACE",
    "HISTFILE",
    "PYTHONPYCACHEPREFIX",
    "NODE_V8_COVERAGE",
    "LLVM_PROFILE_FILE",
];

/// Those whose value is a list of folders with code.
const SEARCHED: [&str; 5] = ["PATH", "PYTHONPATH", "NODE_PATH", "RUBYLIB", "PERL5LIB"];

/// Those whose value is the name of a program that builds run.
const TOOLS: [&str; 20] = [
    "CC", "CXX", "CPP", "LD", "AR", "AS", "NM", "RANLIB", "STRIP", "FC", "YACC", "LEX", "M4", "MAKE",
    "INSTALL", "PYTHON", "GO", "CARGO", "RUSTC", "SHELL",
];

/// Programs that may be given there.
const PROGRAMS: [&str; 15] = [
    "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "lld", "ar", "python", "python3", "go", "cargo",
    "rustc", "make",
];

/// Those whose value is a list of options of the virtual machine of Java.
const JAVA: [&str; 6] =
    ["JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "JAVA_OPTS", "MAVEN_OPTS", "GRADLE_OPTS"];

/// Parts of options that have compilers run or load something.
const LOADING: [&str; 13] = [
    "link", "exec", "tool", "plugin", "wrapper", "-B", "spec", "codegen", "overlay", "modfile", "load", "-Z",
    "@",
];

/// Values that name programs which do no harm.
const QUIET: [&str; 9] = ["", "cat", "true", ":", "false", "less", "vi", "vim", "nano"];

impl Walk {
    /// Takes in a variable and its value, which programs get where it is exported.
    pub(super) fn environment(&mut self, name: &str, value: &Word, is_exported: bool) {
        self.evaluated(&value.text);
        let name = named_by(name).unwrap_or(name);
        if name.starts_with("PS") && value.text.contains(['`', '$']) && value.text.contains(['`', '(', '@']) {
            // A prompt is expanded as a word is.
            self.opaque(Why::Environment, name);
            self.read(&format!(": {}", value.text));
        }
        if WRITTEN.iter().any(|known| name == *known || *known == "GIT_TRACE" && name.starts_with(known)) {
            let is_path = value.text.contains('/') || !name.starts_with("GIT_TRACE");
            return if is_path {
                self.written_by_tool(value)
            };
        }
        let is_heeded = OWN.contains(&name) || is_exported && self.is_heeded(name);
        if !is_heeded || self.is_harmless(name, value) {
            return;
        }
        self.opaque(Why::Environment, name);
        if RUN.contains(&name)
            && let Some(command) = value.as_known()
        {
            self.read(command);
        }
    }

    /// Whether programs heed a variable of that name.
    fn is_heeded(&self, name: &str) -> bool {
        FAMILIES.iter().any(|start| name.starts_with(start))
            || TOOLS.contains(&name)
            || JAVA.contains(&name)
            || name.ends_with("FLAGS")
            || SEARCHED.contains(&name)
    }

    /// Whether a value leaves everything as it is.
    fn is_harmless(&mut self, name: &str, value: &Word) -> bool {
        let text = value.text.as_str();
        let words =
            |fits: fn(&str) -> bool| value.unknown.is_none() && text.split_ascii_whitespace().all(fits);
        if HARMLESS.iter().any(|start| name.starts_with(start))
            || RUN.contains(&name) && QUIET.contains(&text)
        {
            return true;
        }
        match name {
            "EDITOR" | "VISUAL" | "PAGER" | "MANPAGER" | "BROWSER" | "ENV" => QUIET.contains(&text),
            "MAKEFLAGS" | "GNUMAKEFLAGS" => words(|word| {
                word == "--no-print-directory" || word.chars().all(|c| "-jkswil0123456789".contains(c))
            }),
            "NODE_OPTIONS" => words(|word| {
                let starts = ["--max-", "--no-", "--trace-", "--enable-source-maps", "--experimental-"];
                starts.iter().any(|start| word.starts_with(start))
                    && !word.contains("loader")
                    && !word.contains("import")
            }),
            _ if name.ends_with("FLAGS") => {
                value.unknown.is_none()
                    && !LOADING.iter().any(|part| text.contains(part))
                    && !text.contains(['`', '$'])
            }
            _ if JAVA.contains(&name) => words(|word| word.starts_with("-Xm") || word.starts_with("-Xs")),
            _ if TOOLS.contains(&name) => {
                let own = text.strip_prefix("ccache ").unwrap_or(text);
                PROGRAMS.contains(&own.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.'))
            }
            _ if SEARCHED.contains(&name) => text.split(':').all(|part| self.is_known_folder(name, part)),
            _ => false,
        }
    }

    /// Whether a folder in a list of them holds code that may run anyway: the list as it was, that of the system, a tool's own, and for
    /// code that is loaded, the project's.
    fn is_known_folder(&self, name: &str, folder: &str) -> bool {
        if folder == format!("${name}") || folder == format!("${{{name}}}") || FOLDERS.contains(&folder) {
            return true;
        }
        if folder.contains(['$', '`']) || folder.is_empty() {
            return false;
        }
        let home = crate::paths::home().unwrap_or_default();
        self.resolved(folder).iter().all(|path| {
            let is_inside = self.folders.iter().any(|own| path.starts_with(own));
            match name {
                "PATH" => {
                    is_inside && path.ends_with("node_modules/.bin")
                        || !is_inside && path.starts_with(&home) && path.parent() != Some(Path::new("/"))
                }
                _ => is_inside,
            }
        })
    }

    /// A variable that a command passes on from now on, with the value that it has.
    pub(super) fn exported(&mut self, name: &str) {
        match self.variables.get(name).cloned() {
            Some(Some(value)) => self.environment(name, &Word::known(value), true),
            Some(None) => {
                let unknown =
                    Word { text: format!("${name}"), unknown: Some(format!("${name}")), is_pattern: false };
                self.environment(name, &unknown, true);
            }
            None => {}
        }
    }

    /// Takes down that what is set is shown.
    pub(super) fn shows_environment(&mut self) {
        self.access(&Word::known("/proc/self/environ"), Mode::Read);
    }
}
