//! Rust as text: what `rustfmt` would leave as it is, and constants that are made once.

use hence_core::symbol::Symbol;

/// The width of a line.
const WIDTH: usize = 110;

/// An item, whose lines keep their breaks where `rustfmt` would break others once it is `depth` modules deep.
pub(super) fn item(text: &str, depth: usize) -> String {
    let width = WIDTH - 4 * depth;
    let fits = text.lines().all(|line| line.len() <= width || line.trim_start().starts_with("//"));
    if fits {
        text.to_owned()
    } else {
        format!(
            "#[rustfmt::skip]
{text}"
        )
    }
}

/// The text one module deeper.
pub(super) fn indented(text: &str) -> String {
    let line = |line: &str| {
        if line.is_empty() {
            String::from(
                "
",
            )
        } else {
            format!(
                "    {line}
"
            )
        }
    };
    text.lines().map(line).collect()
}

/// Lines of a doc comment, indented.
pub(super) fn doc(text: &str, otherwise: &str, indent: &str) -> String {
    let text = if text.trim().is_empty() { otherwise } else { text };
    let line = |line: &str| format!("{indent}/// {}", line.trim()).trim_end().to_owned() + "\n";
    text.lines().map(line).collect()
}

/// `items` between brackets: on one line if it fits after `before`, else one a line.
pub(super) fn list(before: &str, open: &str, items: &[String], close: &str, after: &str) -> String {
    let (left, right) = if open.ends_with('{') {
        (format!("{open} "), format!(" {close}"))
    } else {
        (open.to_owned(), close.to_owned())
    };
    let line = format!("{before}{left}{}{right}{after}", items.join(", "));
    if line.len() <= WIDTH {
        return line + "\n";
    }
    let indent = " ".repeat(before.len() - before.trim_start().len());
    let items: String = items.iter().map(|item| format!("{indent}    {item},\n")).collect();
    format!("{before}{open}\n{items}{indent}{close}{after}\n")
}

/// Texts and patterns of a rule set, each once, in the order of their first use.
#[derive(Default)]
pub(super) struct Constants {
    texts: Vec<Symbol>,
    patterns: Vec<Symbol>,
}

impl Constants {
    /// The place of a text.
    pub(super) fn text(&mut self, text: Symbol) -> usize {
        place(&mut self.texts, text)
    }

    /// The place of a pattern.
    pub(super) fn pattern(&mut self, source: Symbol) -> usize {
        place(&mut self.patterns, source)
    }

    /// The tables, those that are needed.
    pub(super) fn show(&self) -> String {
        let mut out = String::new();
        for (name, kind, all) in [("TEXTS", "Texts", &self.texts), ("PATTERNS", "Patterns", &self.patterns)] {
            if all.is_empty() {
                continue;
            }
            let lines: String = all.iter().map(|text| format!("    {:?},\n", text.as_str())).collect();
            let text = format!("static {name}: {kind} = {kind}::new(&[\n{lines}]);\n");
            out.push_str(&format!("#[rustfmt::skip]\n{text}\n"));
        }
        out
    }
}

fn place(all: &mut Vec<Symbol>, text: Symbol) -> usize {
    all.iter().position(|known| *known == text).unwrap_or_else(|| {
        all.push(text);
        all.len() - 1
    })
}
