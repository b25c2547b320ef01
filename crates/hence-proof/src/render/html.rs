//! A proof as one self-contained HTML file: a list of steps that fold, linked where several need one.

use hence_core::fault::OrBroken;
use hence_core::literal::visible;
use hence_lang::ir::Program;

use super::super::proof::{AggregateMatch, Derived, Premise, Proof, Step, StepId, StepKind};
use super::text;

/// How many of the first steps are open when the page is.
const OPEN: usize = 12;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;\
color:#222;background:#fff}details{border-left:3px solid #ccd;margin:.4em 0;padding:.2em .8em}\
summary{cursor:pointer;font-weight:600}ul{margin:.3em 0;padding-left:1.4em}code{font-size:.92em}\
.by{color:#667;font-size:.9em}.leaf{border-left-color:#7a7}:target{background:#ffd}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181a1f}.by{color:#99a}:target{background:#443}}";

/// The whole file. Steps follow one another, so that a deep proof needs no deep page.
pub fn html(proof: &Proof, program: &Program) -> String {
    let root = proof.root().or_broken("a proof begins with the fact that it proves");
    let title = text::fact_text(program, &root.fact);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style>\
         </head><body>\n<h1>Why <code>{title}</code>?</h1>\n",
        title = escape(&title)
    );
    for (at, step) in proof.steps.iter().enumerate() {
        if let StepKind::Derived(derived) = &step.kind {
            out.push_str(&rule(proof, program, at, step, derived));
        }
    }
    if proof.root().is_some_and(|step| !matches!(step.kind, StepKind::Derived(_))) {
        out.push_str(&leaf(program, proof.root()));
    }
    out.push_str("</body></html>\n");
    out
}

fn rule(proof: &Proof, program: &Program, at: usize, step: &Step, derived: &Derived) -> String {
    let fact = escape(&text::step_text(program, step));
    let open = if at < OPEN { " open" } else { "" };
    let head = match &derived.sentence {
        Some(sentence) => format!("{}</summary>\n<div><code>{fact}</code></div>", escape(sentence)),
        None => format!("<code>{fact}</code></summary>"),
    };
    let bindings = text::step_bindings(program, derived).map(|text| format!("; {text}")).unwrap_or_default();
    let by = escape(&format!("{}{bindings}", text::rule_text(derived)));
    let premises = list(proof, program, &derived.premises);
    format!("<details id=\"s{at}\"{open}><summary>{head}\n<div class=\"by\">{by}</div>{premises}</details>\n")
}

fn list(proof: &Proof, program: &Program, premises: &[Premise]) -> String {
    let items = text::told(premises).map(|premise| match premise {
        Premise::Fact(id) => format!("<li>{}</li>", link(proof, program, *id)),
        Premise::Aggregate(group) => {
            let inputs =
                group.inputs.iter().map(|input| format!("<li>{}</li>", entry(proof, program, input)));
            let left = group.matches.saturating_sub(group.inputs.len());
            let more = if left > 0 { format!("<li>… and {left} more</li>") } else { String::new() };
            let text = escape(&text::premise_text(program, premise));
            format!("<li>{text}<ul>{}{more}</ul></li>", inputs.collect::<String>())
        }
        other => format!("<li>{}</li>", escape(&text::premise_text(program, other))),
    });
    format!("<ul>{}</ul>", items.collect::<String>())
}

/// A match of a group: the facts in a row, conditions after them.
fn entry(proof: &Proof, program: &Program, input: &AggregateMatch) -> String {
    let parts = input.premises.iter().map(|premise| match premise {
        Premise::Fact(id) => link(proof, program, *id),
        other => escape(&text::premise_text(program, other)),
    });
    parts.collect::<Vec<_>>().join("; ")
}

fn link(proof: &Proof, program: &Program, id: StepId) -> String {
    match proof.step(id) {
        Some(step @ Step { kind: StepKind::Derived(_), .. }) => {
            let fact = escape(&text::step_text(program, step));
            format!("<a href=\"#s{}\"><code>{fact}</code></a>", id.0)
        }
        step => leaf(program, step),
    }
}

fn leaf(program: &Program, step: Option<&Step>) -> String {
    let step = step.or_broken(StepId::INVARIANT);
    let fact = escape(&text::step_text(program, step));
    format!("<code>{fact}</code> <span class=\"by\">{}</span>", escape(&text::ground(step)))
}

fn escape(text: &str) -> String {
    visible(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
