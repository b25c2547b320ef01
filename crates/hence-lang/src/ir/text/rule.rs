//! Rules as text: the identity as a comment, the sentence, the head, a line a literal, the limit.

use std::fmt::{self, Display, Formatter};

use super::expression::{ShownExpr, param, variable};
use super::{list, name};
use crate::builtins::expr::{Expr, VarId};
use crate::builtins::generator::Generator;
use crate::builtins::term::Format;
use crate::ir::{Arg, Atom, Limit, Literal, Part, Program, Rule, Sentence, Term};
use hence_core::literal::quoted;

/// A rule of a program, ready to be written.
#[derive(Clone, Copy, Debug)]
pub struct ShownRule<'a> {
    /// The program.
    pub program: &'a Program,
    /// The rule.
    pub rule: &'a Rule,
}

/// A placeholder.
fn hole(name: &str, format: Format) -> String {
    format!("{{{name}{}}}", format.written())
}

impl<'a> ShownRule<'a> {
    fn expr(self, expr: &'a Expr) -> ShownExpr<'a> {
        ShownExpr { expr, variables: &self.rule.variables, params: &self.program.params }
    }

    fn var(self, f: &mut Formatter<'_>, var: VarId) -> fmt::Result {
        variable(f, &self.rule.variables, var)
    }

    fn because(self, f: &mut Formatter<'_>, sentence: &Sentence) -> fmt::Result {
        let mut text = String::new();
        for part in &sentence.parts {
            match part {
                Part::Text(piece) => text.push_str(&piece.as_str().replace('{', "{{").replace('}', "}}")),
                Part::Var(var, format) => text.push_str(&hole(self.rule[*var].name.as_str(), *format)),
                Part::Param(id, format) => text.push_str(&hole(param(&self.program.params, *id), *format)),
                Part::Column(at, format) => {
                    text.push_str(&hole(&format!("column {}", at.saturating_add(1)), *format))
                }
            }
        }
        writeln!(f, "@because({})", quoted(&text))
    }

    fn term(self, f: &mut Formatter<'_>, term: &'a Term) -> fmt::Result {
        match term {
            Term::Expr(expr) => write!(f, "{}", self.expr(expr)),
            Term::Aggregate { aggregate, args, .. } => {
                write!(f, "{}(", aggregate.name())?;
                list(f, args.iter().map(|arg| self.expr(arg)), ", ")?;
                f.write_str(")")
            }
        }
    }

    /// Writes an atom of the rule.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn atom(self, f: &mut Formatter<'_>, atom: &Atom) -> fmt::Result {
        write!(f, "{}(", name(self.program, atom.relation))?;
        for (at, arg) in atom.args.iter().enumerate() {
            f.write_str(if at > 0 { ", " } else { "" })?;
            match arg {
                Arg::Any => f.write_str("_")?,
                Arg::Var(var) => self.var(f, *var)?,
                Arg::Const(value) => write!(f, "{value}")?,
                Arg::Param(id) => f.write_str(param(&self.program.params, *id))?,
            }
        }
        f.write_str(")")
    }

    /// Writes a literal of the rule.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn literal(self, f: &mut Formatter<'_>, literal: &'a Literal) -> fmt::Result {
        match literal {
            Literal::Atom(atom) => self.atom(f, atom),
            Literal::Not(atom) => {
                f.write_str("!")?;
                self.atom(f, atom)
            }
            Literal::Bind { var, expr, .. } => {
                self.var(f, *var)?;
                write!(f, " = {}", self.expr(expr))
            }
            Literal::Test { expr, .. } => write!(f, "{}", self.expr(expr)),
            Literal::Each { var, generator, args, .. } => {
                self.var(f, *var)?;
                let args = args.iter().map(|arg| self.expr(arg));
                match generator {
                    Generator::List(_) => {
                        f.write_str(" in [")?;
                        list(f, args, ", ")?;
                        return f.write_str("]");
                    }
                    Generator::Elements(_) => {
                        f.write_str(" in ")?;
                        return list(f, args, ", ");
                    }
                    _ => write!(f, " in {}(", generator_name(generator))?,
                }
                list(f, args, ", ")?;
                if let Generator::Captures(pattern, group) = generator {
                    write!(f, ", {}, {group}", quoted(pattern.source().as_str()))?;
                }
                f.write_str(")")
            }
        }
    }

    fn limit(self, f: &mut Formatter<'_>, limit: &'a Limit) -> fmt::Result {
        write!(f, "\n    limit {}", self.expr(&limit.count))?;
        for (at, var) in limit.per.iter().enumerate() {
            f.write_str(if at > 0 { ", " } else { " per " })?;
            self.var(f, *var)?;
        }
        for (at, (key, descending)) in limit.by.iter().enumerate() {
            let (before, after) =
                (if at > 0 { ", " } else { " by " }, if *descending { " desc" } else { "" });
            write!(f, "{before}{}{after}", self.expr(key))?;
        }
        if let Some(rank) = limit.rank {
            f.write_str(" as ")?;
            self.var(f, rank)?;
        }
        Ok(())
    }
}

impl Display for ShownRule<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "# {}", self.rule.id)?;
        if let Some(sentence) = &self.rule.because {
            self.because(f, sentence)?;
        }
        write!(f, "{}(", name(self.program, self.rule.head))?;
        for (at, term) in self.rule.terms.iter().enumerate() {
            f.write_str(if at > 0 { ", " } else { "" })?;
            self.term(f, term)?;
        }
        f.write_str(")")?;
        for (at, literal) in self.rule.body.iter().enumerate() {
            f.write_str(if at > 0 { ",\n    " } else { " :-\n    " })?;
            self.literal(f, literal)?;
        }
        if let Some(limit) = &self.rule.limit {
            self.limit(f, limit)?;
        }
        f.write_str(".")
    }
}

fn generator_name(generator: &Generator) -> &'static str {
    match generator {
        Generator::Range => "range",
        Generator::Words => "words",
        Generator::Split => "split",
        Generator::Lines => "lines",
        Generator::Chars => "chars",
        Generator::Captures(..) => "captures",
        // These are written as lists.
        Generator::List(_) | Generator::Elements(_) => "",
    }
}
