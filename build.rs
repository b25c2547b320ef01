//! Writes the table of shipped rule files: every `.dl` file under `rules/`, with its text.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("rules");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut table = String::from("&[\n");
    for file in &files {
        let name = file.strip_prefix(&root).unwrap_or(file).to_string_lossy().replace('\\', "/");
        let _ = writeln!(table, "    ({name:?}, include_str!({:?})),", file.display().to_string());
    }
    table.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?).join("shipped.rs");
    fs::write(out, table)?;
    println!("cargo::rerun-if-changed=rules");
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|end| end == "dl") {
            files.push(path);
        }
    }
    Ok(())
}
