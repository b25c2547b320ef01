//! Writes the tables of what the library carries: the shipped rule files, and the pages of `hence explain`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    table("rules", "dl", "shipped.rs")?;
    table("docs/codes", "md", "codes.rs")
}

/// Writes a table of every file under a folder of the repository with that ending: its path below the folder, and its text.
fn table(folder: &str, ending: &str, name: &str) -> io::Result<()> {
    let root =
        PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("../..").join(folder);
    let mut files = Vec::new();
    collect(&root, ending, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let _ = writeln!(table, "    ({name:?}, include_str!({:?})),", file.display().to_string());
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?).join(name);
    fs::write(out, table)?;
    println!("cargo::rerun-if-changed={}", root.display());
    Ok(())
}

fn collect(folder: &Path, ending: &str, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, ending, files)?;
        } else if path.extension().is_some_and(|end| end == ending) {
            files.push(path);
        }
    }
    Ok(())
}
