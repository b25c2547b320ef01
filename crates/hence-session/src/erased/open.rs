//! What follows possibly and not certainly where personal values can't be read, each of which may have been any text.

use std::collections::BTreeMap;

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::schema::{Column, Kind, Relation, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_engine::{Database, Engine, Limits};
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::ir::{Arg, Atom, Literal, Part, Program, Rule, Sentence, Term, Variable};
use hence_lang::lower::extended;
use hence_lang::lower::unknown::unknown;
use hence_ledger::{EffectRound, TxInfo};
use hence_proof::proof::FactPattern;

use crate::RuleSet;
use crate::error::SessionError;
use crate::evaluation::{self, Undetermined};
use crate::fitting::Lens;
use crate::history::History;

/// What may follow after a transaction, or between two of its steps.
pub(crate) struct Open<'h> {
    engine: &'h dyn Engine,
    limits: Limits,
    /// The rules, and one for each kind of fact with values that can't be read: it holds with unknown ones.
    program: Program,
    input: Database,
    /// The relations with such facts.
    heads: Vec<RelationId>,
    undetermined: Undetermined,
}

impl<'h> Open<'h> {
    /// After the transaction of `info`, drawn by `rules`; with `before`, before its steps from that number on.
    ///
    /// # Errors
    /// A ledger that can't be read, a limit that was reached.
    pub(crate) fn of(
        history: &History<'h>,
        rules: &RuleSet,
        (info, clock): (&TxInfo, i64),
        before: Option<u64>,
    ) -> Result<Self, SessionError> {
        let (mut input, lens) = history.input(rules, info, clock)?;
        if let Some(before) = before {
            let steps = lens.read_steps(info.steps.as_deref().unwrap_or_default());
            let undone = steps.iter().skip(usize::try_from(before).unwrap_or(usize::MAX).saturating_sub(1));
            for change in undone.rev().flat_map(|step: &EffectRound| &step.changes) {
                evaluation::set(&rules.program, &mut input, &change.fact, !change.asserted);
            }
        }
        let mut hidden = Hidden::default();
        for relation in history.ledger.personal()?.keys() {
            for (fact, columns) in history.ledger.unreadable_facts(*relation, info.tx)? {
                hidden.take(&rules.program, &lens, &mut input, (&fact, &columns));
            }
        }
        let (program, facts) = hidden.known_without(&rules.program);
        let mut all = Database::new(&program);
        for (id, rows) in (0..).map(RelationId).zip(&input.relations) {
            rows.iter().for_each(|row| all.push(id, row));
        }
        for fact in &facts {
            evaluation::add_fact(&program, &mut all, fact);
        }
        let heads = hidden.0.keys().map(|(relation, _)| *relation).collect();
        let (engine, limits) = (history.engine, history.limits);
        let undetermined = Undetermined::new();
        let mut open = Self { engine, limits, program, input: all, heads, undetermined };
        open.undetermined = open.evaluate(&open.program, rules)?;
        Ok(open)
    }

    /// What follows possibly and not certainly by a program that begins with the relations of this one.
    fn evaluate(&self, program: &Program, rules: &RuleSet) -> Result<Undetermined, SessionError> {
        if self.heads.is_empty() {
            return Ok(Undetermined::new());
        }
        let of = unknown(program, self.heads.iter().copied());
        let mut input = Database::new(&of.program);
        for (id, rows) in (0..).map(RelationId).zip(&self.input.relations) {
            rows.iter().for_each(|row| input.push(id, row));
        }
        let evaluated = self.engine.evaluate(&of.program, input, &self.limits);
        let model = evaluated
            .map_err(|reached| evaluation::limit_of_unknown(program, &rules.sources, &of, reached))?;
        Ok(evaluation::undetermined(program, &of, |id| {
            evaluation::extent(&model, id).rows.iter().map(<[_]>::to_vec).collect()
        }))
    }

    /// Whether a fact follows possibly and not certainly; a value that is left out may be any.
    fn may_hold(&self, relation: Symbol, values: &[Option<Value>]) -> bool {
        let open = self.program.find(relation).and_then(|id| self.undetermined.get(&id));
        open.is_some_and(|open| open.iter().any(|row| agrees(&row.args, values)))
    }

    /// Whether a fact does, as it is.
    pub(crate) fn may_follow(&self, fact: &Fact) -> bool {
        self.may_hold(fact.relation, &known(fact))
    }

