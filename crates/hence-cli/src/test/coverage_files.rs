//! Coverage as files: LCOV for editors and build servers, JSON, and one HTML page.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use hence_ruletest::coverage::{Coverage, FileCoverage, Point, PointKind, Share};

use super::coverage::{messages, percent};

/// LCOV: a line for each rule and literal, a branch for each way that a literal or condition can go.
pub(super) fn lcov(coverage: &Coverage) -> String {
    let mut out = String::new();
    for file in &coverage.files {
        let _ = writeln!(out, "TN:\nSF:{}", file.name);
        for point in file.points.iter().filter(|point| point.kind == PointKind::Rule) {
            let _ = writeln!(out, "FN:{},{}\nFNDA:{},{}", point.line, point.rule, point.hits, point.rule);
        }
        let rules = file.kind(|kind| kind == PointKind::Rule);
        let _ = writeln!(out, "FNF:{}\nFNH:{}", rules.all, rules.reached);
        let branches: Vec<&Point> = file.points.iter().filter(|point| is_branch(point)).collect();
        for (number, point) in branches.iter().enumerate() {
            let _ = writeln!(out, "BRDA:{},0,{number},{}", point.line, point.hits);
        }
        let reached = branches.iter().filter(|point| point.hits > 0).count();
        let _ = writeln!(out, "BRF:{}\nBRH:{reached}", branches.len());
        for (line, hits) in file.lines() {
            let _ = writeln!(out, "DA:{line},{hits}");
        }
        let lines = file.line_share();
        let _ = writeln!(out, "LF:{}\nLH:{}\nend_of_record", lines.all, lines.reached);
    }
    out
}

fn is_branch(point: &Point) -> bool {
    !matches!(point.kind, PointKind::Rule | PointKind::Sentence) && !point.binds
}

/// The name of a kind in JSON.
fn kind(kind: PointKind) -> &'static str {
    match kind {
        PointKind::Rule => "rule",
        PointKind::Satisfied => "satisfied",
        PointKind::Refused => "refused",
        PointKind::Holds => "holds",
        PointKind::Fails => "fails",
        PointKind::Boundary => "boundary",
        PointKind::LeftOut => "left_out",
        PointKind::Sentence => "sentence",
    }
}

fn share(share: Share) -> Json {
    json!({ "reached": share.reached, "all": share.all, "percent": share.percent() })
}

/// One JSON document: every point of every file with its hits.
pub(super) fn json(coverage: &Coverage) -> Json {
    let files: Vec<Json> = coverage
        .files
        .iter()
        .map(|file| {
            let points: Vec<Json> = file
                .points
                .iter()
                .map(|point| {
                    json!({
                        "kind": kind(point.kind), "rule": point.rule, "line": point.line,
                        "text": if matches!(point.kind, PointKind::Rule | PointKind::Sentence) { "" } else { &point.text },
                        "counts": !point.binds, "hits": point.hits,
                    })
                })
                .collect();
            json!({
                "file": file.name, "pack": file.pack(), "total": share(file.total()),
                "lines": share(file.line_share()),
                "boundaries": share(file.kind(PointKind::is_boundary)), "points": points,
            })
        })
        .collect();
    json!({ "total": share(coverage.total()), "files": files })
}

/// The look of the page.
const STYLE: &str = "body{font:14px system-ui,sans-serif;margin:2rem auto;max-width:70rem;color:#222;background:#fff}\
    table{border-collapse:collapse}td,th{padding:.2rem .8rem;text-align:right}td:first-child,th:first-child{text-align:left}\
    pre{margin:0;font:13px ui-monospace,monospace;white-space:pre-wrap}.l{display:flex}.n{width:4rem;text-align:right;\
    padding-right:1rem;color:#777;flex:none}.ok{background:#e6f6e6}.no{background:#fdeaea}.gap{color:#8a4b00;\
    background:#fff5df;padding-left:5rem}summary{cursor:pointer;margin:.6rem 0}\
    @media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}.ok{background:#16301a}.no{background:#3a1a1a}\
    .gap{color:#ffce85;background:#33270f}}";

/// One HTML page: a table, and every file with what no test reaches beside its line.
pub(super) fn html(coverage: &Coverage) -> String {
    let mut out = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>Coverage of rules</title><style>{STYLE}</style>\
         <h1>Coverage of rules: {}</h1><table><tr><th>file</th><th>lines</th><th>refusals</th>\
         <th>boundaries</th><th>sentences</th><th>all</th></tr>",
        percent(coverage.total())
    );
    for (at, file) in coverage.files.iter().enumerate() {
        let cells = [
            file.line_share(),
            file.kind(|kind| kind == PointKind::Refused),
            file.kind(PointKind::is_boundary),
            file.kind(|kind| kind == PointKind::Sentence),
            file.total(),
        ];
        let cells: String = cells.iter().map(|share| format!("<td>{}</td>", percent(*share))).collect();
        let _ = write!(out, "<tr><td><a href=\"#f{at}\">{}</a></td>{cells}</tr>", escape(&file.name));
    }
    out.push_str("</table>");
    for (at, file) in coverage.files.iter().enumerate() {
        page_of(&mut out, at, file);
    }
    out.push_str("</html>\n");
    out
}

fn page_of(out: &mut String, at: usize, file: &FileCoverage) {
    let lines = file.lines();
    let mut gaps: BTreeMap<usize, Vec<&Point>> = BTreeMap::new();
    file.gaps()
        .filter(|point| !point.binds)
        .for_each(|point| gaps.entry(point.line).or_default().push(point));
    let open = if gaps.is_empty() { "" } else { " open" };
    let _ = write!(
        out,
        "<details id=\"f{at}\"{open}><summary>{} ({})</summary><pre>",
        escape(&file.name),
        percent(file.total())
    );
    for (index, text) in file.text.lines().enumerate() {
        let number = index + 1;
        let class = match lines.get(&number) {
            Some(0) => " no",
            Some(_) => " ok",
            None => "",
        };
        let _ = write!(
            out,
            "<div class=\"l{class}\"><span class=\"n\">{number}</span><span>{}</span></div>",
            escape(text)
        );
        for gap in gaps.get(&number).map(|points| messages(points)).unwrap_or_default() {
            let _ = write!(out, "<div class=\"gap\">{}</div>", escape(&gap));
        }
    }
    out.push_str("</pre></details>");
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
