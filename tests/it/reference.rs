//! The reference of a rule set: the same from run to run, whole, and without links that lead nowhere.

use std::collections::BTreeSet;

use hence::session::reference::Reference;
use hence::session::{Loader, RuleSet, RuleSource, check};
use regex::Regex;

fn packs() -> RuleSet {
    RuleSource::default().build().unwrap()
}

fn found<'a>(text: &'a str, pattern: &str) -> BTreeSet<&'a str> {
    let pattern = Regex::new(pattern).unwrap();
    pattern.captures_iter(text).map(|found| found.get(1).unwrap().as_str()).collect()
}

/// Every element is closed, in the order in which they were opened.
fn well_formed(markup: &str) {
    let tags = Regex::new(r"<(/?)([a-zA-Z0-9]+)[^<>]*?(/?)>").unwrap();
    let mut open = Vec::new();
    for tag in tags.captures_iter(markup) {
        let name = tag[2].to_owned();
        if ["meta", "link"].contains(&name.as_str()) || &tag[3] == "/" {
            continue;
        }
        if &tag[1] == "/" {
            assert_eq!(open.pop(), Some(name), "at byte {}", tag.get(0).unwrap().start());
        } else {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?} is never closed");
}

#[test]
fn every_link_of_the_page_leads_somewhere() {
    let rules = packs();
    let page = Reference::new("packs", &rules).html();
    well_formed(&page);
    let (links, ids) = (found(&page, r##"href="#([^"]*)""##), found(&page, r#"id="([^"]*)""#));
    let lost: Vec<_> = links.difference(&ids).collect();
    assert!(lost.is_empty(), "{lost:?}");
    for relation in rules.program.relations.iter() {
        assert!(ids.contains(format!("relation-{}", relation.name).as_str()), "{}", relation.name);
    }
    for rule in &rules.program.rules {
        assert!(ids.contains(format!("rule-{}", rule.id).as_str()), "{}", rule.id);
    }
}

#[test]
fn every_link_of_the_markdown_leads_to_a_heading() {
    let rules = packs();
    let page = Reference::new("packs", &rules).markdown();
    let links = found(&page, r"\]\(#([^)]*)\)");
    let headings = Regex::new(r"(?m)^### (\w+) `(\w+)`$").unwrap();
    let headings: BTreeSet<String> = headings
        .captures_iter(&page)
        .map(|found| format!("{}-{}", &found[1], found[2].to_ascii_lowercase()))
        .collect();
    let lost: Vec<_> = links.iter().filter(|link| !headings.contains(**link)).collect();
    assert!(!links.is_empty() && lost.is_empty(), "{lost:?}");
}

#[test]
fn the_same_from_run_to_run() {
    let all = || {
        let rules = packs();
        let reference = Reference::new("packs", &rules);
        [reference.markdown(), reference.html(), reference.dot(), reference.mermaid(), reference.svg()]
    };
    assert_eq!(all(), all());
}

#[test]
fn boxes_do_not_overlap_and_lines_end_at_them() {
    let rules = packs();
    let picture = Reference::new("packs", &rules).svg();
    well_formed(&picture);
    let node = Regex::new(r#"<rect x="([-\d.]+)" y="([-\d.]+)" width="([\d.]+)" height="26" rx"#).unwrap();
    let boxes: Vec<[f64; 3]> =
        node.captures_iter(&picture).map(|found| [1, 2, 3].map(|at| found[at].parse().unwrap())).collect();
    assert!(boxes.len() > 150, "{}", boxes.len());
    for (at, [x, y, width]) in boxes.iter().enumerate() {
        assert!(*x >= 0.0 && *y >= 0.0);
        for [other_x, other_y, other_width] in boxes.iter().skip(at + 1) {
            let beside = x + width <= *other_x || other_x + other_width <= *x;
            let below = (y - other_y).abs() >= 26.0;
            assert!(beside || below, "({x}, {y}) overlaps ({other_x}, {other_y})");
        }
    }
    let line = Regex::new(r#"<path class="[a-z ]+" d="M[^"]* ([-\d.]+) ([-\d.]+)" marker-end"#).unwrap();
    let ends: Vec<[f64; 2]> =
        line.captures_iter(&picture).map(|found| [1, 2].map(|at| found[at].parse().unwrap())).collect();
    assert!(ends.len() > 200, "{}", ends.len());
    let level = ends.iter().filter(|[x, y]| {
        boxes.iter().any(|[left, top, _]| (left - x).abs() < 0.2 && (top + 13.0 - y).abs() < 0.2)
    });
    assert!(level.count() * 10 > ends.len() * 9, "most lines end at the left side of a box");
}

#[test]
fn a_long_chain_and_a_wide_relation_are_drawn_in_time() {
    let mut text = String::from("input p0(x: int).\n");
    for at in 1..400 {
        text.push_str(&format!("p{at}(X) :- p{}(X), p0(X).\nwide(X) :- p{at}(X).\n", at - 1));
    }
    let mut loader = Loader::default();
    loader.text("chain.dl", &text);
    let rules = check(loader.finish(), &[]).rules.unwrap();
    let picture = Reference::new("chain", &rules).svg();
    well_formed(&picture);
    assert_eq!(picture.matches("<g class=\"derived\"").count(), 401);
}

#[test]
fn text_of_people_is_text() {
    let text = "## <b>No</b> & `<i>` here.\ninput p(x: string).\n\n@because(\"<u>{X}</u> {{}}\")\nq(X) :- p(X), X != \"</pre><script>\".\n";
    let mut loader = Loader::default();
    loader.text("<file>", text);
    let rules = check(loader.finish(), &[]).rules.unwrap();
    let page = Reference::new("<title>", &rules).html();
    well_formed(&page);
    assert!(!page.contains("<script") && !page.contains("<b>No") && !page.contains("<u>"));
    assert!(page.contains("&lt;b&gt;No&lt;/b&gt; &amp; <code>&lt;i&gt;</code> here."));
    assert!(page.contains("&lt;u&gt;<span class=\"variable\">X</span>&lt;/u&gt; {}"));
}

fn rules(text: &str) -> RuleSet {
    let mut loader = Loader::default();
    loader.text("rules.dl", text);
    *check(loader.finish(), &[]).rules.unwrap()
}

#[test]
fn words_of_rules_are_marked_by_kind() {
    let text = "input seen(t: string, text: string, risk: name, n: float). input q(seen: int).\n\
        param most: float = 0.9.\n\
        used(T) :- # it < all\n    seen(T, \"<a\\\"\", /low, N), N > 0.5, N < most, q(seen: 1 / 2), T != r#\"a\"b\"#.\n";
    let page = Reference::new("rules", &rules(text)).html();
    let class = |kind: &str, word: &str| format!("<span class=\"{kind}\">{word}</span>");
    let wanted = [
        "<pre><a href=\"#relation-used\">used</a>(".to_owned(),
        class("variable", "T"),
        ") :- ".to_owned(),
        class("comment", "# it &lt; all"),
        "\n    <a href=\"#relation-seen\">seen</a>(".to_owned(),
        class("variable", "T"),
        ", ".to_owned(),
        class("string", "&quot;&lt;a\\&quot;&quot;"),
        ", ".to_owned(),
        class("name", "/low"),
        ", ".to_owned(),
        class("variable", "N"),
        "), ".to_owned(),
        class("variable", "N"),
        " &gt; ".to_owned(),
        class("number", "0.5"),
        ", ".to_owned(),
        class("variable", "N"),
        " &lt; <a href=\"#param-most\">most</a>, <a href=\"#relation-q\">q</a>(seen: ".to_owned(),
        class("number", "1"),
        " / ".to_owned(),
        class("number", "2"),
        "), ".to_owned(),
        class("variable", "T"),
        " != ".to_owned(),
        class("string", "r#&quot;a&quot;b&quot;#"),
        ".</pre>".to_owned(),
    ];
    assert!(page.contains(&wanted.concat()), "{page}");
}

#[test]
fn lines_that_cross_are_disentangled() {
    let text = "input a(x: int). input b(x: int). input c(x: int). x(X) :- c(X). y(X) :- b(X). z(X) :- a(X).\n\
        w(X) :- x(X), y(X), z(X).";
    let picture = Reference::new("rules", &rules(text)).svg();
    let node = Regex::new(r#"<rect x="[-\d.]+" y="([-\d.]+)"[^>]*/><text[^>]*>([a-z]+)</text>"#).unwrap();
    let mut boxes: Vec<(f64, String)> =
        node.captures_iter(&picture).map(|found| (found[1].parse().unwrap(), found[2].to_owned())).collect();
    boxes.sort_by(|one, other| one.0.total_cmp(&other.0));
    let order = |of: [&str; 3]| -> Vec<usize> {
        boxes.iter().filter_map(|(_, name)| of.iter().position(|one| *one == name.as_str())).collect()
    };
    // Who is read and who reads it are in the same order.
    assert_eq!((boxes.len(), order(["a", "b", "c"])), (7, order(["z", "y", "x"])), "{picture}");
}
