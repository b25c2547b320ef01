//! Tests of rules: what they set and give is typed and ground, what they expect is a checked body or relation.

use std::collections::{BTreeMap, BTreeSet};

use crate::builtins::expr::{ExprKind, ParamId};
use hence_core::diagnostic::{Diagnostic, nearest};
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::RelationId;
use hence_core::span::{FileId, Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};
use hence_syntax::codes::BAD_TEST;
use hence_syntax::tree::{self, Because, ExpectationKind, Given, Ident, Item, LiteralKind};

use super::bind::bind;
use super::checked::{self, Expectation, Reason, Test, TestStep};
use super::clause::Clause;
use super::codes;
use super::declare::check_set;
use super::draft::{body, missing_relation, terms};
use super::ground::{Cell, Ground, whole};
use super::names::{Entry, Names};
use super::partial::Filler;
use super::query::{AtomPattern, pattern};
use super::rules::variables;
use super::safety::Uses;
use super::typing::Typer;
use super::uses::Vars;
use super::values::{error, literal, negative_limit, not_literal, written};

/// What the tests of a rule set are checked against.
struct Cases<'a> {
    names: &'a Names,
    ids: &'a BTreeSet<Symbol>,
    /// The parameters each of which is the count of a limit, and where.
    limits: BTreeMap<ParamId, Span>,
    sources: &'a Sources,
}

/// Checks the tests among the items; `ids` are those of all rules, `rules` those that are checked.
pub(super) fn check<'t>(
    items: impl Iterator<Item = &'t Item>,
    names: &Names,
    (rules, ids): (&[checked::Rule], &BTreeSet<Symbol>),
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Vec<Test> {
    let counts = rules.iter().filter_map(|rule| rule.limit.as_ref()).map(|limit| &limit.count);
    let limits = counts.filter_map(|count| match count.kind {
        ExprKind::Param(param) => Some((param, count.span)),
        _ => None,
    });
    let cases = Cases { names, ids, limits: limits.collect(), sources };
    let mut duplicates = Vec::new();
    let mut known: BTreeMap<(FileId, Symbol), Span> = BTreeMap::new();
    let tests = items
        .inspect(|item| {
            let Item::Test(test) = item else { return };
            let same = known.insert((test.span.file, test.name), test.name_span);
            if let Some(first) = same.filter(|_| !test.name.as_str().is_empty()) {
                let fault = error(BAD_TEST, format!("two tests called \"{}\"", test.name), test.name_span);
                duplicates.push(fault.at(first, "the other one").help("give each test a name of its own"));
            }
        })
        .filter_map(|item| match item {
            Item::Test(test) => cases.test(test, out),
            _ => None,
        })
        .collect();
    out.append(&mut duplicates);
    tests
}

