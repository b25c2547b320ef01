//! Steps after which a condition holds or doesn't, an expression has a value, or a variable another one.

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value, Word};
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::op::Op;
use hence_lang::ir::{Arg, Atom, Literal, Rule};

use super::super::derive::head_variable;
use super::change::Change;
use super::columns::uses;
use super::ideas::{At, Ideas, TRIED};
use super::want::{self, Slot, Want};

impl Ideas<'_, '_> {
    /// Steps after which a condition is `wanted`.
    pub(super) fn fix_condition(&mut self, at: At<'_>, expr: &Expr, wanted: bool) {
        let holds = |side: &Expr| {
            let word = side.eval(&at.found.words(), &self.finder.context.params);
            word.is_ok_and(|word| word.as_bool()) == wanted
        };
        match &expr.kind {
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                for side in [left, right] {
                    if !holds(side) {
                        self.fix_condition(At { depth: at.depth + 1, ..at }, side, wanted);
                    }
                }
            }
            ExprKind::Call(Op::Among | Op::In, args) if wanted => {
                let [side, elements @ ..] = args.as_slice() else { return };
                let words = at.found.words();
                for element in elements.iter().take(TRIED) {
                    if let Ok(word) = element.eval(&words, &self.finder.context.params) {
                        self.fix_side(at, side, "=", word);
                    }
                }
            }
            ExprKind::Call(op, args) => match args.as_slice() {
                [side] if op.name() == "not" => {
                    self.fix_condition(At { depth: at.depth + 1, ..at }, side, !wanted);
                }
                [left, right] => self.fix_comparison(at, (expr, op.name()), (left, right), wanted),
                _ => {}
            },
            ExprKind::If(condition, then, otherwise) => {
                let at = At { depth: at.depth + 1, ..at };
                if holds(then) {
                    self.fix_condition(at, condition, true);
                }
                if holds(otherwise) {
                    self.fix_condition(at, condition, false);
                }
            }
            _ => self.fix_side(at, expr, "=", Word::from_bool(wanted)),
        }
    }

    fn fix_comparison(
        &mut self,
        at: At<'_>,
        (whole, name): (&Expr, &str),
        (left, right): (&Expr, &Expr),
        wanted: bool,
    ) {
        let Some(name) = want::comparison(name) else {
            return self.fix_texts(at, (left, right), &|words, params| {
                whole.eval(words, params).is_ok_and(|word| word.as_bool()) == wanted
            });
        };
        let name = if wanted { name } else { want::negated(name) };
        let words = at.found.words();
        let value = |side: &Expr| side.eval(&words, &self.finder.context.params).ok();
        let (one, other) = (value(left), value(right));
        if let Some(limit) = other {
            self.fix_side(at, left, name, limit);
        }
        if let Some(limit) = one {
            self.fix_side(at, right, want::mirror(name), limit);
        }
        if one.is_none() && other.is_none() {
            self.define(at, left);
            self.define(at, right);
        }
    }

    /// Steps after which texts fit each other, such as one that holds another: either is taken for both, or a plain one.
    fn fix_texts(
        &mut self,
        at: At<'_>,
        (left, right): (&Expr, &Expr),
        fits: &dyn Fn(&[Word], &[Word]) -> bool,
    ) {
        let (words, params) = (at.found.words(), &self.finder.context.params);
        let own = [left, right].into_iter().flat_map(|side| {
            let leaves = want::slots(side).into_iter().filter(|(_, ty)| *ty == Type::String);
            let leaves = leaves.filter_map(|(slot, _)| slot.word(&words, params));
            side.eval(&words, params).ok().filter(|_| side.ty == Type::String).into_iter().chain(leaves)
        });
        let plain = Value::String(Symbol::new("x")).word();
        let texts: Vec<Word> = own.chain([plain]).collect();
        for (slot, ty) in [left, right].into_iter().flat_map(want::slots) {
            let Slot::Var(var) = slot else { continue };
            let with = |text: &&Word| {
                let mut words = words.clone();
                *words.get_mut(var.at()).or_broken(VarId::INVARIANT) = **text;
                fits(&words, params)
            };
            if let Some(text) = texts.iter().find(with).filter(|_| ty == Type::String) {
                self.bring(at, var, Want::Is(*text));
            }
        }
    }

    /// Steps after which an expression that is undefined has a value.
    pub(super) fn define(&mut self, at: At<'_>, expr: &Expr) {
        let words = at.found.words();
        let params = &self.finder.context.params;
        if self.ends(at.depth) || expr.eval(&words, params).is_ok() {
            return;
        }
        for (slot, ty) in want::slots(expr) {
            let Slot::Var(var) = slot else { continue };
            let with = |word: Word| {
                let mut words = words.clone();
                *words.get_mut(var.at()).or_broken(VarId::INVARIANT) = word;
                expr.eval(&words, params).is_ok()
            };
            let now = *words.get(var.at()).or_broken(VarId::INVARIANT);
            if let Some(word) = want::defined(now, ty, with) {
                self.bring(at, var, Want::Is(word));
            }
        }
    }

    /// Steps after which an expression compares with `limit` as `name` says.
    pub(super) fn fix_side(&mut self, at: At<'_>, expr: &Expr, name: &'static str, limit: Word) {
        if self.ends(at.depth) {
            return;
        }
        let words = at.found.words();
        for (slot, ty) in want::slots(expr) {
            let params = &self.finder.context.params;
            for wanted in want::solutions((expr, name, limit), (slot, ty), (&words, params)) {
                match slot {
                    Slot::Param(param) => {
                        let known = &self.finder.context.program[param];
                        let value = wanted.value(ty).map(|word| Value::from_word(ty, word));
                        if let Some(value) = value.filter(|value| known.ty.admits(*value)) {
                            let change = Change::Set(known.name, known.value, value);
                            self.push(vec![change], at.left);
                        }
                    }
                    Slot::Var(var) => self.bring(at, var, wanted),
                }
            }
        }
    }

    /// Steps after which a variable has another value: another fact in the place of the one that binds it.
    fn bring(&mut self, at: At<'_>, var: VarId, wanted: Want) {
        let taken = at.found.rows.iter().find_map(|(literal, _)| {
            at.rule.literal(*literal).positive().filter(|atom| binds_var(atom, var))
        });
        if let Some(atom) = taken {
            if self.finder.context.name(atom.relation).as_str() == "now" {
                if at.left == 0 {
                    self.instants.push(wanted);
                }
                return;
            }
            let wants = atom.args.iter().map(|arg| match arg {
                Arg::Var(other) if *other == var => wanted,
                Arg::Var(other) if uses(at.rule, *other) < 2 => Want::Any,
                Arg::Var(other) => at.found.word(*other).map_or(Want::Any, Want::Is),
                Arg::Any => Want::Any,
                Arg::Const(value) => Want::Is(value.word()),
                Arg::Param(param) => {
                    self.finder.context.params.get(param.0 as usize).copied().map_or(Want::Any, Want::Is)
                }
            });
            let wants: Vec<Want> = wants.collect();
            self.make(atom.relation, wants.clone(), at.left, at.depth + 1);
            // The same with other values beside it, where no other atom joins on them: one fact more in a group changes
            // several of its aggregates.
            let is_joined = |var: VarId| at.rule.positive().filter(|atom| binds_var(atom, var)).count() > 1;
            let loose = atom.args.iter().zip(wants).map(|(arg, want)| match arg {
                Arg::Var(other) if *other != var && !is_joined(*other) && !in_head(at.rule, *other) => {
                    Want::Any
                }
                _ => want,
            });
            return self.make(atom.relation, loose.collect(), at.left, at.depth + 1);
        }
        let bound = at.rule.body.iter().find_map(|literal| match literal {
            Literal::Bind { var: other, expr, .. } if *other == var => Some(expr),
            _ => None,
        });
        if let (Some(expr), Some((name, limit))) = (bound, compared(wanted)) {
            self.fix_side(At { depth: at.depth + 1, ..at }, expr, name, limit);
        }
    }
}

/// Whether an atom binds a variable.
fn binds_var(atom: &Atom, var: VarId) -> bool {
    atom.vars().any(|other| other == var)
}

/// Whether a head gives a variable as it is.
fn in_head(rule: &Rule, var: VarId) -> bool {
    rule.head_exprs().any(|expr| head_variable(expr) == Some(var))
}

/// What is wanted, as a comparison.
fn compared(wanted: Want) -> Option<(&'static str, Word)> {
    match wanted {
        Want::Any => None,
        Want::Is(word) => Some(("=", word)),
        Want::Than(name, word) => Some((name, word)),
    }
}
