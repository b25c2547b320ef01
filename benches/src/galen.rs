//! The GALEN problem of "dynamic-datalog", read from its own files (`p.txt`, `q.txt`, … with commas), which the folder named
//! by the environment variable `GALEN` holds.

use std::path::{Path, PathBuf};

/// The files, and the relations that they are here.
const FILES: [(&str, &str); 6] = [("p", "isA"), ("q", "has"), ("r", "r"), ("c", "c"), ("u", "u"), ("s", "s")];

/// Writes the facts as `.facts` files.
pub fn write(folder: &Path) {
    let from = PathBuf::from(std::env::var_os("GALEN").expect("GALEN names the folder of p.txt, q.txt, …"));
    for (file, relation) in FILES {
        let text = std::fs::read_to_string(from.join(file).with_extension("txt")).unwrap();
        std::fs::write(folder.join(format!("{relation}.facts")), text.replace(',', "\t")).unwrap();
    }
}
