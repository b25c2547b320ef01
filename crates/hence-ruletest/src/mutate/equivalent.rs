//! What can be proved of mutants: literals that others imply, counts that are the same, guards that would break.

use std::collections::{BTreeMap, BTreeSet};

use hence_core::fault::OrBroken;
use hence_core::schema::Kind;
use hence_core::span::Span;
use hence_lang::analysis::checked::{self, Checked};
use hence_lang::builtins::expr::{ExprKind, VarId};
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Arg, Atom, Literal, Program, Rule};

/// How many relations an implication is followed through.
const DEPTH: usize = 4;

/// Whether the positive atom at `at` holds wherever the rest of the body does.
pub(super) fn is_implied(program: &Program, rule: &Rule, at: usize) -> bool {
    let Literal::Atom(dropped) = rule.literal(at) else { return false };
    follows(program, rule, at, dropped)
        || rule.body.iter().enumerate().any(|(other, literal)| match literal {
            Literal::Atom(atom) if other != at => {
                // Of two equal literals the later one is the one that is implied.
                let same = atom.relation == dropped.relation && atom.args == dropped.args;
                !(same && other > at) && implies(program, atom, dropped.relation, &dropped.args, DEPTH)
            }
            _ => false,
        })
}

/// Whether a rule of the atom's own relation derives it from other atoms of the body.
fn follows(program: &Program, rule: &Rule, at: usize, dropped: &Atom) -> bool {
    let others: Vec<&Atom> =
        rule.body.iter().enumerate().filter(|(other, _)| *other != at).filter_map(atom).collect();
    program.rules.iter().filter(|own| own.head == dropped.relation && own.limit.is_none()).any(|own| {
        let mut bound: BTreeMap<VarId, Arg> = BTreeMap::new();
        let head = own.terms.iter().zip(&dropped.args).all(|(term, arg)| match (term, arg) {
            (Term::Aggregate { .. }, _) => false,
            (_, Arg::Any) => true,
            (Term::Expr(expr), arg) => match expr.kind {
                ExprKind::Var(var) => *bound.entry(var).or_insert(*arg) == *arg,
                ExprKind::Const(value) => *arg == Arg::Const(value),
                _ => false,
            },
        });
        head && own.head != rule.head
            && own.body.iter().all(|literal| match literal {
                Literal::Atom(needed) => others.iter().any(|other| matches_into(needed, other, &mut bound)),
                _ => false,
            })
    })
}

fn atom((_, literal): (usize, &Literal)) -> Option<&Atom> {
    match literal {
        Literal::Atom(atom) => Some(atom),
        _ => None,
    }
}

/// Whether `needed` becomes `there` under the variables bound so far, which grow; the first fit is taken.
fn matches_into(needed: &Atom, there: &Atom, bound: &mut BTreeMap<VarId, Arg>) -> bool {
    if needed.relation != there.relation {
        return false;
    }
    let mut tried = bound.clone();
    let fits = needed.args.iter().zip(&there.args).all(|(needed, there)| match needed {
        Arg::Any => true,
        Arg::Var(var) if *there != Arg::Any => *tried.entry(*var).or_insert(*there) == *there,
        // A variable that nothing else names is as good as `_`, but that is not looked for.
        Arg::Var(_) => false,
        constant => constant == there,
    });
    if fits {
        *bound = tried;
    }
    fits
}

/// Whether every match of the body has other values of the head's columns and arguments, so that counting values
/// and counting matches is the same.
pub(super) fn counts_alike(rule: &Rule) -> bool {
    let mut known: BTreeSet<VarId> = BTreeSet::new();
    for term in &rule.terms {
        let exprs = match term {
            Term::Expr(expr) => std::slice::from_ref(expr),
            Term::Aggregate { args, .. } => args.as_slice(),
        };
        known.extend(exprs.iter().filter_map(|expr| match expr.kind {
            ExprKind::Var(var) => Some(var),
            _ => None,
        }));
    }
    let mut choosing = rule.body.iter().filter(|literal| literal.chooses());
    choosing.all(|literal| {
        let args = literal.positive().map_or(&[][..], |atom| &atom.args);
        literal.binds().all(|var| known.contains(&var)) && !args.contains(&Arg::Any)
    })
}

/// Whether the guards of decisions still hold without the literal at this place of the text; where they don't, the
/// rules would be refused at load.
pub(super) fn guards_hold_without(checked: &Checked, literal: Span) -> bool {
    if checked.requires.is_empty() {
        return true;
    }
    let mut changed = checked.clone();
    for rule in changed.rules.iter_mut().filter(|rule| rule.span.file == literal.file) {
        rule.body.retain(|own| !matches!(own, checked::Literal::Atom { span, .. } if *span == literal));
    }
    hence_session::guards(&changed).is_empty()
}

/// Whether a fact that matches `atom` can't be there without one of `relation` that matches `args`.
fn implies(
    program: &Program,
    atom: &Atom,
    relation: hence_core::schema::RelationId,
    args: &[Arg],
    depth: usize,
) -> bool {
    if atom.relation == relation {
        return atom.args.iter().zip(args).all(|(has, wanted)| *wanted == Arg::Any || has == wanted);
    }
    let derived = program.relation(atom.relation).is_some_and(|found| found.kind != Kind::Input);
    let stated = program.facts.iter().any(|fact| fact.relation == atom.relation);
    let mut rules = program.rules.iter().filter(|rule| rule.head == atom.relation).peekable();
    if depth == 0 || !derived || stated || rules.peek().is_none() {
        return false;
    }
    rules.all(|rule| {
        let inside: Option<Vec<Arg>> = args.iter().map(|arg| inside(atom, rule, *arg)).collect();
        inside.is_some_and(|args| {
            rule.body.iter().any(|literal| match literal {
                Literal::Atom(own) => implies(program, own, relation, &args, depth - 1),
                _ => false,
            })
        })
    })
}

/// What an argument outside is inside the rule that derives the atom.
fn inside(atom: &Atom, rule: &Rule, arg: Arg) -> Option<Arg> {
    match arg {
        Arg::Var(_) => {
            let column = atom.args.iter().position(|own| *own == arg)?;
            match rule.terms.get(column).or_broken("a head has a term for each column of its relation") {
                Term::Expr(expr) => match expr.kind {
                    ExprKind::Var(var) => Some(Arg::Var(var)),
                    ExprKind::Const(value) => Some(Arg::Const(value)),
                    ExprKind::Param(param) => Some(Arg::Param(param)),
                    _ => None,
                },
                Term::Aggregate { .. } => None,
            }
        }
        other => Some(other),
    }
}
