//! Goes through the matches of a rule's body one after the other, following a plan, without recursion.

use std::sync::Arc;

use hence_core::fault::{self, OrBroken};
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::value::Word;
use hence_lang::builtins::expr::{Expr, VarId};
use hence_lang::builtins::generator::Generator;
use hence_lang::builtins::term::Term;
use hence_lang::ir::{Arg, Atom, Literal, Rule};

use super::context::Context;
use super::derive::Match;
use super::plan::{Move, Plan};

/// What holds of a plan.
const PLANNED: &str = "a plan moves along the literals of its own rule";

/// How many candidates are sorted first; each further portion is this many times larger.
const PORTION: usize = 32;

/// A walk over the matches of one plan. After [`Walk::next`] said yes, `vars` and `rows` hold the match.
pub(super) struct Walk<'c, 'a> {
    context: &'c Context<'a>,
    rule: &'a Rule,
    plan: Arc<Plan>,
    /// The words of the variables; of those that the plan hasn't reached they mean nothing.
    pub(super) vars: Vec<Word>,
    /// For each atom of the body by its place, the row chosen.
    pub(super) rows: Vec<u32>,
    /// The columns of the fact asked for; what is left out may be anything.
    target: Vec<Option<Word>>,
    /// The rank that facts of the same stratum must stay below.
    below: Option<usize>,
    /// Whether candidates come in the order of their values.
    sorted: bool,
    levels: Vec<Level>,
    started: bool,
    /// How many moves may still be made.
    pub(super) fuel: u64,
    /// Where the walk got stuck, if that is to be known.
    pub(super) stuck: Option<Stuck>,
}

/// The farthest move at which a walk found nothing, and the first bindings with which it stood there.
#[derive(Clone, Debug, Default)]
pub(super) struct Stuck {
    pub(super) at: usize,
    pub(super) found: Vec<Match>,
}

/// How many bindings that got equally far are kept.
const KEPT: usize = 256;

/// What is left to try at one move.
enum Level {
    Rows(Queue),
    Elements(Box<dyn Iterator<Item = Word>>),
    Once(bool),
}

/// Rows yet to be tried; sorted in portions, since mostly the first few do.
struct Queue {
    relation: RelationId,
    rows: Vec<u32>,
    next: usize,
    ready: usize,
    portion: usize,
}

