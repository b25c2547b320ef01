//! Rules: names resolved and safety checked once, then types, as often as inference asks.

use std::collections::HashMap;

use crate::builtins::term::Variable;
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::{ColumnType, Kind, RelationId};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Type;
use hence_syntax::tree;

use super::advice::advise;
use super::bind::{Bound, bind};
use super::checked;
use super::clause::Clause;
use super::codes;
use super::declare::doc;
use super::draft::{arity, body};
use super::head::as_aggregate;
use super::names::{Entry, Names};
use super::safety::{Role, Uses, fact};
use super::typing::{Typer, VarType};
use super::uses::{Vars, for_each_use};
use super::values::error;

/// A rule whose names are resolved and whose safety is checked.
pub(super) struct Draft<'t> {
    pub(super) rule: &'t tree::Rule,
    pub(super) id: Symbol,
    pub(super) head: RelationId,
    pub(super) vars: Vars,
    pub(super) clauses: Vec<Clause<'t>>,
    pub(super) bound: Bound,
    /// Whether something of it was reported.
    pub(super) faulty: bool,
}

/// Resolves the rules of all files; those of no relation were reported before.
pub(super) fn drafts<'t>(
    rules: &[&'t tree::Rule],
    names: &Names,
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Vec<Draft<'t>> {
    let ids = ids(rules, out);
    let known =
        rules.iter().zip(ids).filter_map(|(rule, id)| Some((rule, id, names.relation(rule.head.name)?)));
    known
        .map(|(rule, id, head)| {
            let mut own = Vec::new();
            let draft = draft(rule, id, head, names, sources, &mut own);
            let faulty = !own.is_empty();
            out.append(&mut own);
            Draft { faulty, ..draft }
        })
        .collect()
}

/// The identity of each rule: its `@id`, or relation and ordinal over all files.
fn ids(rules: &[&tree::Rule], out: &mut Vec<Diagnostic>) -> Vec<Symbol> {
    let mut ordinals: HashMap<Symbol, usize> = HashMap::new();
    let mut places: HashMap<Symbol, Span> = HashMap::new();
    let mut ids = Vec::with_capacity(rules.len());
    for rule in rules {
        let ordinal = ordinals.entry(rule.head.name).or_default();
        *ordinal += 1;
        let Some(id) = rule.id else {
            ids.push(Symbol::new(&format!("{}#{ordinal}", rule.head.name)));
            continue;
        };
        if let Some(first) = places.get(&id.name) {
            out.push(
                Diagnostic::new(codes::ID_TWICE, format!("duplicate rule id `{}`", id.name))
                    .at(id.span, "again here")
                    .at(*first, "first here")
                    .help("an id identifies one rule in proofs and logs: choose another one"),
            );
        } else {
            places.insert(id.name, id.span);
        }
        ids.push(id.name);
    }
    ids
}

fn draft<'t>(
    rule: &'t tree::Rule,
    id: Symbol,
    head: RelationId,
    names: &Names,
    sources: &Sources,
    out: &mut Vec<Diagnostic>,
) -> Draft<'t> {
    let vars = Vars::of_rule(rule, sources);
    let mut clauses = body(&rule.body, names, &vars, sources, out);
    no_distances(&clauses, out);
    let bound = bind(&mut clauses, &vars, sources);
    check_head(rule, names.entry(head), out);
    check_rank(rule, &vars, &bound, sources, out);
    check_limit(rule, out);
    if rule.body.is_empty() {
        fact(rule, sources, out);
    } else {
        uses(rule, &clauses, &vars, sources).report(&bound, &clauses, &vars, names, out);
    }
    Draft { rule, id, head, vars, clauses, bound, faulty: false }
}

