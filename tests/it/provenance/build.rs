//! Programs and inputs put together by hand.

use hence_core::fact::Fact;
use hence_core::schema::{Column, ColumnType, Kind, Relation, RelationId};
use hence_core::span::Span;
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value};
use hence_engine::Naive;
use hence_engine::{Database, Engine, Limits, Model};
use hence_lang::builtins::aggregate::Aggregate;
use hence_lang::builtins::expr::{Expr, ExprKind, VarId};
use hence_lang::builtins::op::Op;
use hence_lang::ir::{
    Arg, Atom, Limit, Literal, Part, Program, Rule, RuleId, Sentence, Stratum, Term, Variable,
};
use hence_proof::Explanation;
use hence_proof::proof::{Proof, StepKind};

/// A program under construction, with its input.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) program: Program,
    input: Vec<(RelationId, Vec<Value>)>,
}

pub(super) fn text(value: &str) -> Value {
    Value::String(Symbol::new(value))
}

pub(super) fn float(value: f64) -> Value {
    Value::Float(Float::new(value).unwrap())
}

impl Builder {
    pub(super) fn relation(&mut self, kind: Kind, name: &str, columns: &[(&str, Type)]) -> RelationId {
        let column = |(name, ty): &(&str, Type)| Column::new(*name, ColumnType::plain(*ty));
        self.program.relations.push(Relation {
            name: Symbol::new(name),
            kind,
            columns: columns.iter().map(column).collect(),
            doc: String::new(),
            requires: None,
            authors: None,
            personal: Vec::new(),
            span: Span::default(),
        });
        RelationId(self.program.relations.len() as u32 - 1)
    }

    pub(super) fn fact(&mut self, relation: RelationId, values: &[Value]) {
        self.input.push((relation, values.to_vec()));
    }

    /// Adds the rule; it gets an identity by its relation and place.
    pub(super) fn rule(&mut self, rule: RuleMaker) -> RuleId {
        let id = RuleId(self.program.rules.len() as u32);
        let mut rule = rule.rule;
        let name = self.program.relation(rule.head).unwrap().name;
        rule.id = Symbol::new(&format!("{name}#{}", id.0 + 1));
        self.program.rules.push(rule);
        id
    }

    pub(super) fn stratum(&mut self, relations: &[RelationId], rules: &[RuleId], recursive: bool) {
        let stratum = Stratum { relations: relations.to_vec(), rules: rules.to_vec(), recursive };
        self.program.strata.push(stratum);
    }

    pub(super) fn model(&self) -> Model {
        Naive.evaluate(&self.program, self.database(), &Limits::default()).unwrap()
    }

    pub(super) fn database(&self) -> Database {
        let mut database = Database::new(&self.program);
        for (relation, values) in &self.input {
            database.push(*relation, &values.iter().map(|value| value.word()).collect::<Vec<_>>());
        }
        database
    }
}

/// A rule under construction; variables are named by their first use.
pub(super) struct RuleMaker {
    rule: Rule,
}

impl RuleMaker {
    pub(super) fn new(head: RelationId, variables: &[(&str, Type)]) -> Self {
        let variable =
            |(name, ty): &(&str, Type)| Variable { name: Symbol::new(name), ty: ColumnType::plain(*ty) };
        Self {
            rule: Rule {
                id: Symbol::new(""),
                head,
                head_span: Span::default(),
                terms: Vec::new(),
                body: Vec::new(),
                variables: variables.iter().map(variable).collect(),
                limit: None,
                because: None,
                doc: String::new(),
                span: Span::default(),
            },
        }
    }

    pub(super) fn var(&self, at: u32) -> Expr {
        let ty = self.rule.variables[at as usize].ty.ty;
        Expr { kind: ExprKind::Var(VarId(at)), ty, span: Span::default() }
    }

    pub(super) fn head(mut self, vars: &[u32]) -> Self {
        let terms: Vec<_> = vars.iter().map(|var| Term::Expr(self.var(*var))).collect();
        self.rule.terms.extend(terms);
        self
    }

    pub(super) fn aggregate(mut self, aggregate: Aggregate, args: &[u32]) -> Self {
        let args = args.iter().map(|var| self.var(*var)).collect();
        self.rule.terms.push(Term::Aggregate { aggregate, args, span: Span::default() });
        self
    }

    fn made(relation: RelationId, args: &[Option<u32>]) -> Atom {
        let arg = |arg: &Option<u32>| arg.map_or(Arg::Any, |var| Arg::Var(VarId(var)));
        Atom { relation, args: args.iter().map(arg).collect(), span: Span::default() }
    }

    pub(super) fn atom(mut self, relation: RelationId, args: &[Option<u32>]) -> Self {
        self.rule.body.push(Literal::Atom(Self::made(relation, args)));
        self
    }

    pub(super) fn not(mut self, relation: RelationId, args: &[Option<u32>]) -> Self {
        self.rule.body.push(Literal::Not(Self::made(relation, args)));
        self
    }

    pub(super) fn test(mut self, op: Op, left: u32, right: Value) -> Self {
        let right = Expr { kind: ExprKind::Const(right), ty: right.ty(), span: Span::default() };
        let call = ExprKind::Call(op, vec![self.var(left), right]);
        let expr = Expr { kind: call, ty: Type::Bool, span: Span::default() };
        self.rule.body.push(Literal::Test { expr, span: Span::default() });
        self
    }

    pub(super) fn because(mut self, parts: Vec<Part>) -> Self {
        self.rule.because = Some(Sentence { parts });
        self
    }

    pub(super) fn limit(mut self, count: i64, per: &[u32], by: &[(u32, bool)], rank: Option<u32>) -> Self {
        let kind = ExprKind::Const(Value::Int(count));
        self.rule.limit = Some(Limit {
            count: Expr { kind, ty: Type::Int, span: Span::default() },
            per: per.iter().map(|var| VarId(*var)).collect(),
            by: by.iter().map(|(var, descending)| (self.var(*var), *descending)).collect(),
            rank: rank.map(VarId),
            span: Span::default(),
        });
        self
    }
}

pub(super) fn facts(program: &Program, model: &Model, relation: RelationId) -> Vec<Fact> {
    let known = program.relation(relation).unwrap();
    let types: Vec<_> = known.types().collect();
    let rows = model.extent(relation).unwrap().rows.iter();
    let fact = |row: &[hence_core::value::Word]| {
        let values: Vec<_> = types.iter().zip(row).map(|(ty, word)| Value::from_word(*ty, *word)).collect();
        Fact::new(known.name, values)
    };
    rows.map(fact).collect()
}

/// The last step of a proof in short.
pub(super) fn last_step(proof: &Proof) -> Option<Explanation> {
    match &proof.steps[0].kind {
        StepKind::Asserted { .. } | StepKind::Cut => None,
        StepKind::ProgramFact { id, .. } => Some(Explanation { rule: *id, sentence: None }),
        StepKind::Derived(derived) => {
            Some(Explanation { rule: derived.rule, sentence: derived.sentence.clone() })
        }
    }
}
