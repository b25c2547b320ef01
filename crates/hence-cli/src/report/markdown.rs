//! A report in Markdown: a list of lines and a table of figures for each section.

use super::{Page, ends, shares};

/// The bars of a row of figures, from nothing to the most.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

impl Page {
    pub(super) fn markdown(&self) -> String {
        let mut text = format!("# {}\n", escaped(&self.title));
        for section in &self.sections {
            text.push_str(&format!("\n## {}\n\n", escaped(&section.title)));
            if section.is_empty() {
                text.push_str("Nothing.\n");
            }
            for line in &section.lines {
                text.push_str(&format!("- {}\n", escaped(line)));
            }
            if section.figures.is_empty() {
                continue;
            }
            if !section.lines.is_empty() {
                text.push('\n');
            }
            text.push_str(
                "| figure | last | before | change | course |\n| --- | ---: | ---: | ---: | --- |\n",
            );
            for (figure, values) in &section.figures {
                let (last, before, change) = ends(values);
                let bars: String = shares(values).into_iter().map(bar).collect();
                let figure = escaped(figure);
                text.push_str(&format!("| {figure} | {last} | {before} | {change} | {bars} |\n"));
            }
        }
        text
    }
}

fn bar(share: f64) -> char {
    let step = (share * 7.0).round();
    let reached = BARS.into_iter().enumerate().take_while(|(at, _)| *at as f64 <= step);
    reached.fold(' ', |_, (_, bar)| bar)
}

/// A text in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' => {
                out.extend(['\\', letter])
            }
            '\n' | '\r' => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
