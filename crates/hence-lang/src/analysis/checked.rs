//! A checked program: every name resolved, every expression typed, every rule safe. Still close to the text:
//! atoms hold expressions, and no order of evaluation is chosen.

use std::ops::Index;

use crate::builtins::aggregate::Aggregate;
use crate::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use crate::builtins::generator::Generator;
use crate::builtins::rule;
use crate::builtins::term::Variable;
use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{ColumnType, Kind, Param, Relation, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::Value;
use hence_syntax::tree;

/// A checked rule set.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// All relations, `now(at: time)` always among them; [`RelationId`] is the place here.
    pub relations: Vec<Relation>,
    /// All parameters, with the values that were set for this run.
    pub params: Vec<Param>,
    /// All rules and facts, file by file in the order of loading, in the order of the text.
    pub rules: Vec<Rule>,
    /// The guards of decisions, one for each fact that is needed.
    pub requires: Vec<Requires>,
    /// Guards of several things that hang together.
    pub joint: Vec<Joint>,
    /// The effects, in the order of their rules.
    pub effects: Vec<Effect>,
    /// The inputs whose facts lie in one shard each, in the order of the text.
    pub partitions: Vec<Partition>,
    /// The tests, in the same order as the rules.
    pub tests: Vec<Test>,
}

impl Checked {
    /// Whether a rule or fact asks for the calendar of a time zone.
    pub fn uses_zones(&self) -> bool {
        let mut found = false;
        let mut look =
            |expr: &Expr| found |= matches!(&expr.kind, ExprKind::Call(op, _) if op.zone().is_some());
        for expr in self.rules.iter().flat_map(Rule::exprs) {
            expr.for_each(&mut look);
        }
        found
    }
}

impl Index<RelationId> for Checked {
    type Output = Relation;

    #[track_caller]
    fn index(&self, id: RelationId) -> &Relation {
        self.relations.get(id.at()).or_broken(RelationId::INVARIANT)
    }
}

impl Checked {
    /// How the facts of an input are partitioned, if they are.
    pub fn partition_of(&self, id: RelationId) -> Option<&Partition> {
        self.partitions.iter().find(|partition| partition.relation == id)
    }

    /// Whether rules add to what is asserted of an input.
    pub fn is_fed(&self, id: RelationId) -> bool {
        self[id].kind == Kind::Input && self.rules.iter().any(|rule| rule.head == id)
    }

    /// Whether a relation is an effect's own.
    pub fn is_of_effect(&self, id: RelationId) -> bool {
        self.effects.iter().any(|effect| effect.relation == id)
    }
}

impl Index<ParamId> for Checked {
    type Output = Param;

    #[track_caller]
    fn index(&self, id: ParamId) -> &Param {
        self.params.get(id.at()).or_broken(ParamId::INVARIANT)
    }
}

/// A checked rule: its variables are those of the text, each `_` none of them.
///
/// It is not the rule that engines evaluate: its atoms hold expressions, and its literals are those of the text, which
/// lints, guards and the cycles of strata speak of; `lower` turns them into fewer forms.
pub type Rule = rule::Rule<Literal>;

impl Rule {
    /// The expressions of head, body and limit, those inside aggregates among them.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let limit = self
            .limit
            .iter()
            .flat_map(|limit| std::iter::once(&limit.count).chain(limit.by.iter().map(|(key, _)| key)));
        self.head_exprs().chain(self.body.iter().flat_map(Literal::exprs_within)).chain(limit)
    }
}

/// A checked literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// Some fact matches, or with `negated` none does.
    Atom {
        /// Whether `!` or `not` precedes it.
        negated: bool,
        /// The relation.
        relation: RelationId,
        /// An argument for each column.
        args: Vec<Arg>,
        /// The atom.
        span: Span,
    },
    /// `X = e` (or `e = X`) where nothing else binds `X`.
    Bind {
        /// The variable.
        var: VarId,
        /// Its value.
        expr: Expr,
        /// The literal.
        span: Span,
    },
    /// A bool expression that must hold; comparisons, `=` of bound sides included, are calls.
    Test {
        /// The expression.
        expr: Expr,
        /// The literal.
        span: Span,
    },
    /// `X in generator`.
    Each {
        /// The variable.
        var: VarId,
        /// Whether something else binds the variable too; it then must be among the elements.
        bound: bool,
        /// The generator.
        generator: Generator,
        /// Its arguments (a pattern and a group are part of the generator).
        args: Vec<Expr>,
        /// The literal.
        span: Span,
    },
    /// `N = count { … }`.
    Aggregate(Box<Aggregated>),
}

/// An aggregate over the matches of a body of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregated {
    /// What equals its value.
    pub target: Expr,
    /// The variable that the target is, where nothing else binds it.
    pub binds: Option<VarId>,
    /// The function.
    pub aggregate: Aggregate,
    /// The type of its value.
    pub ty: ColumnType,
    /// Its arguments, over the inner variables.
    pub args: Vec<Expr>,
    /// The inner body, in the order of the text.
    pub body: Vec<Literal>,
    /// The inner variables, by [`VarId`].
    pub variables: Vec<Variable>,
    /// The variables that give the group: as the rule knows each, and as the inner body does.
    pub shared: Vec<(VarId, VarId)>,
    /// The function with its body, as written on one line.
    pub text: Symbol,
    /// The function with its body.
    pub function: Span,
    /// The literal.
    pub span: Span,
}