impl<'c, 'a> Walk<'c, 'a> {
    /// A walk that starts with the variables in `vars`. `target` are the columns of the fact whose head is to be
    /// met, if the plan checks any; `below` bounds the rank of facts of the same stratum.
    pub(super) fn new(
        context: &'c Context<'a>,
        (rule, plan): (&'a Rule, Arc<Plan>),
        vars: Vec<Word>,
        target: Vec<Option<Word>>,
        below: Option<usize>,
    ) -> Self {
        let rows = vec![u32::MAX; rule.body.len()];
        let (levels, fuel) = (Vec::new(), u64::MAX);
        Self {
            context,
            rule,
            plan,
            vars,
            rows,
            target,
            below,
            sorted: false,
            levels,
            started: false,
            fuel,
            stuck: None,
        }
    }

    /// The same walk, made to remember where it got stuck, and to stop after `fuel` moves.
    pub(super) fn remembering(mut self, fuel: u64) -> Self {
        self.stuck = Some(Stuck::default());
        self.fuel = fuel;
        self
    }

    /// The same walk with the candidates of each atom in the order of their values.
    pub(super) fn sorted(mut self) -> Self {
        self.sorted = true;
        self
    }

    /// Goes on to the next match; false when there is none.
    pub(super) fn next(&mut self) -> bool {
        let mut entered = !self.started;
        if entered {
            self.started = true;
            if self.plan.moves.is_empty() {
                return true;
            }
            self.enter();
        }
        while !self.levels.is_empty() && self.fuel > 0 && self.context.interrupt.step() {
            self.fuel -= 1;
            if !self.advance() {
                if entered {
                    self.remember();
                }
                self.levels.pop();
                entered = false;
            } else if self.levels.len() == self.plan.moves.len() {
                return true;
            } else {
                self.enter();
                entered = true;
            }
        }
        false
    }

    /// Keeps the bindings with which the walk stands before a move that finds nothing.
    fn remember(&mut self) {
        let at = self.levels.len().saturating_sub(1);
        let Some(stuck) = &mut self.stuck else { return };
        if at > stuck.at {
            *stuck = Stuck { at, found: Vec::new() };
        }
        if at == stuck.at && stuck.found.len() < KEPT {
            stuck.found.push(Match { vars: self.vars.clone(), rows: self.rows.clone() });
        }
    }

    fn enter(&mut self) {
        let Some(step) = self.plan.moves.get(self.levels.len()).copied() else { return };
        let level = match step {
            Move::Match(literal) => self.candidates(literal),
            Move::Each { literal, bound: false } => self.elements(literal),
            _ => Level::Once(self.holds(step)),
        };
        self.levels.push(level);
    }

    fn advance(&mut self) -> bool {
        let at = self.levels.len().saturating_sub(1);
        let step = self.plan.moves.get(at).copied();
        let Some(level) = self.levels.get_mut(at) else { return false };
        match (level, step) {
            (Level::Once(fresh), _) => std::mem::take(fresh),
            (Level::Elements(elements), Some(Move::Each { literal, .. })) => {
                let Some(word) = elements.next() else { return false };
                let Some(Literal::Each { var, .. }) = self.rule.body.get(literal) else {
                    fault::broken(PLANNED)
                };
                set(&mut self.vars, *var, word);
                true
            }
            (Level::Rows(_), Some(Move::Match(literal))) => self.next_row(at, literal),
            _ => fault::broken(PLANNED),
        }
    }

    fn atom(&self, literal: usize) -> &'a Atom {
        match self.rule.body.get(literal) {
            Some(Literal::Atom(atom)) => atom,
            _ => fault::broken(PLANNED),
        }
    }

    fn candidates(&self, literal: usize) -> Level {
        let atom = self.atom(literal);
        let key = self.context.key(atom, &self.vars, |at| !self.new_here(literal, atom, at));
        let end = self.context.end(atom.relation, self.rule.head, self.below);
        let mut rows = Vec::new();
        self.context.store.each(atom.relation, &key, end, &mut |row| {
            rows.push(row);
            true
        });
        let ready = if self.sorted { 0 } else { rows.len() };
        Level::Rows(Queue { relation: atom.relation, rows, next: 0, ready, portion: 1 })
    }

    /// Whether the variable at an argument gets its value from this very atom.
    fn new_here(&self, literal: usize, atom: &Atom, at: usize) -> bool {
        let binds = self.plan.binds.get(literal).or_broken(PLANNED);
        let arg = atom.args.get(at);
        let places = atom.args.iter().zip(binds).take(at + 1);
        places.into_iter().any(|(other, binds)| *binds && Some(other) == arg)
    }

    fn next_row(&mut self, at: usize, literal: usize) -> bool {
        loop {
            let Some(Level::Rows(queue)) = self.levels.get_mut(at) else { return false };
            let Some(row) = queue.pop(self.context) else { return false };
            if self.take(literal, row) {
                return true;
            }
        }
    }

    /// Binds the variables of an atom to the columns of a row; false where one would need two values.
    fn take(&mut self, literal: usize, row: u32) -> bool {
        let atom = self.atom(literal);
        let binds = self.plan.binds.get(literal).or_broken(PLANNED);
        let words = self.context.store.row(super::store::FactRef { relation: atom.relation, row });
        for ((arg, binds), word) in atom.args.iter().zip(binds).zip(words) {
            match arg {
                Arg::Var(var) if *binds => set(&mut self.vars, *var, *word),
                Arg::Var(var) if self.vars.get(var.0 as usize) != Some(word) => return false,
                _ => {}
            }
        }
        *self.rows.get_mut(literal).or_broken(PLANNED) = row;
        true
    }

