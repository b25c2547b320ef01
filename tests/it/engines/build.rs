//! Programs made by hand: relations, rules and expressions in a few words, strata worked out.

use hence_core::schema::{Column, ColumnType, Kind, Param, Relation, RelationId};
use hence_core::span::{FileId, Span};
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type, Value};
use hence_lang::builtins::aggregate;
use hence_lang::builtins::expr::{Expr, ExprKind, ParamId, VarId};
use hence_lang::builtins::generator::Generator;
use hence_lang::builtins::op;
use hence_lang::ir::{Arg, Atom, GroundFact, Limit, Literal, Program, Rule, RuleId, Stratum, Term, Variable};

/// The variable that stands for `_`.
const ANY: VarId = VarId(u32::MAX);

/// A program in the making.
#[derive(Default)]
pub(crate) struct Build {
    pub(crate) program: Program,
    places: u32,
}

impl Build {
    pub(crate) fn relation(&mut self, name: &str, kind: Kind, types: &[Type]) -> RelationId {
        let column = |(at, ty): (usize, &Type)| {
            Column::new(Symbol::new(&format!("c{}", at + 1)), ColumnType::plain(*ty))
        };
        self.program.relations.push(Relation {
            name: Symbol::new(name),
            kind,
            columns: types.iter().enumerate().map(column).collect(),
            doc: String::new(),
            requires: None,
            authors: None,
            personal: Vec::new(),
            span: Span::default(),
        });
        RelationId(self.program.relations.len() as u32 - 1)
    }

    pub(crate) fn input(&mut self, name: &str, types: &[Type]) -> RelationId {
        self.relation(name, Kind::Input, types)
    }

    pub(crate) fn derived(&mut self, name: &str, types: &[Type]) -> RelationId {
        self.relation(name, Kind::Derived, types)
    }

    pub(crate) fn param(&mut self, name: &str, value: Value) -> Expr {
        self.program.params.push(Param {
            name: Symbol::new(name),
            ty: ColumnType::plain(value.ty()),
            value,
            default: value,
            roles: Vec::new(),
            doc: String::new(),
            span: Span::default(),
        });
        let param = ParamId(self.program.params.len() as u32 - 1);
        Expr { kind: ExprKind::Param(param), ty: value.ty(), span: Span::default() }
    }

    pub(crate) fn fact(&mut self, relation: RelationId, values: &[Value]) {
        let (values, id) = (values.to_vec(), Symbol::new(&format!("fact#{}", self.program.facts.len() + 1)));
        self.program.facts.push(GroundFact { relation, values, id, span: Span::default() });
    }

    /// A place of its own for each operation, so that reports tell them apart.
    pub(crate) fn place(&mut self) -> Span {
        self.places += 1;
        Span::new(FileId(0), self.places, self.places + 1)
    }

    /// The operation `name` on expressions.
    pub(crate) fn call(&mut self, name: &str, args: &[&Expr]) -> Expr {
        let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
        let (op, ty) = op::resolve(name, &types).unwrap_or_else(|| panic!("no {name} of {types:?}"));
        let args = args.iter().map(|arg| (*arg).clone()).collect();
        Expr { kind: ExprKind::Call(op, args), ty, span: self.place() }
    }

    /// An aggregate as a term of a head.
    pub(crate) fn aggregate(&mut self, name: &str, args: &[&Expr]) -> Term {
        let types: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
        let (aggregate, _) =
            aggregate::resolve(name, &types).unwrap_or_else(|| panic!("no {name} of {types:?}"));
        let args = args.iter().map(|arg| (*arg).clone()).collect();
        Term::Aggregate { aggregate, args, span: self.place() }
    }

    /// Adds a rule.
    pub(crate) fn rule(&mut self, rule: Clause) -> RuleId {
        let id = RuleId(self.program.rules.len() as u32);
        let name = self.program.relations[rule.head.0 as usize].name;
        let span = self.place();
        self.program.rules.push(Rule {
            id: Symbol::new(&format!("{name}#{}", id.0 + 1)),
            head: rule.head,
            head_span: span,
            terms: rule.terms,
            body: rule.body,
            variables: rule.variables,
            limit: rule.limit,
            because: None,
            doc: String::new(),
            span,
        });
        id
    }

    /// The program with its strata.
    pub(crate) fn finish(mut self) -> Program {
        self.program.strata = strata(&self.program);
        self.program
    }
}

/// A rule in the making.
#[derive(Clone)]
pub(crate) struct Clause {
    pub(crate) head: RelationId,
    pub(crate) terms: Vec<Term>,
    pub(crate) body: Vec<Literal>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) limit: Option<Limit>,
}

impl Clause {
    pub(crate) fn new(head: RelationId) -> Self {
        Self { head, terms: Vec::new(), body: Vec::new(), variables: Vec::new(), limit: None }
    }

    pub(crate) fn var(&mut self, name: &str, ty: Type) -> Expr {
        self.variables.push(Variable { name: Symbol::new(name), ty: ColumnType::plain(ty) });
        let var = VarId(self.variables.len() as u32 - 1);
        Expr { kind: ExprKind::Var(var), ty, span: Span::default() }
    }

