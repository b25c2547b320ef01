//! The rule editor: a text is checked and tested before it can be saved, and saved only by whom that is given to.

use std::fs;

use super::page::Browser;
use super::{RULES, Service, folder};

const TEST: &str =
    "\ntest \"a third try is too many\" {\n    given failed(\"j\", 3).\n    expect !retry(\"j\").\n}\n";

/// A text as a form sends it.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The value of a hidden field.
fn hidden(page: &str, name: &str) -> String {
    let from =
        page.split_once(&format!("name=\"{name}\" value=\"")).unwrap_or_else(|| panic!("no {name}: {page}"));
    from.1.split_once('"').unwrap().0.to_owned()
}

struct Editor<'s> {
    browser: Browser<'s>,
    page: String,
}

impl<'s> Editor<'s> {
    fn new(service: &'s Service) -> Self {
        let browser = Browser::new(service, "ada", "read,admin");
        let files = browser.read("/edit");
        let file = files.split_once("href=\"/edit?file=").unwrap().1.split_once('"').unwrap().0.to_owned();
        let page = browser.read(&format!("/edit?file={file}"));
        Self { browser, page }
    }

    fn send(&self, text: &str, step: &str) -> super::Response {
        let field = |name| encoded(&hidden(&self.page, name));
        let body = format!(
            "seal={}&file={}&base={}&step={step}&text={}",
            field("seal"),
            field("file"),
            field("base"),
            encoded(text)
        );
        self.browser.post("/edit/check", &[], &body)
    }
}

#[test]
fn a_fault_is_shown_at_its_line_and_nothing_is_saved() {
    let dir = folder();
    let service = Service::new(dir.path());
    let editor = Editor::new(&service);
    assert!(editor.page.contains("param most: int = 3"), "{}", editor.page);
    let faulty = RULES.replace("retry(Job) :- failed(Job, Tries)", "retry(Job) :- faild(Job, Tries)");
    let line = 1 + faulty.lines().position(|line| line.contains("faild")).unwrap();
    let checked = editor.send(&faulty, "check").body;
    assert!(
        checked.contains(&format!("line {line} ")) && checked.contains("did you mean `failed`"),
        "{checked}"
    );
    assert!(!checked.contains("value=\"save\""), "what has faults can't be saved: {checked}");
    assert_eq!(editor.send(&faulty, "save").status, 422);
    assert_eq!(fs::read_to_string(dir.path().join("retry.dl")).unwrap(), RULES);
}

#[test]
fn tests_of_the_text_run_and_a_second_step_saves_it() {
    let dir = folder();
    let service = Service::new(dir.path());
    let caller = service.all();
    let editor = Editor::new(&service);
    let lax = format!("{}{TEST}", RULES.replace("most: int = 3", "most: int = 9"));
    let checked = editor.send(&lax, "check").body;
    assert!(checked.contains("1 test of 1 fail") && checked.contains("a third try is too many"), "{checked}");
    let sound = format!("{RULES}{TEST}");
    let checked = editor.send(&sound, "check").body;
    assert!(checked.contains("1 test passes") && checked.contains("value=\"save\""), "{checked}");
    assert_eq!(fs::read_to_string(dir.path().join("retry.dl")).unwrap(), RULES, "checking saves nothing");
    let saved = editor.send(&sound, "save");
    assert_eq!(saved.status, 303, "{saved:?}");
    assert_eq!(fs::read_to_string(dir.path().join("retry.dl")).unwrap(), sound);
    // What was opened before that is not what is there now.
    assert_eq!(editor.send(RULES, "save").status, 409);
    drop(caller);
}

#[test]
fn who_may_not_keep_the_service_looks_only() {
    let dir = folder();
    let service = Service::new(dir.path());
    let browser = Browser::new(&service, "eve", "read,write");
    let files = browser.read("/edit");
    let file = files.split_once("href=\"/edit?file=").unwrap().1.split_once('"').unwrap().0;
    let page = browser.read(&format!("/edit?file={file}"));
    assert!(page.contains("readonly") && !page.contains("value=\"check\""), "{page}");
    let body = format!("seal={}&file=retry.dl&base=x&step=save&text=", hidden(&page, "seal"));
    assert_eq!(browser.post("/edit/check", &[], &body).status, 403);
    assert_eq!(fs::read_to_string(dir.path().join("retry.dl")).unwrap(), RULES);
    let outside = browser.get("/edit?file=..%2F..%2Fetc%2Fpasswd");
    assert_eq!(outside.status, 404, "{outside:?}");
}