    /// Whether a fact follows so by a rule of that name with that sentence.
    ///
    /// # Errors
    /// A limit that was reached.
    pub(crate) fn may_explain(
        &self,
        rules: &RuleSet,
        (relation, values): (Symbol, &[Option<Value>]),
        (id, sentence): (&str, Option<&str>),
    ) -> Result<bool, SessionError> {
        let Some(head) = self.program.find(relation) else { return Ok(false) };
        let named = |rule: &&Rule| rule.head == head && rule.id.as_str() == id;
        let Some(rule) = self.program.rules.iter().find(named) else { return Ok(false) };
        let shown = shown(rule);
        if rule.is_aggregate() || rule.limit.is_some() {
            // What a group or a rank comes to, it comes to with no more columns than it has.
            let row = told(rule, &shown, values, &[]);
            return Ok(self.may_hold(relation, values) && self.tells(rule, &shown, &row, sentence));
        }
        let probe = RelationId(self.program.relations.len() as u32);
        let (declared, rule_of_it) = probed(&self.program[head], rule, &shown, probe);
        let program = extended(&self.program, vec![declared], vec![rule_of_it]);
        let rows = self.evaluate(&program, rules)?.remove(&probe).unwrap_or_default();
        let mut rows = rows.iter().filter(|row: &&FactPattern| agrees(&row.args, values));
        Ok(rows.any(|row| {
            let row = told(rule, &shown, values, &row.args);
            self.tells(rule, &shown, &row, sentence)
        }))
    }

    /// Whether a rule's sentence over the values of its head and of the variables that it shows may be this one.
    fn tells(&self, rule: &Rule, shown: &[VarId], row: &[Option<Value>], sentence: Option<&str>) -> bool {
        let Some(Sentence { parts }) = &rule.because else { return sentence.is_none() };
        let Some(sentence) = sentence else { return false };
        let columns = rule.terms.len();
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.to_string()),
            Part::Param(param, format) => Some(format.show(self.program[*param].value)),
            Part::Var(var, format) => {
                let at = shown.iter().position(|one| one == var).map(|at| columns + at);
                at.and_then(|at| *row.get(at)?).map(|value| format.show(value))
            }
            Part::Column(column, format) => {
                let value = usize::try_from(*column).ok().and_then(|at| *row.get(at)?);
                value.map(|value| format.show(value))
            }
        };
        fits(&parts.iter().map(text).collect::<Vec<_>>(), sentence)
    }
}

/// The values of a fact as those of a row.
pub(crate) fn known(fact: &Fact) -> Vec<Option<Value>> {
    fact.values.iter().copied().map(Some).collect()
}

/// Whether what is known of two rows is the same.
fn agrees(row: &[Option<Value>], other: &[Option<Value>]) -> bool {
    row.iter().zip(other).all(|(one, other)| one.is_none() || other.is_none() || one == other)
}

/// Whether a text consists of these parts in order; one that isn't known is any.
fn fits(parts: &[Option<String>], text: &str) -> bool {
    let mut pieces: Vec<String> = vec![String::new()];
    for part in parts {
        match (part, pieces.last_mut()) {
            (Some(part), Some(last)) => last.push_str(part),
            _ => pieces.push(String::new()),
        }
    }
    let Some((first, rest)) = pieces.split_first() else { return text.is_empty() };
    let Some((last, between)) = rest.split_last() else { return text == first };
    let Some(mut text) = text.strip_prefix(first.as_str()) else { return false };
    for piece in between {
        match text.split_once(piece.as_str()) {
            Some((_, after)) => text = after,
            None => return false,
        }
    }
    text.ends_with(last.as_str())
}

/// A row of a rule's head and of the variables that its sentence shows, with what a recorded fact says of it.
fn told(rule: &Rule, shown: &[VarId], fact: &[Option<Value>], row: &[Option<Value>]) -> Vec<Option<Value>> {
    let is_var = |term: &Term, var: VarId| match term {
        Term::Expr(expr) => expr.kind == ExprKind::Var(var),
        Term::Aggregate { .. } => false,
    };
    let of_var = shown.iter().map(|var| {
        let at = rule.terms.iter().position(|term| is_var(term, *var));
        at.and_then(|at| *fact.get(at)?)
    });
    let said = fact.iter().copied().chain(of_var).enumerate();
    said.map(|(at, said)| said.or_else(|| *row.get(at)?)).collect()
}