    pub(crate) fn ints<const N: usize>(&mut self, names: [&str; N]) -> [Expr; N] {
        names.map(|name| self.var(name, Type::Int))
    }

    pub(crate) fn head(mut self, terms: &[&Expr]) -> Self {
        self.terms.extend(terms.iter().map(|term| Term::Expr((*term).clone())));
        self
    }

    pub(crate) fn term(mut self, term: Term) -> Self {
        self.terms.push(term);
        self
    }

    pub(crate) fn atom(mut self, relation: RelationId, args: &[&Expr]) -> Self {
        self.body.push(Literal::Atom(atom(relation, args)));
        self
    }

    pub(crate) fn not(mut self, relation: RelationId, args: &[&Expr]) -> Self {
        self.body.push(Literal::Not(atom(relation, args)));
        self
    }

    pub(crate) fn bind(mut self, var: &Expr, expr: Expr) -> Self {
        let span = expr.span;
        self.body.push(Literal::Bind { var: var_of(var), expr, span });
        self
    }

    pub(crate) fn test(mut self, expr: Expr) -> Self {
        let span = expr.span;
        self.body.push(Literal::Test { expr, span });
        self
    }

    pub(crate) fn each(mut self, var: &Expr, generator: Generator, args: &[&Expr]) -> Self {
        let args = args.iter().map(|arg| (*arg).clone()).collect();
        self.body.push(Literal::Each { var: var_of(var), generator, args, span: Span::default() });
        self
    }

    pub(crate) fn limit(
        mut self,
        count: Expr,
        per: &[&Expr],
        by: &[(&Expr, bool)],
        rank: Option<&Expr>,
    ) -> Self {
        self.limit = Some(Limit {
            count,
            per: per.iter().map(|var| var_of(var)).collect(),
            by: by.iter().map(|(key, descending)| ((*key).clone(), *descending)).collect(),
            rank: rank.map(var_of),
            span: Span::default(),
        });
        self
    }
}

fn var_of(expr: &Expr) -> VarId {
    match expr.kind {
        ExprKind::Var(var) => var,
        _ => panic!("not a variable"),
    }
}

fn atom(relation: RelationId, args: &[&Expr]) -> Atom {
    Atom { relation, args: args.iter().map(|arg| argument(arg)).collect(), span: Span::default() }
}

pub(crate) fn argument(expr: &Expr) -> Arg {
    match expr.kind {
        ExprKind::Var(ANY) => Arg::Any,
        ExprKind::Var(var) => Arg::Var(var),
        ExprKind::Const(value) => Arg::Const(value),
        ExprKind::Param(param) => Arg::Param(param),
        _ => panic!("no argument of an atom"),
    }
}

/// `_`.
pub(crate) fn any() -> Expr {
    Expr { kind: ExprKind::Var(ANY), ty: Type::Int, span: Span::default() }
}

pub(crate) fn constant(value: Value) -> Expr {
    Expr { kind: ExprKind::Const(value), ty: value.ty(), span: Span::default() }
}

pub(crate) fn int(value: i64) -> Expr {
    constant(Value::Int(value))
}

pub(crate) fn float(value: f64) -> Value {
    Value::Float(Float::new(value).unwrap())
}

pub(crate) fn text(value: &str) -> Value {
    Value::String(Symbol::new(value))
}

/// The relations in groups that depend on one another, each after what it reads.
pub(crate) fn strata(program: &Program) -> Vec<Stratum> {
    let size = program.relations.len();
    let mut reaches = vec![vec![false; size]; size];
    for rule in &program.rules {
        rule.reads().for_each(|read| reaches[rule.head.0 as usize][read.0 as usize] = true);
    }
    for via in 0..size {
        for from in 0..size {
            for to in 0..size {
                reaches[from][to] |= reaches[from][via] && reaches[via][to];
            }
        }
    }
    let derived = |at: &usize| program.relations[*at].kind != Kind::Input;
    let mut strata: Vec<Vec<usize>> = Vec::new();
    for at in (0..size).filter(derived) {
        let same = |group: &&mut Vec<usize>| reaches[at][group[0]] && reaches[group[0]][at];
        match strata.iter_mut().find(same) {
            Some(group) => group.push(at),
            None => strata.push(vec![at]),
        }
    }
    strata
        .sort_by_key(|group| (0..size).filter(|read| *read == group[0] || reaches[group[0]][*read]).count());
    strata.into_iter().map(|group| stratum(program, &group)).collect()
}

fn stratum(program: &Program, group: &[usize]) -> Stratum {
    let relations: Vec<RelationId> = group.iter().map(|at| RelationId(*at as u32)).collect();
    let ids = program.rules.iter().zip(0..).filter(|(rule, _)| relations.contains(&rule.head));
    let rules: Vec<RuleId> = ids.clone().map(|(_, at)| RuleId(at)).collect();
    let recursive = ids.clone().any(|(rule, _)| rule.reads().any(|read| relations.contains(&read)));
    Stratum { relations, rules, recursive }
}
