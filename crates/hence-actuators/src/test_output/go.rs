//! The output of `go test`: each test that fails is named, each package ends with a line of its own.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::report::{Fault, Line, Verdict};

pub(super) fn failed(lines: &[Line]) -> Verdict {
    let (mut seen, mut failed, mut open, mut begun) = (false, 0_usize, 0_usize, false);
    for line in lines {
        let text = line.text.as_str();
        if text.starts_with("--- FAIL: ") {
            (seen, open) = (true, open + 1);
        } else if text.starts_with("=== RUN ") {
            (seen, begun) = (true, true);
        } else if let Some(package) = text.strip_prefix("FAIL\t") {
            // A package that fails without a test that does could not be built, or died.
            failed = failed.saturating_add(open.max(1));
            (seen, open, begun) = (true, 0, false);
            if package.is_empty() {
                return Some(Err(line.fault("the name of a package")));
            }
        } else if text.starts_with("ok  \t") || text.starts_with("?   \t") {
            if open > 0 {
                return Some(Err(line.fault("a package that fails, as a test of it did")));
            }
            (seen, begun) = (true, false);
        }
    }
    if open > 0 || begun {
        let end = lines.last().map_or(1, |line| line.number);
        return Some(Err(Fault::new(end, "the line that ends the package, such as `FAIL\tNAME`", "the end")));
    }
    seen.then_some(Ok(failed))
}

/// What a package has come to.
#[derive(Default)]
struct Package {
    failed: usize,
    ended: bool,
}

/// The output of `go test -json`: an object a line.
pub(super) fn of_json(text: &str) -> Verdict {
    let mut packages: BTreeMap<String, Package> = BTreeMap::new();
    let mut failed = 0_usize;
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let Ok(event) = serde_json::from_str::<Json>(line) else {
            return Some(Err(Fault::new(number, "a JSON object of `go test -json`", "something else")));
        };
        let of = |field| event.get(field).and_then(Json::as_str);
        let Some(action) = of("Action") else {
            return (!packages.is_empty())
                .then(|| Err(Fault::new(number, "an object with `Action`", "another one")));
        };
        let Some(name) = of("Package") else { continue };
        let package = packages.entry(name.to_owned()).or_default();
        match (action, of("Test")) {
            // A test within a test counts with it.
            ("fail", Some(test)) => package.failed += usize::from(!test.contains('/')),
            ("fail", None) => {
                failed = failed.saturating_add(package.failed.max(1));
                *package = Package { failed: 0, ended: true };
            }
            ("pass" | "skip", None) => {
                if package.failed > 0 {
                    return Some(Err(Fault::new(
                        number,
                        "a package that fails, as a test of it did",
                        "one that passes",
                    )));
                }
                package.ended = true;
            }
            _ => package.ended = false,
        }
    }
    if let Some((name, _)) = packages.iter().find(|(_, package)| !package.ended) {
        let end = text.lines().count().max(1) as u64;
        return Some(Err(Fault::new(end, format!("the end of package `{name}`"), "the end")));
    }
    (!packages.is_empty()).then_some(Ok(failed))
}
