//! One command from nothing to an explained decision: `hence serve --demo` prints a link, which signs in once.

use std::fs;

use super::{Response, Service};
use crate::command::hence;

/// A demonstration, and the path of the link that it printed.
fn demo(dir: &std::path::Path) -> (Service, String) {
    let mut service = Service::with(dir, &["--demo"]);
    let line = service.hear("open http");
    let link = line.split_whitespace().find(|word| word.starts_with("http")).unwrap();
    let path = link.strip_prefix(&service.base).unwrap().to_owned();
    (service, path)
}

fn cookie(response: &Response) -> String {
    response.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

#[test]
fn the_link_of_a_demonstration_leads_to_an_explained_decision() {
    let dir = crate::memory::folder();
    let (service, link) = demo(dir.path());
    let entered = service.send("GET", &link, &[], "");
    assert_eq!(entered.status, 303, "{entered:?}");
    let flags = entered.header("set-cookie").unwrap();
    assert!(flags.contains("HttpOnly") && flags.contains("SameSite=Strict"), "{flags}");
    let next = entered.header("location").unwrap().to_owned();
    assert!(next.starts_with("/decisions/"), "{next}");
    let shown = service.send("GET", &next, &[("Cookie", &cookie(&entered))], "");
    assert_eq!(shown.status, 200, "{shown:?}");
    assert!(
        shown.body.contains("class=\"proof") && shown.body.contains("Signed in as <b>ada"),
        "{}",
        shown.body
    );
    let reviews = service.send("GET", "/reviews", &[("Cookie", &cookie(&entered))], "");
    assert!(reviews.body.contains("payment-7"), "something waits for a person: {}", reviews.body);
    assert!(
        fs::read_dir(dir.path()).unwrap().next().is_none(),
        "nothing is left in the folder it was started in"
    );
}

#[test]
fn performance_shows_by_domain() {
    let dir = crate::memory::folder();
    let (service, link) = demo(dir.path());
    let cookie = cookie(&service.send("GET", &link, &[], ""));
    let shown = service.send("GET", "/performance", &[("Cookie", &cookie)], "").body;
    let section = |from: &str, to: &str| {
        shown.split_once(&format!("<h2>{from}</h2>")).unwrap().1.split(to).next().unwrap().to_owned()
    };
    let (crypto, all) = (section("Crypto", "</section>"), section("All domains", "</section>"));
    let runs = |section: &str| {
        let row = section.split("<b>price feed</b>").nth(1).unwrap();
        row.split("data-label=\"Runs\"><span class=\"number\">")
            .nth(1)
            .unwrap()
            .split('<')
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!((runs(&crypto).as_str(), runs(&all).as_str()), ("84", "102"));
    let map = service.send("GET", "/map", &[("Cookie", &cookie)], "").body;
    let usefulness = map.split_once("id=\"relation-usefulness\"").unwrap().1.split("</li>").next().unwrap();
    assert!(usefulness.contains("reads") && usefulness.contains("read by"), "{usefulness}");
    assert!(usefulness.contains("href=\"#relation-plain-score\""), "{usefulness}");
}

#[test]
fn a_link_signs_in_once_and_is_no_token() {
    let dir = crate::memory::folder();
    let (service, link) = demo(dir.path());
    let code = link.split("code=").nth(1).unwrap().split('&').next().unwrap();
    let bearer = format!("Bearer {code}");
    assert_eq!(service.send("GET", "/v1/status", &[("Authorization", &bearer)], "").status, 401);
    let wrong = service.send("GET", "/sign-in?code=guessed&next=/", &[], "");
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, None), "{wrong:?}");
    assert_eq!(service.send("GET", &link, &[], "").status, 303);
    let again = service.send("GET", &link, &[], "");
    assert_eq!((again.status, again.header("set-cookie")), (401, None), "{again:?}");
    assert!(again.body.contains("followed already"), "{}", again.body);
}

#[test]
fn who_is_no_terminal_is_told_no_link_and_who_asks_gets_a_token_that_ends_with_the_service() {
    let dir = super::folder();
    let service = Service::new(dir.path());
    assert!(!dir.path().join(".hence/tokens.jsonl").exists(), "no token was made");
    drop(service);
    let mut service = Service::with(dir.path(), &["--link"]);
    let line = service.hear("open http");
    assert!(line.contains("&next=/ "), "{line}");
    let kept = fs::read_to_string(dir.path().join(".hence/tokens.jsonl")).unwrap();
    let code = line.split("code=").nth(1).unwrap().split('&').next().unwrap();
    assert!(kept.contains("\"expires\"") && !kept.contains(code), "{kept}");
    #[cfg(unix)]
    {
        let stopped =
            std::process::Command::new("kill").arg(service.process.id().to_string()).status().unwrap();
        assert!(stopped.success() && service.process.wait().unwrap().success());
        assert_eq!(fs::read_to_string(dir.path().join(".hence/tokens.jsonl")).unwrap(), "");
    }
}

#[test]
fn a_demonstration_takes_no_store_and_no_rules() {
    let dir = super::folder();
    for args in [["--store", "here"], ["--rules", "retry.dl"]] {
        let refused = hence(dir.path(), &[&["serve", "--demo"], &args[..]].concat()).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{args:?}");
    }
}

/// What a demonstration that was killed has left is in nobody's way, though its process number comes again.
#[test]
fn what_a_killed_demonstration_left_is_in_nobodys_way() {
    let dir = crate::memory::folder();
    let process = std::process::id();
    for number in process..process + 3_000 {
        fs::create_dir(dir.path().join(format!("hence-demo-{number}"))).unwrap();
    }
    let service = Service::begin(dir.path(), &["--demo"], &[("TMPDIR", dir.path().to_str().unwrap())]);
    assert_eq!(service.send("GET", "/healthz", &[], "").status, 200);
}

/// The folder that a demonstration is started in has nothing to say about it: other rules, other relations.
#[test]
fn a_demonstration_begins_in_any_folder() {
    let dir = crate::memory::folder();
    let settings = "rules = [\"none.dl\"]\n[authzen]\ndecision = \"permit(who = $subject.id)\"\n";
    for settings in [settings, "no settings"] {
        fs::write(dir.path().join("hence.toml"), settings).unwrap();
        let (service, link) = demo(dir.path());
        assert_eq!(service.send("GET", &link, &[], "").status, 303);
    }
}
