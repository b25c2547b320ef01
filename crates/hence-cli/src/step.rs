//! `hence why --step`: a proof one step at a time; what a line of standard input names is shown next.

use std::io::{self, Write};

use hence_core::fault::OrBroken;
use hence_lang::ir::Program;
use hence_proof::proof::{Proof, StepId, StepKind};
use hence_proof::render::{self, Layout};

use super::lines::read_line;
use super::{output, terminal};

/// What a line asks for.
enum Move {
    /// A step below the one shown, by its number from 1.
    Down(usize),
    Up,
    Top,
    Quit,
}

/// Shows the first step of a proof, then those that the lines of standard input name.
pub(super) fn descend(proof: &Proof, program: &Program, layout: &Layout) -> io::Result<()> {
    let (mut way, mut input) = (vec![StepId(0)], io::stdin().lock());
    let mut line = Vec::new();
    loop {
        let at = *way.last().or_broken("a way begins with the first step");
        let below = show(proof, at, program, layout)?;
        output::note(&question(below.len(), way.len() > 1));
        terminal::finish()?;
        loop {
            if !read_line(&mut input, &mut line)? {
                return Ok(());
            }
            match read_move(&String::from_utf8_lossy(&line), below.len()) {
                Some(Move::Down(number)) => way.extend(below.get(number - 1)),
                Some(Move::Up) if way.len() > 1 => way.truncate(way.len() - 1),
                Some(Move::Top) => way.truncate(1),
                Some(Move::Quit) => return Ok(()),
                Some(Move::Up) | None => {
                    output::note(&question(below.len(), way.len() > 1));
                    continue;
                }
            }
            break;
        }
    }
}

/// Shows one step and what it rests on; the steps below it that rules derive.
fn show(proof: &Proof, at: StepId, program: &Program, layout: &Layout) -> io::Result<Vec<StepId>> {
    let mut out = terminal::text();
    out.lines(&render::tree(&proof.below(at).cut(1), program, layout))?;
    let mut below: Vec<StepId> = Vec::new();
    for id in proof.step(at).into_iter().flat_map(|step| step.refers()) {
        let derived = proof.step(id).is_some_and(|step| matches!(step.kind, StepKind::Derived(_)));
        if derived && !below.contains(&id) {
            below.push(id);
        }
    }
    for (number, step) in (1..).zip(below.iter().filter_map(|id| proof.step(*id))) {
        writeln!(out, "  [{number}] {}", render::fact_text(program, &step.fact))?;
    }
    Ok(below)
}

fn question(below: usize, deep: bool) -> String {
    let down = match below {
        0 => "",
        1 => "1 expands the step below, ",
        _ => "a number expands a step below, ",
    };
    let up = if deep { "u goes up, t to the top, " } else { "" };
    format!("{down}{up}q quits")
}

fn read_move(line: &str, below: usize) -> Option<Move> {
    match line.trim() {
        "u" => Some(Move::Up),
        "t" => Some(Move::Top),
        "q" => Some(Move::Quit),
        text => text.parse().ok().filter(|number| (1..=below).contains(number)).map(Move::Down),
    }
}