/// All uses of variables in a rule; a rank in the head is judged by [`check_rank`].
fn uses(rule: &tree::Rule, clauses: &[Clause<'_>], vars: &Vars, sources: &Sources) -> Uses {
    let mut uses = Uses::default();
    uses.rank = rule.limit.as_ref().and_then(|limit| vars.get(limit.rank?.name));
    rule.terms.iter().for_each(|term| uses.expr(term, Role::Head, vars, sources));
    uses.body(clauses, vars, sources);
    if let Some(limit) = &rule.limit {
        uses.limit(limit, vars, sources);
    }
    uses
}

fn check_head(rule: &tree::Rule, entry: &Entry, out: &mut Vec<Diagnostic>) {
    if entry.kind == Kind::Input && rule.kind == tree::RuleKind::Derives {
        let what = if rule.body.is_empty() { "fact" } else { "rule" };
        let message = format!("`{}` is an input, which a {what} in a rule file can't define", entry.name);
        let diagnostic = Diagnostic::new(codes::DERIVED_INPUT, message).at(rule.head.span, "derived here");
        let diagnostic = if entry.span == Span::default() {
            diagnostic
        } else {
            diagnostic.at(entry.span, "declared as an input here")
        };
        out.push(diagnostic.help(if rule.body.is_empty() {
            "assert it from outside, or declare it with `relation` if rule files define its facts"
        } else {
            "declare it with `relation` or `decision` if rules derive it; `feed` before the rule adds to an input, \
             `then` asserts it"
        }));
    }
    if rule.terms.len() != entry.columns.len() {
        out.push(arity(entry, rule.terms.len(), rule.head.span));
    }
}

/// `~` compares in expectations only.
pub(super) fn no_distances(clauses: &[Clause<'_>], out: &mut Vec<Diagnostic>) {
    for clause in clauses {
        if let Clause::Atom { within: Some(within), .. } = clause {
            out.push(
                error(codes::FAULTY_DISTANCE, "`~` is allowed only in the `expect` of a test", within.span)
                    .help("in a rule, write `abs(X - Y) < 0.001`"),
            );
        }
    }
}

/// The rank is bound by the limit alone and is a whole term of the head.
fn check_rank(rule: &tree::Rule, vars: &Vars, bound: &Bound, sources: &Sources, out: &mut Vec<Diagnostic>) {
    let Some(rank) = free_rank(rule.limit.as_ref(), vars, bound, out) else { return };
    let is_whole =
        |term: &&tree::Expr| matches!(term.kind, tree::ExprKind::Variable(name) if name == rank.name);
    let (whole, other): (Vec<_>, Vec<_>) = rule.terms.iter().partition(is_whole);
    if whole.is_empty() {
        let message = format!("the rank `{}` is not a term of the head", rank.name);
        out.push(
            error(codes::FAULTY_RANK, message, rank.span)
                .help(format!("add it to the head of `{}`, or remove `as {}`", rule.head.name, rank.name)),
        );
        return;
    }
    // Head facts are ranked, so there is no fact to rank before an expression of the rank has a value.
    for term in other {
        for_each_use(term, sources, &mut |name, span| {
            if name == rank.name {
                let message = format!("the rank `{name}` is used inside a term of the head");
                out.push(error(codes::FAULTY_RANK, message, span).help(format!(
                    "derive a relation that has `{name}` as a whole column, and use it in a rule for `{}`",
                    rule.head.name
                )));
            }
        });
    }
}

impl Typer<'_> {
    /// Takes in that the rank of a limit is an int.
    pub(super) fn ranks(&mut self, limit: Option<&tree::Limit>) {
        let rank = limit.and_then(|limit| limit.rank);
        if let Some((rank, var)) = rank.and_then(|rank| Some((rank, self.vars.get(rank.name)?))) {
            self.known[var] = VarType { ty: Some(ColumnType::plain(Type::Int)), origin: rank.span };
        }
    }
}

/// The rank of a limit, which the body doesn't bind.
pub(super) fn free_rank(
    limit: Option<&tree::Limit>,
    vars: &Vars,
    bound: &Bound,
    out: &mut Vec<Diagnostic>,
) -> Option<tree::Ident> {
    let rank = limit?.rank?;
    if vars.get(rank.name).is_some_and(|var| bound.has(var)) {
        let message = format!("the rank `{}` is already bound by the body", rank.name);
        out.push(error(codes::FAULTY_RANK, message, rank.span).help("use another variable for the rank"));
    }
    Some(rank)
}

/// A rule aggregates or keeps the first of its facts, not both.
fn check_limit(rule: &tree::Rule, out: &mut Vec<Diagnostic>) {
    let Some(limit) = &rule.limit else { return };
    if let Some(term) = rule.terms.iter().find(|term| as_aggregate(term).is_some()) {
        out.push(
            Diagnostic::new(codes::AGGREGATE_AND_LIMIT, "a rule can't have both an aggregate and a limit")
                .at(term.span, "the aggregate")
                .at(limit.span, "the limit")
                .help("move the aggregate into a relation of its own, and put the limit on a rule that reads it"),
        );
    }
}

impl<'t> Draft<'t> {
    /// A typer that knows the type of the rank.
    pub(super) fn typer<'a>(&'a self, names: &'a Names, sources: &'a Sources) -> Typer<'a> {
        let mut typer = Typer::new(names, sources, &self.vars);
        let rank = self.rule.limit.as_ref().filter(|limit| {
            limit.rank.and_then(|rank| self.vars.get(rank.name)).is_some_and(|var| !self.bound.has(var))
        });
        typer.ranks(rank);
        typer
    }

    /// The checked rule; `None` where something of it is faulty. Sets `faulty` where something was reported.
    pub(super) fn check(
        &mut self,
        names: &Names,
        sources: &Sources,
        out: &mut Vec<Diagnostic>,
    ) -> Option<checked::Rule> {
        let (rule, mut own, poisoned) = self.typed(names, sources);
        let faulty = self.faulty || poisoned || !own.is_empty();
        self.faulty = faulty;
        advise(self.rule, &self.vars, sources, &mut own);
        out.append(&mut own);
        rule.filter(|_| !faulty)
    }

    fn typed(&self, names: &Names, sources: &Sources) -> (Option<checked::Rule>, Vec<Diagnostic>, bool) {
        let mut typer = self.typer(names, sources);
        let binders = typer.learn(&self.clauses, &self.bound);
        let body = typer.literals(&self.clauses, binders);
        let entry = names.entry(self.head);
        let terms = typer.head(entry, &self.rule.terms);
        let limit = self.rule.limit.as_ref().map(|limit| typer.limit(limit));
        let because = self.rule.because.map(|(text, span)| typer.sentence(text, span, &entry.columns));
        let variables = variables(&typer);
        let rule = (|| {
            Some(checked::Rule {
                id: self.id,
                head: self.head,
                head_span: self.rule.head.span,
                terms: terms?,
                body: body?,
                variables,
                limit: transpose(limit)?,
                because: transpose(because)?,
                doc: doc(&self.rule.doc),
                span: self.rule.span,
            })
        })();
        (rule, typer.out, typer.poisoned)
    }
}

/// `None` where a part is there and faulty.
fn transpose<T>(part: Option<Option<T>>) -> Option<Option<T>> {
    match part {
        None => Some(None),
        Some(None) => None,
        Some(some) => Some(some),
    }
}

/// The variables with their types; the type of one that nothing binds doesn't matter.
pub(super) fn variables(typer: &Typer<'_>) -> Vec<Variable> {
    let known = typer.vars.names().iter().zip(typer.known.iter());
    known
        .map(|(name, known)| Variable {
            name: *name,
            ty: known.ty.clone().unwrap_or(ColumnType::plain(Type::Int)),
        })
        .collect()
}
