//! The README and the book: every example in them holds, every link leads somewhere, and the pages that hence writes
//! are what it writes (`UPDATE=1` writes them). `tests/cases` runs their commands.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;

use hence_lang::builtins::reference::{self, NO_RESULT, SAMPLE, WordEntry, WordKind};
use hence_lang::builtins::{aggregate, generator, op};

use super::command;

/// The pages that `hence help PAGE` prints.
const WRITTEN: [&str; 6] = ["language", "functions", "aggregates", "generators", "keywords", "commands"];

/// Whether commands have options that the book tells apart, at the end of their page, as only some builds have them.
const HAS_MORE: bool = cfg!(any(feature = "server", feature = "dataflow"));

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// What a command line prints, and the exit status where it is not 0.
fn shell(command: &str, folder: &Path) -> String {
    let output = command::shell(folder, &format!("{{ {command}\n}} 2>&1")).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        text
    } else {
        format!("{text}[exit {}]\n", output.status.code().unwrap_or(-1))
    }
}

/// The pages of the book but those of the codes, which the test of `hence explain` runs.
fn chapters() -> Vec<PathBuf> {
    pages("docs").into_iter().filter(|page| !page.starts_with(root().join("docs/codes"))).collect()
}

fn pages(folder: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// What people read first, and the book.
fn documents() -> Vec<PathBuf> {
    let own = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "benches/README.md"];
    own.iter().map(|page| root().join(page)).chain(chapters()).collect()
}

/// A fenced block: its language, the rest of that line, and its text.
fn blocks(page: &str) -> Vec<(String, String, String)> {
    let block = Regex::new(r"(?ms)^```(\w*) ?([^\n]*)\n(.*?)^```$").unwrap();
    block.captures_iter(page).map(|found| [1, 2, 3].map(|group| found[group].to_owned()).into()).collect()
}

/// What a command prints in a folder that holds one file.
fn said(file: &str, text: &str, command: &str) -> String {
    let folder = crate::memory::folder();
    fs::write(folder.path().join(file), text).unwrap();
    shell(command, folder.path())
}

/// What is wrong with an example of rules that stands by itself.
fn faults(rules: &str, note: &str) -> Option<String> {
    let checked = said("example.dl", rules, "hence check example.dl");
    let wanted = note.strip_prefix("faulty=");
    let right = match wanted {
        Some(code) => checked.contains(&format!("error[{code}]")),
        None if note == "unread" => !codes(&checked).any(|code| code != "W202"),
        None => codes(&checked).next().is_none() && checked.ends_with("no errors\n"),
    };
    if !right {
        return Some(format!("{rules}\n{checked}"));
    }
    let tested = rules.contains("test \"").then(|| said("example.dl", rules, "hence test example.dl"))?;
    tested.contains("[exit").then(|| format!("{rules}\n{tested}"))
}

/// The codes that messages name.
fn codes(text: &str) -> impl Iterator<Item = String> {
    let code = Regex::new(r"(?m)^(?:error|warning)\[([EW]\d{3})\]").unwrap();
    code.captures_iter(text).map(|found| found[1].to_owned()).collect::<Vec<_>>().into_iter()
}

