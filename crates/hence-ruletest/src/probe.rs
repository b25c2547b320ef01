//! Questions to a finished model: bodies asked by themselves, without evaluating the rules once more.

use std::collections::BTreeSet;

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{Column, Kind, Relation, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Engine, Model, SemiNaive};
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::term::{Limit, Term, Variable};
use hence_lang::ir::{Arg, Atom, Literal, Program, Rule, RuleId, Stratum};
use hence_lang::lower::holds_values;

use super::case::limits;

/// Questions to models of one program.
pub(super) struct Probes {
    program: Program,
}

/// What the questions gave.
pub(super) struct Answers {
    program: Program,
    model: Model,
}

impl Probes {
    /// No questions yet.
    pub(super) fn new(program: &Program) -> Self {
        let mut relations = program.relations.clone();
        relations.iter_mut().for_each(|relation| relation.kind = Kind::Input);
        let program = Program { relations, params: program.params.clone(), ..Program::default() };
        Self { program }
    }

    /// Asks for the values of `wanted` in all matches of a body.
    pub(super) fn ask(&mut self, body: Vec<Literal>, variables: &[Variable], wanted: &[VarId]) -> RelationId {
        let terms = wanted.iter().map(|var| {
            let ty = variables.get(var.at()).or_broken(VarId::INVARIANT).ty.ty;
            Term::Expr(Expr { kind: ExprKind::Var(*var), ty, span: Span::default() })
        });
        let terms = terms.collect();
        self.rule(terms, body, variables, None)
    }

    /// Asks for the facts of a whole rule.
    pub(super) fn rule(
        &mut self,
        terms: Vec<Term>,
        body: Vec<Literal>,
        variables: &[Variable],
        limit: Option<Limit>,
    ) -> RelationId {
        let head = RelationId(self.program.relations.len() as u32);
        let rule = RuleId(self.program.rules.len() as u32);
        let name = Symbol::new(&format!("?{}", head.0));
        let columns =
            terms.iter().map(|term| Column::new(name, hence_core::schema::ColumnType::plain(ty(term))));
        self.program.relations.push(Relation {
            name,
            kind: Kind::Derived,
            columns: columns.collect(),
            doc: String::new(),
            requires: None,
            authors: None,
            personal: Vec::new(),
            span: Span::default(),
        });
        self.program.rules.push(Rule {
            id: name,
            head,
            head_span: Span::default(),
            terms,
            body,
            variables: variables.to_vec(),
            limit,
            because: None,
            doc: String::new(),
            span: Span::default(),
        });
        self.program.strata.push(Stratum { relations: vec![head], rules: vec![rule], recursive: false });
        head
    }

    /// Puts the questions to a model; `None` where a limit is reached.
    pub(super) fn put(self, model: &Model) -> Option<Answers> {
        let mut input = Database::new(&self.program);
        // A model that tells what follows possibly has more relations than these.
        for (id, extent) in (0..).map(RelationId).zip(&model.relations) {
            if self.program.relation(id).is_some_and(|relation| relation.kind == Kind::Input) {
                extent.rows.iter().for_each(|row| input.push(id, row));
            }
        }
        let model = SemiNaive.evaluate(&self.program, input, &limits()).ok()?;
        Some(Answers { program: self.program, model })
    }
}

/// The type of a head term's values.
fn ty(term: &Term) -> hence_core::value::Type {
    use hence_core::value::Type;
    use hence_lang::builtins::aggregate::Aggregate;
    match term {
        Term::Expr(expr) => expr.ty,
        Term::Aggregate { aggregate, args, .. } => {
            let of = args.first().map_or(Type::Int, |arg| arg.ty);
            match aggregate {
                Aggregate::Count | Aggregate::CountDistinct => Type::Int,
                Aggregate::Mean | Aggregate::Median if of == Type::Int => Type::Float,
                Aggregate::StdDev => Type::Float,
                _ => of,
            }
        }
    }
}

impl Answers {
    /// How many answers a question has.
    pub(super) fn count(&self, question: RelationId) -> usize {
        self.model[question].rows.len()
    }

    /// The smallest answer, by the order of its values.
    pub(super) fn first(&self, question: RelationId) -> Option<Vec<Value>> {
        let types: Vec<_> = self.program[question].types().collect();
        let rows = &self.model[question].rows;
        let value = |row: &[Word]| -> Vec<Value> {
            types.iter().zip(row).map(|(ty, word)| Value::from_word(*ty, *word)).collect()
        };
        rows.iter().map(value).min()
    }
}

/// The variables that a literal needs bound before it can be judged. `made` are those that a bind or generator of
/// the body makes: an atom reads them. What gives an aggregate its group stands outside it.
fn required_variables(program: &Program, literal: &Literal, made: &BTreeSet<VarId>) -> BTreeSet<VarId> {
    let read = literal.positive().into_iter().flat_map(Atom::vars);
    let mut vars: BTreeSet<VarId> = read.filter(|var| made.contains(var)).collect();
    if let Some(values) = literal.positive().filter(|atom| holds_values(program, atom.relation)) {
        let group = values.args.len().saturating_sub(1);
        vars.extend(values.args.iter().take(group).filter_map(|arg| match arg {
            Arg::Var(var) => Some(*var),
            _ => None,
        }));
    }
    literal.for_each_needed(&mut |var| vars.extend([var]));
    vars
}

/// The variables that literals of a body make.
pub(super) fn made(body: &[Literal]) -> BTreeSet<VarId> {
    body.iter().filter_map(Literal::computed).collect()
}

/// The places of the literals in an order in which each finds its variables bound, as near to the text as can be;
/// those that can't be judged without the literal at `without` are left out.
pub(super) fn order(program: &Program, body: &[Literal], without: Option<usize>) -> Vec<usize> {
    let made = made(body);
    let literal = |at: usize| body.get(at).or_broken("an order has the literals of its body");
    let mut left: Vec<usize> = (0..body.len()).filter(|at| Some(*at) != without).collect();
    let (mut bound, mut placed) = (BTreeSet::new(), Vec::new());
    let ready =
        |at: usize, bound: &BTreeSet<VarId>| required_variables(program, literal(at), &made).is_subset(bound);
    while let Some(next) = left.iter().position(|at| ready(*at, &bound)) {
        let at = left.remove(next);
        bound.extend(literal(at).binds());
        placed.push(at);
    }
    placed
}