impl Cases<'_> {
    fn test(&self, test: &tree::Test, out: &mut Vec<Diagnostic>) -> Option<Test> {
        let faults = out.len();
        let sets = self.sets(&test.sets, out);
        let mut ground = Ground::new(self.names, self.sources);
        for (name, value) in &sets {
            if let Some((id, _)) = self.names.param(*name) {
                *ground.params.get_mut(id.at()).or_broken(ParamId::INVARIANT) = value.word();
            }
        }
        let mut filler = Filler::default();
        let first = self.step(&test.given, &test.expect, &ground, (&mut filler, out));
        let first = TestStep { now: test.now.map(|(micros, _)| micros), ..first };
        let mut steps = vec![first];
        for step in &test.steps {
            steps.push(self.step(&step.changes, &step.expect, &ground, (&mut filler, out)));
        }
        self.clock(test, out);
        for step in &mut steps {
            self.fill(step, &mut filler);
        }
        let checked = Test { name: test.name, sets, steps, span: test.span };
        (out.len() == faults).then_some(checked)
    }

    /// One step; what its facts leave out is not filled in yet.
    fn step(
        &self,
        changes: &[Given],
        expect: &[tree::Expectation],
        ground: &Ground<'_>,
        (filler, out): (&mut Filler, &mut Vec<Diagnostic>),
    ) -> TestStep {
        let mut step = TestStep::default();
        for change in changes {
            match change {
                Given::Fact(atom) => step.given.extend(self.given(atom, ground, filler, out)),
                Given::Retracted(atom, _) => step.retracted.extend(self.retracted(atom, ground, out)),
                Given::Now(micros, _) => step.now = Some(*micros),
                Given::From(path, span) => step.given_from.push((path.clone(), *span)),
            }
        }
        for retracted in &step.retracted {
            let same = |given: &&checked::Given| {
                given.relation == retracted.relation
                    && given.values == retracted.values
                    && given.filled.is_empty()
            };
            if let Some(given) = step.given.iter().find(same) {
                let message = "a fact is given and retracted in one step";
                let fault = error(BAD_TEST, message, retracted.span).at(given.span, "given here");
                out.push(fault.help("write a `then` for each"));
            }
        }
        step.expect = expect.iter().filter_map(|item| self.expectation(item, ground, out)).collect();
        step
    }

    /// Reports a clock that goes back.
    fn clock(&self, test: &tree::Test, out: &mut Vec<Diagnostic>) {
        let mut last = test.now;
        for change in test.steps.iter().flat_map(|step| &step.changes) {
            let Given::Now(micros, span) = *change else { continue };
            if let Some((_, before)) = last.filter(|(before, _)| micros < *before) {
                let fault = error(BAD_TEST, "the clock of a test goes back", span);
                out.push(fault.at(before, "before it").help("write the steps in the order of their times"));
            }
            last = Some((micros, span));
        }
    }

    fn fill(&self, step: &mut TestStep, filler: &mut Filler) {
        let whole = |given: &mut checked::Given| {
            given.filled.is_empty() || filler.fill(self.names.entry(given.relation), given).is_some()
        };
        step.given.retain_mut(whole);
    }

    fn sets(&self, sets: &[(Ident, tree::Expr)], out: &mut Vec<Diagnostic>) -> Vec<(Symbol, Value)> {
        let mut checked = Vec::new();
        for (name, expr) in sets {
            let Some(value) = literal(expr) else {
                if !matches!(expr.kind, tree::ExprKind::Error) {
                    out.push(not_literal(&format!("the value of `{}`", name.name), expr.span));
                }
                continue;
            };
            match check_set(self.names, name.name, value, written(self.sources, expr.span)) {
                Ok(()) => {
                    out.extend(self.negative_limit(name.name, value, expr.span));
                    checked.push((name.name, value));
                }
                Err(Some(fault)) if fault.code == codes::UNKNOWN_PARAM => out.push(fault.at(name.span, "")),
                Err(fault) => out.extend(fault.map(|fault| fault.at(expr.span, "set by this test"))),
            }
        }
        checked
    }

    /// The error for a parameter that is the count of a limit, and is set below 0.
    fn negative_limit(&self, name: Symbol, value: Value, span: Span) -> Option<Diagnostic> {
        let (param, _) = self.names.param(name)?;
        let (limit, Value::Int(n)) = (self.limits.get(&param)?, value) else { return None };
        Some(negative_limit(n, span)?.at(*limit, "the limit").help("write an int of at least 0"))
    }

    fn given(
        &self,
        atom: &tree::Atom,
        ground: &Ground<'_>,
        filler: &mut Filler,
        out: &mut Vec<Diagnostic>,
    ) -> Option<checked::Given> {
        let faults = out.len();
        let Some((relation, entry, mut cells)) = self.cells(atom, ground, out) else {
            self.advise_rest(atom, out.get_mut(faults));
            return None;
        };
        let stated = |cell: &Cell| match cell {
            Cell::Value(value) => Some(*value),
            _ => None,
        };
        filler.note(relation, &cells.iter().map(stated).collect::<Vec<_>>());
        let mut filled = Vec::new();
        if atom.rest.is_some() {
            // A value of any type, until all that the test states is known.
            for (at, cell) in cells.iter_mut().enumerate().filter(|(_, cell)| matches!(cell, Cell::Missing)) {
                *cell = Cell::Value(Value::Bool(false));
                filled.push(at);
            }
        }
        match whole(entry, &cells, atom.span) {
            Ok(values) => Some(checked::Given { relation, values: values?, filled, span: atom.span }),
            Err(fault) => {
                out.push(fault.help(format!(
                    "write: `{}`; `..` fills the other columns in",
                    self.partial(entry, atom)
                )));
                None
            }
        }
    }

    /// Gives a fact with too few terms the form by name.
    fn advise_rest(&self, atom: &tree::Atom, fault: Option<&mut Diagnostic>) {
        let entry = self.names.find(atom.relation.name).map(|(_, entry)| entry);
        let entry = entry.filter(|entry| atom.exprs().count() < entry.columns.len());
        if let (Some(entry), Some(fault)) = (entry, fault.filter(|fault| fault.code == codes::WRONG_ARITY)) {
            let form = self.partial(entry, atom);
            fault.help.push(format!("write: `{form}`; `..` fills the other columns in"));
        }
    }

    fn retracted(
        &self,
        atom: &tree::Atom,
        ground: &Ground<'_>,
        out: &mut Vec<Diagnostic>,
    ) -> Option<checked::Given> {
        let (relation, entry, cells) = self.cells(atom, ground, out)?;
        match whole(entry, &cells, atom.span) {
            Ok(values) => {
                Some(checked::Given { relation, values: values?, filled: Vec::new(), span: atom.span })
            }
            Err(fault) => {
                out.push(
                    fault.help(
                        "write the values that the fact was given with; `..` fills only given facts in",
                    ),
                );
                None
            }
        }
    }

    /// The relation of a fact, and what stands in its columns.
    fn cells(
        &self,
        atom: &tree::Atom,
        ground: &Ground<'_>,
        out: &mut Vec<Diagnostic>,
    ) -> Option<(RelationId, &Entry, Vec<Cell>)> {
        let Some((id, entry)) = self.names.find(atom.relation.name) else {
            out.push(missing_relation(self.names, atom.relation, atom.exprs().count()));
            return None;
        };
        let faults = out.len();
        let Some(terms) = terms(atom, entry, out) else {
            // What is open in an atom of a body is not so in a fact.
            let arity = out.iter_mut().skip(faults).filter(|fault| fault.code == codes::WRONG_ARITY);
            arity.for_each(|fault| fault.help.clear());
            return None;
        };
        Some((id, entry, ground.cells(entry, atom, &terms, out)))
    }

    /// A fact by name with what it states, and `..`.
    fn partial(&self, entry: &Entry, atom: &tree::Atom) -> String {
        let stated = |term: &tree::Expr| !matches!(term.kind, tree::ExprKind::Wildcard);
        let named = |name: Symbol, term: &tree::Expr| format!("{name}: {}, ", self.sources.slice(term.span));
        let columns: String = match &atom.args {
            tree::Args::Named(args) => args
                .iter()
                .filter(|(_, term)| stated(term))
                .map(|(name, term)| named(name.name, term))
                .collect(),
            tree::Args::Positional(terms) => {
                let columns = entry.columns.iter().zip(terms).filter(|(_, term)| stated(term));
                columns.map(|(slot, term)| named(slot.name, term)).collect()
            }
        };
        format!("{}({columns}..).", entry.name)
    }

    fn expectation(
        &self,
        item: &tree::Expectation,
        ground: &Ground<'_>,
        out: &mut Vec<Diagnostic>,
    ) -> Option<Expectation> {
        match &item.kind {
            ExpectationKind::Holds(literals, because) => {
                let because = because.map(|because| self.reason(because, out));
                let body = self.body(false, literals, item.span, out);
                match (body?, because) {
                    (Expectation::Body { negated, body, variables, within, span, .. }, Some(id)) => {
                        let because = Some(id?);
                        Some(Expectation::Body { negated, body, variables, within, because, span })
                    }
                    (body, _) => Some(body),
                }
            }
            ExpectationKind::No(literals) => self.body(true, literals, item.span, out),
            ExpectationKind::Undetermined(literals) => self.open(literals, item.span, out),
            ExpectationKind::Exactly { relation, rows, within } => {
                self.exactly(*relation, rows, within.as_ref(), item.span, ground, out)
            }
        }
    }

    fn reason(&self, because: Because, out: &mut Vec<Diagnostic>) -> Option<(Reason, Span)> {
        let id = match because {
            Because::Rule(id) => id,
            Because::Sentence(text, span) => return Some((Reason::Sentence(text), span)),
        };
        if self.ids.contains(&id.name) {
            return Some((Reason::Rule(id.name), id.span));
        }
        let diagnostic = error(codes::UNKNOWN_ID, format!("unknown rule id `{}`", id.name), id.span);
        let known = self.ids.iter().map(|known| known.as_str());
        out.push(match nearest(id.name.as_str(), known) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None => diagnostic.help(format!("give the rule its id: `@id({})`", id.name)),
        });
        None
    }

    /// `undetermined p(a, _).`
    fn open(&self, literals: &[tree::Literal], span: Span, out: &mut Vec<Diagnostic>) -> Option<Expectation> {
        let [tree::Literal { kind: LiteralKind::Atom { negated: false, atom }, .. }] = literals else {
            let fault = error(BAD_TEST, "`undetermined` takes one atom", span);
            out.push(fault.help("write: `undetermined p(a, _).`, where `_` stands for any value"));
            return None;
        };
        let AtomPattern { relation, values, .. } = pattern(self.names, atom, self.sources, out)?;
        Some(Expectation::Undetermined { relation, values, span })
    }

    fn body(
        &self,
        negated: bool,
        literals: &[tree::Literal],
        span: Span,
        out: &mut Vec<Diagnostic>,
    ) -> Option<Expectation> {
        let vars = Vars::of_body(literals, self.sources);
        let faults = out.len();
        let mut clauses = body(literals, self.names, &vars, self.sources, out);
        let within = clauses.iter().map(|clause| self.clause_distance(clause, out)).collect();
        let bound = bind(&mut clauses, &vars, self.sources);
        let mut uses = Uses::default();
        uses.body(&clauses, &vars, self.sources);
        uses.report(&bound, &clauses, &vars, self.names, out);
        let mut typer = Typer::new(self.names, self.sources, &vars);
        let binders = typer.learn(&clauses, &bound);
        let body = typer.literals(&clauses, binders);
        let variables = variables(&typer);
        out.append(&mut typer.out);
        let checked = Expectation::Body { negated, body: body?, variables, within, because: None, span };
        (out.len() == faults).then_some(checked)
    }

    fn clause_distance(&self, clause: &Clause<'_>, out: &mut Vec<Diagnostic>) -> Option<f64> {
        let Clause::Atom { negated, relation, within: Some(within), .. } = clause else { return None };
        if *negated {
            let message = "`~` can't be used in a negated atom";
            out.push(error(codes::FAULTY_DISTANCE, message, within.span));
            return None;
        }
        distance(within, self.names.entry(*relation), out)
    }

    fn exactly(
        &self,
        relation: Ident,
        rows: &[(Vec<tree::Expr>, Span)],
        within: Option<&tree::Expr>,
        span: Span,
        ground: &Ground<'_>,
        out: &mut Vec<Diagnostic>,
    ) -> Option<Expectation> {
        let Some((id, entry)) = self.names.find(relation.name) else {
            out.push(missing_relation(self.names, relation, rows.first().map_or(0, |(row, _)| row.len())));
            return None;
        };
        let values: Vec<_> = rows
            .iter()
            .map(|(row, span)| Some((ground.positional(entry, row, *span, out)?, *span)))
            .collect();
        let within = match within {
            Some(within) => Some(distance(within, entry, out)?),
            None => None,
        };
        let rows = values.into_iter().collect::<Option<Vec<_>>>()?;
        Some(Expectation::Exactly { relation: id, rows, within, span })
    }
}

/// The distance after `~`, for a relation with a float column.
fn distance(written: &tree::Expr, entry: &Entry, out: &mut Vec<Diagnostic>) -> Option<f64> {
    let floats = entry.columns.iter().any(|slot| slot.ty.as_ref().is_none_or(|ty| ty.ty == Type::Float));
    if !floats {
        let message = format!("`~` compares floats, and `{}` has no float column", entry.name);
        out.push(error(codes::FAULTY_DISTANCE, message, written.span).note(format!("its form is `{entry}`")));
        return None;
    }
    match literal(written) {
        Some(Value::Float(distance)) if distance.get() >= 0.0 => Some(distance.get()),
        found => {
            let better = match found {
                Some(Value::Int(n)) if n >= 0 => format!("{n}.0"),
                _ => String::from("0.001"),
            };
            out.push(
                error(codes::FAULTY_DISTANCE, "a tolerance is a float of at least 0.0", written.span)
                    .help(format!("write `{better}`"))
                    .fix(written.span, better),
            );
            None
        }
    }
}