#[test]
fn every_example_of_the_book_holds() {
    let mut wrong = Vec::new();
    for page in documents() {
        for (language, note, text) in blocks(&fs::read_to_string(&page).unwrap()) {
            let fault = match language.as_str() {
                "prolog" if !note.starts_with("file=") => faults(&text, &note),
                "json" if note.is_empty() => {
                    serde_json::from_str::<serde_json::Value>(&text).err().map(|error| error.to_string())
                }
                // Run with the page, shown for their form alone, or run as documentation tests.
                "prolog" | "json" | "toml" if note.starts_with("file=") => None,
                "console" | "text" | "rust" => None,
                // Run by `clients/run.sh`.
                "python" | "javascript" if page.ends_with("docs/clients.md") => None,
                "sh" => text.lines().find(|line| !builds(line)).map(str::to_owned),
                _ => Some(format!("nothing runs a block of `{language} {note}`\n{text}")),
            };
            wrong.extend(fault.map(|fault| format!("{}: {fault}", page.display())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a line is a command that builds, which no test does, of something that is there.
fn builds(line: &str) -> bool {
    let example = Regex::new(r"--example (\w+)").unwrap();
    let recipe = Regex::new(r"^just (\w+)").unwrap();
    let there = |name: &str| root().join(format!("examples/{name}.rs")).is_file();
    let recipes = fs::read_to_string(root().join("justfile")).unwrap();
    let line = line.split(" #").next().unwrap_or_default();
    let known = [
        "cargo ",
        "just",
        "git ",
        "UPDATE=1 cargo ",
        "HENCE_SLOW=1 cargo ",
        "HENCE_SQL=1 cargo ",
        "HENCE_SLOW=1 python3 tests/http/",
        "HENCE_BENCH=1 cargo ",
        "RUSTDOCFLAGS=",
        "tests/browser/run.sh",
        "tests/mcp/run.sh",
        "tests/embeddings.sh",
        "GALEN=FOLDER cargo ",
        "clients/run.sh",
        "HENCE_SLOW=1 clients/run.sh",
        "tests/http/schemathesis.sh",
        "pip install ./clients/python",
        "npm install ./clients/js",
    ];
    known.iter().any(|start| line.starts_with(start))
        && example.captures(line).is_none_or(|found| there(&found[1]))
        && recipe.captures(line).is_none_or(|found| recipes.contains(&format!("\n{}", &found[1])))
}

#[test]
fn a_file_that_commands_read_is_named_above_its_block() {
    let file = Regex::new(r"(?m)^(.+)\n\n```\w+ file=(\S+)$").unwrap();
    let block = Regex::new(r"(?m)^```\w+ file=\S+$").unwrap();
    for page in documents() {
        let text = fs::read_to_string(&page).unwrap();
        let named = file.captures_iter(&text).filter(|found| found[1].contains(&format!("`{}`", &found[2])));
        assert_eq!(
            named.count(),
            block.find_iter(&text).count(),
            "a reader of {} can't see a name",
            page.display()
        );
    }
}

#[test]
fn every_link_of_the_book_leads_somewhere() {
    let link = Regex::new(r"\]\(([^)\s]+)\)").unwrap();
    let fence = Regex::new(r"(?ms)^```.*?^```$|`[^`\n]*`").unwrap();
    let mut wrong = Vec::new();
    for page in documents() {
        let text = fs::read_to_string(&page).unwrap();
        for found in link.captures_iter(&fence.replace_all(&text, "")) {
            let (path, anchor) = found[1].split_once('#').unwrap_or((&found[1], ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            // mdBook copies nothing from outside its folder: such a link would only work on a forge.
            let inside = !page.starts_with(root().join("docs")) || !path.starts_with("..");
            let there = path.starts_with("https://") || inside && target.is_file();
            if !there || !anchor.is_empty() && !anchors(&target).contains(anchor) {
                wrong.push(format!("{}: {}", page.display(), &found[1]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The anchors of a page's headings, as forges and mdBook make them.
fn anchors(page: &Path) -> BTreeSet<String> {
    let Ok(text) = fs::read_to_string(page) else { return BTreeSet::new() };
    let heading = Regex::new(r"(?m)^#+ (.*)$").unwrap();
    let kept = |c: &char| c.is_alphanumeric() || " -_".contains(*c);
    let plain = |title: &str| title.to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-");
    heading.captures_iter(&text).map(|found| plain(&found[1])).collect()
}

/// The lines of the summary for the pages of the codes.
fn messages() -> String {
    let codes = pages("docs/codes").into_iter().map(|page| {
        let text = fs::read_to_string(&page).unwrap();
        let title = text.lines().next().unwrap().trim_start_matches("# ").replace('`', "");
        format!("- [{title}](codes/{})\n", page.file_name().unwrap().to_string_lossy())
    });
    codes.collect()
}

#[test]
fn the_summary_lists_every_page_once() {
    let file = root().join("docs/SUMMARY.md");
    let summary = fs::read_to_string(&file).unwrap();
    let (chapters, listed) = summary.split_once("\n# Messages\n\n").unwrap();
    if std::env::var_os("UPDATE").is_some() {
        fs::write(file, format!("{chapters}\n# Messages\n\n{}", messages())).unwrap();
        return;
    }
    assert_eq!(listed, messages(), "UPDATE=1 writes it");
    let link = Regex::new(r"\]\(([^)]+)\)").unwrap();
    let mut listed: Vec<PathBuf> =
        link.captures_iter(&summary).map(|found| root().join("docs").join(&found[1])).collect();
    listed.sort();
    let all: Vec<PathBuf> = pages("docs").into_iter().filter(|page| !page.ends_with("SUMMARY.md")).collect();
    assert_eq!(listed, all);
}

#[test]
fn the_binary_prints_its_pages_of_the_book() {
    let folder = crate::memory::folder();
    for page in WRITTEN.into_iter().filter(|page| !(HAS_MORE && *page == "commands")) {
        let file = root().join(format!("docs/{page}.md"));
        let printed = shell(&format!("hence help {page}"), folder.path());
        if std::env::var_os("UPDATE").is_none() {
            assert_eq!(printed, fs::read_to_string(&file).unwrap(), "{page}; UPDATE=1 writes it");
        } else if page != "language" {
            // That page is written by hand, and hence prints it as it was when it was built.
            fs::write(file, printed).unwrap();
        }
    }
}

/// The long options that a text names.
fn flags(text: &str) -> BTreeSet<String> {
    let flag = Regex::new(r"--[a-z][a-z-]*").unwrap();
    flag.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

#[test]
fn the_page_of_commands_has_every_command_and_option() {
    let page = fs::read_to_string(root().join("docs/commands.md")).unwrap();
    let folder = crate::memory::folder();
    let declared = Regex::new(r"(?m)^ +(?:-\w, )?(--[a-z][a-z-]*)").unwrap();
    let listed = Regex::new(r"(?m)^  ([a-z][a-z-]+) ").unwrap();
    let (_, more) = page.split_once("\n## With the feature `server`\n").unwrap();
    let more = if HAS_MORE { more } else { "" };
    let mut commands = vec![String::new()];
    let mut count = 0;
    while let Some(command) = commands.pop() {
        let help = shell(&format!("hence {command} -h"), folder.path());
        let subs = help.split("Commands:\n").nth(1).map(|rest| rest.split("\n\n").next().unwrap());
        if let Some(subs) = subs {
            let names = listed.captures_iter(subs).map(|found| found[1].to_owned());
            commands.extend(names.filter(|name| name != "help").map(|name| format!("{command} {name}")));
            continue;
        }
        let title = format!("\n## hence{command}\n");
        let section = page.split(&title).nth(1).unwrap_or_else(|| panic!("no section{title}"));
        let section = section.split("\n## ").next().unwrap().to_owned() + more;
        for found in declared.captures_iter(&help).filter(|found| !["--help", "--quiet"].contains(&&found[1]))
        {
            assert!(flags(&section).contains(&found[1]), "{title}: {}", &found[1]);
        }
        count += 1;
    }
    assert!(count > 35, "only {count} commands");
}

/// A rule file in which the examples of an entry are tests, and what they are expected to give.
fn tested(kind: WordKind, entry: &WordEntry) -> String {
    let mut rules = format!(
        "input run(tool: string, ms: int, ok: bool).\ntest \"{}\" {{ given\n{SAMPLE}\nexpect\n",
        entry.name
    );
    let mut heads = String::new();
    for (place, (example, gives)) in entry.examples.iter().enumerate() {
        let name = format!("example_{place}");
        let names_sample = ["Tool", "Ms", "Ok"].iter().any(|name| example.contains(name));
        let body = match kind {
            WordKind::Aggregate => " :- run(Tool, Ms, Ok)",
            _ if names_sample => " :- run(Tool, Ms, Ok), Tool = \"grep\", Ms = 10",
            _ => "",
        };
        heads += &match kind {
            WordKind::Generator => format!("{name}(X) :- X in {example}.\n"),
            _ => format!("{name}({example}){body}.\n"),
        };
        rules += &match kind {
            WordKind::Generator => {
                let elements: Vec<String> = gives.split(", ").map(|one| format!("({one})")).collect();
                format!("exactly {name} {{ {} }}\n", elements.join(" "))
            }
            _ => format!("exactly {name} {{ ({gives}) }}\n"),
        };
    }
    format!("{rules}}}\n{heads}")
}

#[test]
fn every_word_has_an_example_that_gives_what_it_says() {
    let mut wrong = Vec::new();
    for (kind, entry) in reference::entries() {
        assert!(!entry.examples.is_empty() || entry.name == "import", "{} has no example", entry.name);
        if kind == WordKind::Keyword {
            // Nothing reads what an example of a few lines derives.
            let texts = entry.examples.iter().filter_map(|(rules, _)| faults(rules, "unread"));
            wrong.extend(texts.map(|fault| format!("{}: {fault}", entry.name)));
            continue;
        }
        let (undefined, defined): (Vec<_>, Vec<_>) =
            entry.examples.iter().copied().partition(|(_, gives)| *gives == NO_RESULT);
        let rules = tested(kind, &WordEntry { examples: defined.leak(), ..*entry });
        let found = said("example.dl", &rules, "hence test example.dl");
        if found.contains("[exit") {
            wrong.push(format!("{}: {found}\n{rules}", entry.name));
        }
        for example in undefined {
            let rules = tested(kind, &WordEntry { examples: vec![example].leak(), ..*entry });
            let command = "printf '{\"run\": [\"grep\", 10, true]}\n' | hence derive example_0 --rules example.dl --facts -";
            let found = said("example.dl", &rules, command);
            if !found.contains("no result") {
                wrong.push(format!("{}: {found}\n{rules}", entry.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_builtin_has_an_entry_of_its_kind() {
    let kinds = [
        (WordKind::Function, op::names()),
        (WordKind::Aggregate, aggregate::names()),
        (WordKind::Generator, generator::names()),
    ];
    for (kind, names) in kinds {
        let described = reference::entries().filter(|(found, _)| *found == kind).map(|(_, entry)| entry.name);
        assert_eq!(described.collect::<BTreeSet<_>>(), names.iter().copied().collect(), "{kind}");
    }
}

#[test]
fn a_word_is_explained_and_an_unknown_one_told() {
    let folder = crate::memory::folder();
    let explained = |word: &str| shell(&format!("hence explain '{word}'"), folder.path());
    for (kind, entry) in reference::entries() {
        let text = explained(entry.name);
        assert!(text.contains(&format!("# {}: {kind}\n", entry.name)), "{text}");
        assert!(text.contains(entry.meaning), "{text}");
    }
    assert!(explained("min").contains("# min: aggregate"));
    assert!(explained("captres").contains("did you mean `captures`?\n[exit 2]"));
    let unknown = shell("hence help functons", folder.path());
    assert!(
        unknown.contains("`hence help functions` prints") && unknown.ends_with("[exit 2]\n"),
        "{unknown}"
    );
}

#[test]
fn the_recipes_are_what_ci_runs() {
    let recipes = fs::read_to_string(root().join("justfile")).unwrap();
    let script = fs::read_to_string(root().join(".ci/run")).unwrap();
    let commands = script.lines().filter(|line| line.starts_with("cargo ") || line.contains(" cargo "));
    let missing: Vec<&str> = commands.filter(|command| !recipes.contains(*command)).collect();
    assert!(missing.is_empty(), "the justfile lacks {missing:?}");
}

#[test]
fn the_page_of_the_architecture_names_what_is_there() {
    let page = fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let path = Regex::new(r"`((?:crates|src|tests|rules|docs|benches|examples|fuzz)/[^`\s*…]*)`").unwrap();
    let missing: Vec<String> = path
        .captures_iter(&page)
        .map(|found| found[1].to_owned())
        .filter(|path| !root().join(path).exists())
        .collect();
    assert!(missing.is_empty(), "there is no {missing:?}");
}
