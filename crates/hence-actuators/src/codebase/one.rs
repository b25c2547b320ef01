//! One file on request, seen as part of the repository that it is in.

use std::io;
use std::path::{Path, PathBuf};

use super::index::Index;
use super::language::Language;
use super::{facts as facts_of, manifests, read, walk};
use crate::Summary;
use crate::error::ActuatorError;
use crate::tree::Left;
use hence_core::fact::Fact;

/// What the root of a repository holds, the surest first.
const ROOTS: [&[&str]; 2] = [&[".git"], &["Cargo.toml", "go.mod", "package.json", "pyproject.toml"]];

/// The facts of the file.
pub(super) fn facts(path: &Path, summary: &mut Summary) -> Result<Vec<Fact>, ActuatorError> {
    let name = path.display().to_string();
    let unreadable = |source| ActuatorError::Read { input: name.clone(), source };
    let location = path.canonicalize().map_err(unreadable)?;
    let left = |why: &str| Left::File(why.to_owned().into()).of(&name);
    let Some(language) = Language::of(&location.to_string_lossy()) else {
        return Err(left("not source code of a language that is read, by its ending"));
    };
    let root = root(&location).ok_or_else(|| unreadable(io::Error::other("it is in no folder")))?;
    let files = walk::walk(&root, summary)?;
    let Some(found) = files.iter().find(|found| found.location == location) else {
        return Err(left("ignored by git, or may hold a secret"));
    };
    let parsed = read(found, language)?.map_err(left)?;
    let manifests = manifests(&files, summary)?;
    let sources = files.iter().filter(|found| Language::of(&found.path).is_some());
    let index = Index::new(sources.map(|found| found.path.as_str()), &manifests);
    Ok(facts_of(&index, &found.path, language, &parsed))
}

/// The root of the repository that a file is in.
fn root(file: &Path) -> Option<PathBuf> {
    let holds = |folder: &Path, names: &[&str]| names.iter().any(|name| folder.join(name).exists());
    let above = ROOTS.iter().find_map(|names| file.ancestors().skip(1).find(|folder| holds(folder, names)));
    above.or(file.parent()).map(Path::to_path_buf)
}
