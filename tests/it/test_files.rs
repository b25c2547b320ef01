//! Which rule files take part: those of tests (`*_test.dl`) in nothing that is decided, links to elsewhere never unsaid.

use std::fs;

use super::settings::{BROKEN, RULES, Ran, folder, run};

#[test]
fn files_of_tests_take_no_part_in_what_is_decided() {
    let test = "import \"a.dl\".\nbig(X) :- n(X), X = 3.\nhelper(X) :- n(X).\n\
                test \"seven\" { given n(7). expect big(7). helper(7). }\n";
    let other =
        "import \"a.dl\".\nhelper(X) :- n(X), X > 100.\ntest \"none\" { given n(7). expect no helper(_). }\n";
    let project = folder(&[
        ("hence.toml", ""),
        ("rules/a.dl", &RULES.replace("int = 1", "int = 5")),
        ("rules/a_test.dl", test),
        ("rules/b_test.dl", other),
        ("f.jsonl", "{\"n\": [3]}\n{\"n\": [7]}\n"),
    ]);
    let derived = |args: &[&str]| {
        run(project.path(), &[&["derive", "--facts", "f.jsonl", "--format", "jsonl"], args].concat(), &[], "")
    };
    for args in [&[][..], &["--rules", "rules"], &["--rules", "rules/a.dl"]] {
        let Ran(status, out, said) = derived(args);
        assert_eq!((status, out.as_str()), (0, "{\"big\": [7]}\n"), "{args:?}\n{said}");
    }
    let Ran(status, _, said) = derived(&["--rules", "rules/a_test.dl"]);
    assert!(status == 2 && said.contains("`rules/a_test.dl` is a test file"), "{said}");
    let Ran(status, out, said) = run(project.path(), &["test"], &[], "");
    assert!(status == 0 && out.contains("3 passed in 3 files"), "{out}{said}");
    let Ran(status, _, said) = run(project.path(), &["fmt", "--check"], &[], "");
    assert!(status == 1 && said.contains("2 files would change"), "{said}");
    fs::write(project.path().join("rules/c.dl"), "import \"a_test.dl\".\n").unwrap();
    let Ran(status, _, said) = derived(&[]);
    assert!(
        status == 2 && said.contains("`a_test.dl` is a test file, which only test files can import"),
        "{said}"
    );
    fs::remove_file(project.path().join("rules/c.dl")).unwrap();
    fs::write(
        project.path().join("rules/b_test.dl"),
        "import \"a.dl\".\ntest \"none\" { expect no bog(_). }\n",
    )
    .unwrap();
    let Ran(status, _, said) = run(project.path(), &["check"], &[], "");
    assert!(status == 1 && said.contains("rules/b_test.dl:2:"), "a faulty file of tests is found: {said}");
    assert_eq!(derived(&[]).0, 0, "and is no matter of what decides");
}

#[test]
fn a_link_to_rules_elsewhere_is_not_left_out_unsaid() {
    let project = folder(&[("rules/a.dl", RULES), ("shared/b.dl", BROKEN)]);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../shared", project.path().join("rules/shared")).unwrap();
        let Ran(status, _, said) = run(project.path(), &["check"], &[], "");
        assert!(status == 2 && said.contains("`rules/shared` is a link to a folder elsewhere"), "{said}");
    }
    assert_eq!(run(project.path(), &["check", "rules/a.dl"], &[], "").0, 0);
}