/// An argument of an atom.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// Matches anything: `_`, or a column that a named atom leaves out.
    Any,
    /// A variable alone, a literal, a parameter, or an expression of variables that are bound elsewhere.
    Expr(Expr),
}

/// A guard: each derivation of `decision` needs a fact of `relation` with these columns.
#[derive(Clone, Debug)]
pub struct Requires {
    /// The guarded decision.
    pub decision: RelationId,
    /// The relation that is needed.
    pub relation: RelationId,
    /// For each column of `relation`, what it must equal.
    pub columns: Vec<Option<Guard>>,
    /// From `requires` to its end.
    pub span: Span,
}

/// What a `then` rule does to an input with each fact of its own relation that begins to hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// The rule, by its place in [`Checked::rules`].
    pub rule: usize,
    /// The rule's own relation, which nothing else derives.
    pub relation: RelationId,
    /// The input.
    pub input: RelationId,
    /// Whether the input's fact is retracted; else it is asserted.
    pub retracts: bool,
    /// For each column of the input the column of the rule's relation that holds its value; the instant of the step
    /// where there is none.
    pub columns: Vec<Option<usize>>,
}

/// `@partition(column)` of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// The input.
    pub relation: RelationId,
    /// The column whose value says in which shard a fact lies.
    pub column: usize,
    /// The column in the annotation.
    pub span: Span,
}

/// What a column of the required relation must equal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guard {
    /// The decision's column at this place.
    Column(usize),
    /// A literal.
    Const(Value),
}

/// A guard whose parts hang together: facts that share a value, or comparisons.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The guarded decision.
    pub decision: RelationId,
    /// The facts that are needed, with what their columns must be.
    pub atoms: Vec<(RelationId, Vec<Option<JointTerm>>)>,
    /// What must compare, the operation that of the language: `=`, `<=`.
    pub tests: Vec<(&'static str, JointTerm, JointTerm)>,
    /// From `requires` to its end.
    pub span: Span,
}

/// A term of a joint guard.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointTerm {
    /// A column of the decision, or a literal.
    Fixed(Guard),
    /// What some required facts have there, by its name.
    Var(Symbol),
}

/// A checked test. Its `expect` items become rules of their own when it is run: see `ruletest`.
#[derive(Clone, Debug)]
pub struct Test {
    /// The name.
    pub name: Symbol,
    /// Parameters that it sets: name and value.
    pub sets: Vec<(Symbol, Value)>,
    /// Its steps in order, at least one.
    pub steps: Vec<TestStep>,
    /// The whole test.
    pub span: Span,
}

impl Test {
    /// What all steps expect, in order.
    pub fn expectations(&self) -> impl Iterator<Item = &Expectation> {
        self.steps.iter().flat_map(|step| &step.expect)
    }
}

/// One step of a test: what changes, and what is expected then.
#[derive(Clone, Debug, Default)]
pub struct TestStep {
    /// The clock from here on, in microseconds since the epoch.
    pub now: Option<i64>,
    /// The facts given.
    pub given: Vec<Given>,
    /// Files of facts given: path and its place.
    pub given_from: Vec<(String, Span)>,
    /// The facts retracted.
    pub retracted: Vec<Given>,
    /// What is expected; names, types and safety have been checked.
    pub expect: Vec<Expectation>,
}

/// A fact that a test gives or retracts.
#[derive(Clone, Debug)]
pub struct Given {
    /// Its relation.
    pub relation: RelationId,
    /// Its values.
    pub values: Vec<Value>,
    /// The columns that the test left out with `..`, by place.
    pub filled: Vec<usize>,
    /// Where it stands.
    pub span: Span,
}

/// Why an expected fact must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The rule of this id is in a proof of it.
    Rule(Symbol),
    /// This is its sentence.
    Sentence(Symbol),
}

/// A checked expectation.
#[derive(Clone, Debug)]
pub enum Expectation {
    /// Some match (`negated` false), or none (`no …`).
    Body {
        /// Whether nothing may match.
        negated: bool,
        /// The literals.
        body: Vec<Literal>,
        /// The variables, by [`VarId`].
        variables: Vec<Variable>,
        /// For the positive literals, by place: the distance within which float columns compare.
        within: Vec<Option<f64>>,
        /// `because …`: why it must hold.
        because: Option<(Reason, Span)>,
        /// The item.
        span: Span,
    },
    /// A row that fits follows possibly and not certainly.
    Undetermined {
        /// The relation.
        relation: RelationId,
        /// The values that were asked for; `None` for any.
        values: Vec<Option<Value>>,
        /// The item.
        span: Span,
    },
    /// The whole relation.
    Exactly {
        /// The relation.
        relation: RelationId,
        /// Its rows.
        rows: Vec<(Vec<Value>, Span)>,
        /// The distance within which float columns compare.
        within: Option<f64>,
        /// The item.
        span: Span,
    },
}

/// What analysis was given: the files in the order of loading.
pub type Files = Vec<tree::File>;
