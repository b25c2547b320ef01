//! A page of help on a terminal: its Markdown as lines that fit, rows of tables as entries, links as their text.

use std::fmt::Write as _;

use anstyle::Style;

use super::super::output;

/// What tells a code block from the text around it, and an entry's parts from its name.
const INDENT: &str = "    ";

/// The page in lines of at most `width` columns, but for code and for words that are longer.
pub(super) fn on_terminal(page: &str, width: usize) -> String {
    let mut shown = Shown { out: String::new(), paragraph: String::new(), width };
    let (mut in_code, mut before) = (false, "");
    for line in page.lines() {
        if line.starts_with("```") {
            shown.end();
            in_code = !in_code;
        } else if in_code {
            let _ = writeln!(shown.out, "{INDENT}{line}");
        } else if let Some(title) = line.strip_prefix('#') {
            shown.end();
            let (title, bold) = (links_out(title.trim_start_matches('#').trim()), Style::new().bold());
            let _ = writeln!(shown.out, "{bold}{title}{bold:#}");
        } else if line.starts_with('|') {
            shown.end();
            // The header, and the line below it.
            if before.starts_with('|') && !is_rule(line) {
                shown.entry(line);
            }
        } else if line.trim().is_empty() {
            shown.end();
            shown.gap();
        } else {
            shown.text(line);
        }
        before = line;
    }
    shown.end();
    shown.out
}

/// Whether a line of a table divides its header from its rows.
fn is_rule(line: &str) -> bool {
    line.chars().all(|c| "|-: ".contains(c))
}

/// What is shown so far, and the paragraph that is still read.
struct Shown {
    out: String,
    paragraph: String,
    width: usize,
}

impl Shown {
    /// A line of a paragraph, or the first one of an item of a list.
    fn text(&mut self, line: &str) {
        if ["- ", "* "].iter().any(|mark| line.trim_start().starts_with(mark)) {
            self.end();
        }
        if self.paragraph.is_empty() {
            self.paragraph.push_str(line);
        } else {
            self.paragraph.push(' ');
            self.paragraph.push_str(line.trim_start());
        }
    }

    /// Ends the paragraph.
    fn end(&mut self) {
        let paragraph = std::mem::take(&mut self.paragraph);
        let text = paragraph.trim_start();
        let margin = paragraph.len() - text.len();
        let hanging = if text.starts_with("- ") || text.starts_with("* ") { margin + 2 } else { margin };
        self.wrapped(&links_out(text), (margin, hanging));
    }

    /// One empty line.
    fn gap(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with("\n\n") {
            self.out.push('\n');
        }
    }

    /// A row of a table: the first cell, and the others below it.
    fn entry(&mut self, row: &str) {
        let mut cells = cells(row).into_iter();
        let name = cells.next().unwrap_or_default();
        self.gap();
        self.wrapped(&links_out(&name.replace('`', "")), (0, INDENT.len()));
        for part in cells.flat_map(|cell| cell.split("<br>").map(str::to_owned).collect::<Vec<_>>()) {
            self.wrapped(&links_out(&plain(&part)), (INDENT.len(), INDENT.len()));
        }
    }

    /// Text broken between words, with so much room before the first line and before the others.
    fn wrapped(&mut self, text: &str, (first, others): (usize, usize)) {
        if !text.is_empty() {
            let line = format!("{:first$}{text}", "");
            let _ = writeln!(self.out, "{}", output::wrapped(&line, self.width, others));
        }
    }
}

/// The cells of a row; `\|` is no border.
fn cells(row: &str) -> Vec<String> {
    let inner = row.trim().trim_start_matches('|');
    let mut cells = vec![String::new()];
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, cells.last_mut()) {
            ('|', _) => cells.push(String::new()),
            ('\\', Some(cell)) if chars.peek() == Some(&'|') => cell.extend(chars.next()),
            (c, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    cells.pop();
    cells.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Text that is code as a whole, without its marks.
fn plain(text: &str) -> String {
    let inner = text.trim().strip_prefix('`').and_then(|text| text.strip_suffix('`'));
    inner.filter(|inner| !inner.contains('`')).unwrap_or(text).to_owned()
}

/// Text with the words of its links alone: `[words](page.md#place)`.
fn links_out(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some((before, after)) = rest.split_once('[') {
        let link = after.split_once("](").and_then(|(words, target)| {
            let (_, after) = target.split_once(')')?;
            (!words.contains(['[', ']'])).then_some((words, after))
        });
        out.push_str(before);
        match link {
            Some((words, after)) => {
                out.push_str(words);
                rest = after;
            }
            None => {
                out.push('[');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}
