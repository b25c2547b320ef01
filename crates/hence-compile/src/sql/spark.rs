//! What Spark alone writes: texts in its escapes, exact quotients, and a recursion as a loop.

use std::fmt::Write as _;

use super::dialect::Dialect;

/// A text between quotes.
///
/// Only printable ASCII stands as it is: what reads a script for Spark may know another encoding, and leaves out lines
/// that begin like comments. `$` begins what Spark replaces by the value of a setting.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("'");
    for c in text.chars() {
        let _ = match c {
            '\'' | '\\' => write!(out, "\\{c}"),
            ' '..='#' | '%'..='~' => write!(out, "{c}"),
            ..='\u{ffff}' => write!(out, "\\u{:04x}", u32::from(c)),
            _ => write!(out, "\\U{:08x}", u32::from(c)),
        };
    }
    out.push('\'');
    out
}

/// Whole numbers divided towards zero. Of what divides evenly, a decimal is exact; `DIV` wraps beyond 64 bits.
pub(super) fn quotient(left: &str, right: &str) -> String {
    let wide = Dialect::Spark.wide();
    format!("CAST((CAST({left} AS {wide}) - CAST({left} AS {wide}) % {right}) / {right} AS {wide})")
}

/// The value beside the least or greatest one; the least of several; NULL of no matches, which make no row.
pub(super) fn first(value: &str, by: &str, descending: bool) -> String {
    let (before, after) = if descending { (">", "<") } else { ("<", ">") };
    format!(
        "GET(ARRAY_SORT(COLLECT_LIST(STRUCT({by} AS k, {value} AS a)), (l, r) -> CASE WHEN l.k {before} r.k THEN -1 \
         WHEN l.k {after} r.k THEN 1 WHEN l.a < r.a THEN -1 WHEN l.a > r.a THEN 1 ELSE 0 END), 0).a"
    )
}

/// A relation of a recursion.
pub(super) struct Grown {
    /// Its table.
    pub(super) table: String,
    /// The table of its facts with the round that found each.
    pub(super) found: String,
    /// The columns of its table as they are declared, and their names.
    pub(super) declared: String,
    pub(super) columns: String,
    /// Queries for the facts that it begins with.
    pub(super) facts: Vec<String>,
    /// Queries for those that follow from one that the last round found.
    pub(super) steps: Vec<String>,
}

impl Grown {
    /// The facts that the last round found, for a step to read.
    pub(super) fn last(found: &str) -> String {
        format!("(SELECT * FROM {found} WHERE `_at` = `_round`)")
    }

    fn begin(&self) -> String {
        let Self { table, found, declared, columns, facts, .. } = self;
        let create = format!("CREATE TABLE {found} ({declared}, `_at` BIGINT NOT NULL);\n");
        if facts.is_empty() {
            return create;
        }
        let facts = facts.join("\nUNION\n");
        format!(
            "{create}INSERT INTO {found}\nSELECT f.*, CAST(0 AS BIGINT) FROM (\n{facts}\n) AS f;\n\
             INSERT INTO {table}\nSELECT {columns} FROM {found}\nEXCEPT\nSELECT * FROM {table};\n"
        )
    }

    fn step(&self) -> String {
        let Self { table, found, columns, steps, .. } = self;
        if steps.is_empty() {
            return String::new();
        }
        let steps = steps.join("\nUNION\n");
        format!(
            "INSERT INTO {found}\nSELECT f.*, `_round` + 1 FROM (\n({steps})\nEXCEPT\nSELECT * FROM {table}\n) AS f;\n\
             INSERT INTO {table} SELECT {columns} FROM {found} WHERE `_at` = `_round` + 1;\n"
        )
    }
}

/// Rounds, each from the facts that the one before found, until one finds none.
pub(super) fn recursion(relations: &[Grown]) -> String {
    let begin: String = relations.iter().map(Grown::begin).collect();
    let steps: String = relations.iter().map(Grown::step).collect();
    let last = |one: &Grown| format!("(SELECT COUNT(*) FROM {} AS f)", Grown::last(&one.found));
    let last: Vec<String> = relations.iter().map(last).collect();
    let end: String = relations.iter().map(|one| format!("DROP TABLE {};\n", one.found)).collect();
    format!(
        "BEGIN\nDECLARE `_round` BIGINT DEFAULT 0;\n{begin}WHILE {} > 0 DO\n{steps}SET `_round` = `_round` + 1;\n\
         END WHILE;\n{end}END;\n",
        last.join(" + ")
    )
}
