//! A report as one HTML page: nothing is fetched, and each figure has a small chart.

use std::collections::BTreeMap;

use hence_core::value::Value;

use super::{Page, ends, number, shares};

/// How large a chart is.
const SIZE: (f64, f64) = (160.0, 36.0);

const STYLE: &str = "\
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1b; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; width: 100%; } th, td { padding: .3rem .6rem; text-align: right; }
th:first-child, td:first-child { text-align: left; } tr + tr { border-top: 1px solid #e4e4e4; }
svg { vertical-align: middle; } .bar { fill: #3465a4; } .nothing { color: #595959; }
";

impl Page {
    pub(super) fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut text = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
            <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
            <style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        for section in &self.sections {
            text.push_str(&format!("<h2>{}</h2>\n", escaped(&section.title)));
            if section.is_empty() {
                text.push_str("<p class=\"nothing\">Nothing.</p>\n");
            }
            if !section.lines.is_empty() {
                let items = section.lines.iter().map(|line| format!("<li>{}</li>\n", escaped(line)));
                text.push_str(&format!("<ul>\n{}</ul>\n", items.collect::<String>()));
            }
            if !section.figures.is_empty() {
                let rows = section.figures.iter().map(|(figure, values)| row(figure, values));
                text.push_str(&format!(
                    "<table>\n<tr><th>figure</th><th>last</th><th>before</th><th>change</th><th>course</th></tr>\n\
                    {}</table>\n",
                    rows.collect::<String>()
                ));
            }
        }
        text.push_str("</body>\n</html>\n");
        text
    }
}

fn row(figure: &str, values: &BTreeMap<i64, f64>) -> String {
    let (last, before, change) = ends(values);
    format!(
        "<tr><td>{}</td><td>{last}</td><td>{before}</td><td>{change}</td><td>{}</td></tr>\n",
        escaped(figure),
        chart(figure, values)
    )
}

/// A bar for each value, with its span and its value for whoever points at it or has it read aloud.
fn chart(figure: &str, values: &BTreeMap<i64, f64>) -> String {
    let (width, height) = SIZE;
    let step = width / values.len().max(1) as f64;
    let told = |(start, value): (&i64, &f64)| format!("{}: {}", Value::Time(*start).text(), number(*value));
    let bars = values.iter().zip(shares(values)).enumerate().map(|(at, (value, share))| {
        let bar = (share * (height - 1.0)).max(0.0) + 1.0;
        format!(
            "<rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{bar:.1}\"><title>{}</title></rect>",
            at as f64 * step,
            height - bar,
            (step - 2.0).max(1.0),
            told(value)
        )
    });
    let label = values.iter().map(told).collect::<Vec<_>>().join("; ");
    format!(
        "<svg role=\"img\" aria-label=\"{}: {label}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">{}</svg>",
        escaped(figure),
        bars.collect::<String>()
    )
}

/// A text in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\r' => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
