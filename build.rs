//! Links a released `hence` smaller, one of tests at a fixed address, and `hence-hook` without shared libraries, where that
//! works.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// What takes a twentieth off the binary where the linker and the loader know it: equal functions are kept once, and what
/// the loader is to correct takes a bit each.
const SMALLER: [&str; 3] = [STRIPPED, "-Wl,--icf=all", "-Wl,-z,pack-relative-relocs"];

/// Leaves names out, since cargo doesn't strip a package that has an `opt-level` of its own.
const STRIPPED: &str = "-Wl,--strip-all";

/// What takes a third off the start of a binary with all its functions: the loader has no addresses to correct in it. Tests
/// start `hence` ten thousand times; a released one stays where an attacker can't foresee it.
const FIXED: &str = "-no-pie";

/// A program that does what `hence-hook` asks of the C library: memory, texts, unwinding, a socket.
const TRIAL: &str = "fn main() {
    let unwound = std::panic::catch_unwind(|| std::panic::resume_unwind(Box::new(1))).is_err();
    let refused = std::os::unix::net::UnixStream::connect(\"/nowhere/at/all\").is_err();
    print!(\"{}\", if unwound && refused { \"works\" } else { \"fails\" });
}";

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    // Who embeds hence builds no programs.
    if env::var_os("CARGO_FEATURE_CLI").is_some() {
        for argument in link()?.unwrap_or_default() {
            println!("cargo::rustc-link-arg-bin=hence={argument}");
        }
    }
    if env::var_os("CARGO_FEATURE_GATE").is_some() {
        for argument in static_link()?.unwrap_or_default() {
            println!("cargo::rustc-link-arg-bin=hence-hook={argument}");
        }
    }
    Ok(())
}

/// How to link `hence`; `None` where no program that is linked so runs here.
fn link() -> io::Result<Option<Vec<String>>> {
    if !is("CARGO_CFG_TARGET_OS", "linux") {
        return Ok(None);
    }
    let ways: &[&[&str]] = match is("PROFILE", "release") {
        // A profile for perf and backtraces keeps its names.
        true if is("DEBUG", "true") => &[],
        true => &[&SMALLER, &[STRIPPED]],
        false => &[&[FIXED]],
    };
    for arguments in ways {
        let arguments: Vec<String> = arguments.iter().map(|argument| String::from(*argument)).collect();
        if runs(&folder("linked")?, &arguments)? {
            return Ok(Some(arguments));
        }
    }
    Ok(None)
}

fn is(name: &str, value: &str) -> bool {
    env::var(name).is_ok_and(|found| found == value)
}

/// A folder of that name for what is tried.
fn folder(name: &str) -> io::Result<PathBuf> {
    let folder = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?).join(name);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// How to link a program without shared libraries, whose loading takes a third of the time of `hence-hook`; `None` where a
/// program linked so doesn't run here, as where the C library has no static form.
///
/// rustc asks for shared libraries unless the whole build is static, procedural macros included, which can't be. So what
/// it names is found in a folder of static ones first.
fn static_link() -> io::Result<Option<Vec<String>>> {
    let is_static = env::var("CARGO_CFG_TARGET_FEATURE")
        .is_ok_and(|found| found.split(',').any(|one| one == "crt-static"));
    if !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") || is_static {
        return Ok(None);
    }
    let folder = folder("static")?;
    let (Some(c), Some(unwinding), Some(compiler)) =
        (library("libc.a"), library("libgcc_eh.a"), library("libgcc.a"))
    else {
        return Ok(None);
    };
    fs::write(folder.join("libc.a"), format!("GROUP({c} {unwinding} {compiler})\n"))?;
    fs::write(folder.join("libgcc_s.a"), format!("GROUP({unwinding} {compiler})\n"))?;
    let arguments = vec![
        format!("-L{}", folder.display()),
        String::from("-static-pie"),
        // Else lld keeps what is weak and undefined for a loader that never comes.
        String::from("-Wl,-z,nodynamic-undefined-weak"),
    ];
    Ok(runs(&folder, &arguments)?.then_some(arguments))
}

/// The linker that cargo has rustc call.
fn linker() -> OsString {
    env::var_os("RUSTC_LINKER").unwrap_or_else(|| OsString::from("cc"))
}

/// Where the linker finds a static library.
fn library(name: &str) -> Option<String> {
    let found = Command::new(linker()).arg(format!("-print-file-name={name}")).output().ok()?;
    let path = String::from_utf8(found.stdout).ok()?.trim().to_owned();
    // What it doesn't find it says as it was asked; linker scripts end a name at a space.
    (Path::new(&path).is_absolute() && !path.contains(char::is_whitespace)).then_some(path)
}

/// Whether a program linked so runs on this machine.
fn runs(folder: &Path, arguments: &[String]) -> io::Result<bool> {
    let (source, program) = (folder.join("trial.rs"), folder.join("trial"));
    fs::write(&source, TRIAL)?;
    let mut rustc = Command::new(env::var_os("RUSTC").unwrap_or_else(|| OsString::from("rustc")));
    rustc.args(
        env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().split('\x1f').filter(|flag| !flag.is_empty()),
    );
    rustc.arg("--edition=2024").arg("--target").arg(env::var_os("TARGET").unwrap_or_default());
    let mut with_linker = OsString::from("-Clinker=");
    with_linker.push(linker());
    rustc.arg(with_linker).args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    rustc.arg("-o").arg(&program).arg(&source).stdout(Stdio::null()).stderr(Stdio::null());
    if !rustc.status().is_ok_and(|linked| linked.success()) {
        return Ok(false);
    }
    Ok(Command::new(&program).output().is_ok_and(|said| said.stdout == b"works"))
}
