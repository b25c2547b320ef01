//! A compiled pack used from Rust: structs in, structs out, no rule text and no strings for relation names.

use hence::packs::errors::{Error, ErrorSignal, Facts, HandleError, HandleErrorAction, Params};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut facts = Facts::default();
    facts.extend([
        Error { error: String::from("e1"), length: 40 },
        Error { error: String::from("e2"), length: 9_000 },
    ]);
    facts.extend([ErrorSignal { error: String::from("e1"), signal: "/unexpected_token".into() }]);

    let decisions = facts.decide(&Params { long_error: 5_000 })?;
    for HandleError { error, category, action, .. } in &decisions.handle_error {
        let what = match action {
            HandleErrorAction::FixInPlace => "fix it where it is",
            HandleErrorAction::ReplanStep => "plan this step again",
            HandleErrorAction::ReplanAll => "plan everything again",
            HandleErrorAction::Escalate => "ask a human",
        };
        writeln(&format!("{error} is of the kind {}: {what}", category.as_str()))?;
    }
    Ok(())
}

fn writeln(line: &str) -> std::io::Result<()> {
    use std::io::Write;
    writeln!(std::io::stdout(), "{line}")
}
