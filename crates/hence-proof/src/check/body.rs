//! The premises of a body, literal by literal.

use serde_json::Value as Json;

use hence_core::value::{Value, Word};
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::{Arg, Atom, Literal, Program, Rule};
use hence_lang::lower::{helps_values, holds_values};

use super::read::{self};
use super::{Checker, Verdict, words};

/// The literals that a proof shows: all but those that only help an aggregate.
fn shown<'r>(program: &Program, rule: &'r Rule) -> Vec<&'r Literal> {
    let helps =
        |literal: &&Literal| literal.positive().is_some_and(|atom| helps_values(program, atom.relation));
    rule.body.iter().filter(|literal| !helps(literal)).collect()
}

impl Checker<'_> {
    /// Checks the premises against the body in its order; gives the steps referred to.
    pub(super) fn body(
        &mut self,
        at: usize,
        rule: &Rule,
        vars: &[Word],
        premises: &[Json],
    ) -> Verdict<Vec<usize>> {
        let body = shown(self.program, rule);
        if premises.len() != body.len() {
            return Err(format!("expected {} body literals, found {}", body.len(), premises.len()));
        }
        let mut refers = Vec::new();
        for (number, (literal, premise)) in body.into_iter().zip(premises).enumerate() {
            let found = self.literal(at, rule, literal, vars, premise);
            refers.extend(found.map_err(|message| format!("premise {}: {message}", number + 1))?);
        }
        Ok(refers)
    }

    fn literal(
        &mut self,
        at: usize,
        rule: &Rule,
        literal: &Literal,
        vars: &[Word],
        premise: &Json,
    ) -> Verdict<Vec<usize>> {
        let map = read::object(premise, "a premise")?;
        match literal {
            Literal::Atom(atom) if holds_values(self.program, atom.relation) => {
                return self.values(at, atom, vars, premise);
            }
            Literal::Atom(atom) => return self.fact(at, atom, vars, map).map(|below| vec![below]),
            Literal::Not(atom) => self.absent(at, atom, vars, map)?,
            Literal::Test { expr, .. } => {
                if expr.eval(vars, &self.params) != Ok(Word::from_bool(true)) {
                    return Err(String::from("the condition does not hold"));
                }
                let right = words::condition(self.program, expr, vars);
                same(read::text(map, "test")?, &right)?;
                self.written(read::text(map, "written")?, expr.span)?;
            }
            Literal::Bind { var, expr, .. } => {
                let word = vars.get(var.0 as usize).copied();
                if expr.eval(vars, &self.params).ok() != word {
                    return Err(String::from("the expression has another value"));
                }
                self.named(rule, *var, map, "bind", vars)?;
                same(read::text(map, "text")?, &words::filled(self.program, expr, vars))?;
                self.written(read::text(map, "written")?, expr.span)?;
            }
            Literal::Each { var, generator, args, .. } => {
                let words: Option<Vec<Word>> =
                    args.iter().map(|arg| arg.eval(vars, &self.params).ok()).collect();
                let word = vars.get(var.0 as usize).copied();
                if !words.zip(word).is_some_and(|(args, word)| generator.contains(&args, word)) {
                    return Err(String::from("the value is not one of the elements"));
                }
                self.named(rule, *var, map, "each", vars)?;
                same(read::text(map, "text")?, &words::generator(self.program, generator, args, vars))?;
                self.written_generator(read::text(map, "written")?, generator, args)?;
            }
        }
        Ok(Vec::new())
    }

    /// The quotation of a generator must be right, where the rule texts are known.
    fn written_generator(&self, given: &str, generator: &Generator, args: &[Expr]) -> Verdict {
        let Some(sources) = self.known.sources else { return Ok(()) };
        if let Some(Expr { kind: ExprKind::Const(Value::Name(_)), span, .. }) = args.first() {
            let set = words::quoted(sources, *span);
            if set.starts_with(|c: char| c.is_ascii_lowercase()) {
                return same(given, &set);
            }
        }
        let quoted = |arg: &Expr| match &arg.kind {
            // The values of a closed set are written where it is declared.
            ExprKind::Const(value) => value.to_string(),
            _ => words::quoted(sources, arg.span),
        };
        let parts: Vec<String> = args.iter().map(quoted).collect();
        if parts.iter().any(String::is_empty) {
            return Ok(());
        }
        same(given, &words::generated(generator, parts))
    }

    /// The variable and the value that a premise names must be those of the literal and of the bindings.
    fn named(
        &self,
        rule: &Rule,
        var: hence_lang::builtins::expr::VarId,
        map: &serde_json::Map<String, Json>,
        member: &str,
        vars: &[Word],
    ) -> Verdict {
        let variable = rule.variables.get(var.0 as usize).ok_or("unknown variable")?;
        same(read::text(map, member)?, variable.name.as_str())?;
        let word = read::word(&variable.ty, read::member(map, "value")?)?;
        if Some(&word) == vars.get(var.0 as usize) {
            Ok(())
        } else {
            Err(format!("`{}` has another value", variable.name))
        }
    }

    fn fact(
        &self,
        at: usize,
        atom: &Atom,
        vars: &[Word],
        map: &serde_json::Map<String, Json>,
    ) -> Verdict<usize> {
        let below = read::number(map, "step")?;
        let head = self.heads.get(below).filter(|_| below > at);
        let head = head.ok_or_else(|| format!("step {below} does not come after this one"))?;
        if head.relation != atom.relation {
            return Err(format!("step {below} is a fact of another relation"));
        }
        for (column, word) in head.row.iter().enumerate() {
            let wanted = atom.args.get(column).and_then(|arg| self.arg(arg, vars));
            if wanted.is_some_and(|wanted| wanted != *word) {
                return Err(format!("column {} of step {below} does not match", column + 1));
            }
        }
        Ok(below)
    }

    /// The word that an argument stands for; none for anything.
    pub(super) fn arg(&self, arg: &Arg, vars: &[Word]) -> Option<Word> {
        match arg {
            Arg::Any => None,
            Arg::Var(var) => vars.get(var.0 as usize).copied(),
            Arg::Const(value) => Some(value.word()),
            Arg::Param(param) => self.params.get(param.0 as usize).copied(),
        }
    }

    fn absent(
        &mut self,
        at: usize,
        atom: &Atom,
        vars: &[Word],
        map: &serde_json::Map<String, Json>,
    ) -> Verdict {
        let (relation, args) = read::keyed(self.program, read::member(map, "absent")?)?;
        if relation != atom.relation {
            return Err(String::from("the body negates another relation"));
        }
        let columns = self.program.relation(relation).map_or(&[][..], |relation| &relation.columns);
        let wanted: Vec<_> = atom.args.iter().map(|arg| self.arg(arg, vars)).collect();
        for ((column, json), wanted) in columns.iter().zip(args).zip(&wanted) {
            let given = if json.is_null() { None } else { Some(read::word(&column.ty, json)?) };
            if given != *wanted {
                let right = wanted.map(|word| Value::from_word(column.ty.ty, word).to_string());
                let right = right.unwrap_or_else(|| String::from("anything"));
                return Err(format!("column `{}` must be {right}", column.name));
            }
        }
        let among = read::number(map, "among")?;
        match self.facts(relation) {
            None => self.trust(at, "an absence"),
            Some(rows) if rows.iter().any(|row| fits(row, &wanted)) => {
                return Err(String::from("a fact that must be absent holds"));
            }
            Some(rows) if self.known.model.is_some() && rows.len() != among => {
                return Err(format!("the relation has {} facts, not {among}", rows.len()));
            }
            Some(_) => {}
        }
        Ok(())
    }
}

/// Whether a row has the words wanted.
pub(super) fn fits(row: &[Word], wanted: &[Option<Word>]) -> bool {
    row.iter().zip(wanted).all(|(word, wanted)| wanted.is_none_or(|wanted| wanted == *word))
}

pub(super) fn same(given: &str, right: &str) -> Verdict {
    if given == right { Ok(()) } else { Err(format!("{given:?} must be {right:?}")) }
}