/// The variables that a sentence shows.
fn shown(rule: &Rule) -> Vec<VarId> {
    let parts = rule.because.iter().flat_map(|sentence| &sentence.parts);
    let vars = parts.filter_map(|part| match part {
        Part::Var(var, _) => Some(*var),
        Part::Text(_) | Part::Param(..) | Part::Column(..) => None,
    });
    vars.collect()
}

/// A relation of what a rule derives with the variables that its sentence shows, and the rule of it.
fn probed(head: &Relation, rule: &Rule, shown: &[VarId], probe: RelationId) -> (Relation, Rule) {
    let mut declared = named(head, Symbol::new(&format!("?{}", probe.0)), Kind::Derived);
    let mut of_it = rule.clone();
    (of_it.head, of_it.because) = (probe, None);
    for var in shown {
        let Variable { name, ty } = &rule[*var];
        declared.columns.push(Column::new(*name, ty.clone()));
        of_it.terms.push(Term::Expr(variable(*var, ty.ty)));
    }
    (declared, of_it)
}

fn named(relation: &Relation, name: Symbol, kind: Kind) -> Relation {
    let (requires, authors, personal) = (None, None, Vec::new());
    Relation { name, kind, requires, authors, personal, ..relation.clone() }
}

fn variable(var: VarId, ty: Type) -> Expr {
    Expr { kind: ExprKind::Var(var), ty, span: Span::default() }
}

/// The facts with values that can't be read, by relation and the columns of these values.
#[derive(Default)]
struct Hidden(BTreeMap<(RelationId, Vec<usize>), Vec<Fact>>);

impl Hidden {
    /// Takes a recorded fact out of the input of a program, if that reads it.
    fn take(
        &mut self,
        program: &Program,
        lens: &Lens,
        input: &mut Database,
        (fact, columns): (&Fact, &[usize]),
    ) {
        let read = match lens.fit(fact.relation) {
            Some(fit) => fit.recast.read(&fact.values),
            None => Some(fact.values.clone()),
        };
        let (Some(values), Some(id)) = (read, program.find(fact.relation)) else { return };
        let is_hidden = |value: &Value| columns.iter().any(|at| fact.values.get(*at) == Some(value));
        let unread: Vec<usize> =
            values.iter().enumerate().filter(|(_, value)| is_hidden(value)).map(|(at, _)| at).collect();
        let fact = Fact { relation: fact.relation, values };
        if !unread.is_empty() && evaluation::holds(program, input, &fact) {
            evaluation::set(program, input, &fact, false);
            self.0.entry((id, unread)).or_default().push(fact);
        }
    }

    /// The program with a relation for each kind of such facts and a rule that derives them with unknown values; the
    /// facts of these relations.
    fn known_without(&self, program: &Program) -> (Program, Vec<Fact>) {
        let (mut relations, mut rules, mut facts) = (Vec::new(), Vec::new(), Vec::new());
        for (id, (head, unread)) in (program.relations.len() as u32..).map(RelationId).zip(self.0.keys()) {
            let of = &program[*head];
            let name = Symbol::new(&format!("?{}", id.0));
            relations.push(named(of, name, Kind::Input));
            rules.push(hiding(of, *head, unread, id));
            let hidden = self.0.get(&(*head, unread.clone())).into_iter().flatten();
            facts.extend(hidden.map(|fact| Fact { relation: name, values: fact.values.clone() }));
        }
        (extended(program, relations, rules), facts)
    }
}

/// The rule that derives a relation from another one, some of its columns unknown.
fn hiding(relation: &Relation, head: RelationId, unread: &[usize], from: RelationId) -> Rule {
    let columns = || relation.columns.iter().enumerate();
    let var = |at: usize| VarId(u32::try_from(at).ok().or_broken("a relation has few columns"));
    let arg = |at: usize| if unread.contains(&at) { Arg::Any } else { Arg::Var(var(at)) };
    let term = |(at, column): (usize, &Column)| {
        let known = variable(var(at), column.ty.ty);
        Term::Expr(match unread.contains(&at) {
            true => Expr { kind: ExprKind::Unknown, ..known },
            false => known,
        })
    };
    let args = columns().map(|(at, _)| arg(at)).collect();
    let span = relation.span;
    let variables = columns().map(|(_, column)| Variable { name: column.name, ty: column.ty.clone() });
    Rule {
        id: relation.name,
        head,
        head_span: span,
        terms: columns().map(term).collect(),
        body: vec![Literal::Atom(Atom { relation: from, args, span })],
        variables: variables.collect(),
        limit: None,
        because: None,
        doc: String::new(),
        span,
    }
}