    fn elements(&self, literal: usize) -> Level {
        let Some(Literal::Each { generator, args, .. }) = self.rule.body.get(literal) else {
            fault::broken(PLANNED)
        };
        let Some(args) = self.words(args) else { return Level::Once(false) };
        let elements = generator.elements(&args);
        if !self.sorted || *generator == Generator::Range {
            return Level::Elements(elements);
        }
        let mut sorted: Vec<Word> = elements.collect();
        sorted.sort_by(|a, b| generator.element().compare(*a, *b));
        Level::Elements(Box::new(sorted.into_iter()))
    }

    fn words(&self, args: &[Expr]) -> Option<Vec<Word>> {
        args.iter().map(|arg| self.eval(arg)).collect()
    }

    fn eval(&self, expr: &Expr) -> Option<Word> {
        expr.eval(&self.vars, &self.context.params).ok()
    }

    /// Whether a move that chooses nothing goes through; binds its variable if it has one.
    fn holds(&mut self, step: Move) -> bool {
        let rule = self.rule;
        let literal = |at: usize| rule.body.get(at);
        match step {
            Move::Test(at) => {
                let Some(Literal::Test { expr, .. }) = literal(at) else { fault::broken(PLANNED) };
                self.eval(expr).is_some_and(Word::as_bool)
            }
            Move::Bind { literal: at, bound } => match literal(at) {
                Some(Literal::Bind { var, expr, .. }) => self.bind(*var, expr, bound),
                _ => fault::broken(PLANNED),
            },
            Move::Absent(at) => match literal(at) {
                Some(Literal::Not(atom)) => self.absent(atom),
                _ => fault::broken(PLANNED),
            },
            Move::Each { literal: at, .. } => match literal(at) {
                Some(Literal::Each { var, generator, args, .. }) => self.among(*var, generator, args),
                _ => fault::broken(PLANNED),
            },
            Move::Head(column) => match rule.terms.get(column) {
                Some(Term::Expr(expr)) => {
                    let wanted = self.target.get(column).copied().flatten();
                    self.eval(expr).is_some_and(|word| wanted.is_none_or(|wanted| wanted == word))
                }
                _ => fault::broken(PLANNED),
            },
            Move::Match(_) => fault::broken(PLANNED),
        }
    }

    fn bind(&mut self, var: VarId, expr: &Expr, bound: bool) -> bool {
        let Some(word) = self.eval(expr) else { return false };
        if bound {
            return self.vars.get(var.0 as usize) == Some(&word);
        }
        set(&mut self.vars, var, word);
        true
    }

    fn absent(&self, atom: &Atom) -> bool {
        let key = self.context.key(atom, &self.vars, |_| true);
        self.context.store.any(atom.relation, &key, usize::MAX).is_none()
    }

    fn among(&self, var: VarId, generator: &Generator, args: &[Expr]) -> bool {
        let (Some(args), Some(word)) = (self.words(args), self.vars.get(var.0 as usize)) else {
            return false;
        };
        generator.contains(&args, *word)
    }
}

impl Queue {
    fn pop(&mut self, context: &Context<'_>) -> Option<u32> {
        if self.next == self.ready {
            self.refill(context);
        }
        let row = self.rows.get(self.next).copied().filter(|_| self.next < self.ready);
        self.next += usize::from(row.is_some());
        row
    }

    /// Brings the next portion, in order, to the front of what is left.
    fn refill(&mut self, context: &Context<'_>) {
        let relation = self.relation;
        let row = |row: u32| context.store.row(super::store::FactRef { relation, row });
        let order = |a: &u32, b: &u32| context.compare(relation, row(*a), row(*b));
        let Some(left) = self.rows.get_mut(self.next..) else { return };
        let count = self.portion.min(left.len());
        if count < left.len() {
            left.select_nth_unstable_by(count, order);
        }
        if let Some(first) = left.get_mut(..count) {
            first.sort_unstable_by(order);
        }
        self.ready = self.next + count;
        self.portion = self.portion.saturating_mul(PORTION);
    }
}

fn set(vars: &mut [Word], var: VarId, word: Word) {
    *vars.get_mut(var.0 as usize).or_broken(VarId::INVARIANT) = word;
}
