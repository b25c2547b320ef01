//! Checked programs for unit tests, written in a few words: `rule("d(X)").some("p(X, 1)").none("q(X)")`.

use super::checked::{Arg, Checked, Guard, Literal, Requires, Rule};
use crate::builtins::aggregate::Aggregate;
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::generator::Generator;
use crate::builtins::op::Op;
use crate::builtins::term::{Limit, Term, Variable};
use hence_core::schema::{Column, ColumnType, Kind, Relation, RelationId};
use hence_core::span::{FileId, Span};
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value};

/// A rule in words.
#[derive(Clone)]
pub(crate) struct Words {
    head: String,
    body: Vec<(Lit, String)>,
    limit: bool,
}

#[derive(Clone, Copy)]
enum Lit {
    Some,
    None,
    Equal,
    Range,
}

/// A rule with this head; `count()` is an aggregate.
pub(crate) fn rule(head: &str) -> Words {
    Words { head: head.to_owned(), body: Vec::new(), limit: false }
}

impl Words {
    /// A positive atom.
    pub(crate) fn some(self, atom: &str) -> Self {
        self.with(Lit::Some, atom)
    }

    /// A negated atom.
    pub(crate) fn none(self, atom: &str) -> Self {
        self.with(Lit::None, atom)
    }

    /// `a = b` of two terms; a bind where the left side is a variable not seen before.
    pub(crate) fn equal(self, sides: &str) -> Self {
        self.with(Lit::Equal, sides)
    }

    /// `X in range(0, N)`.
    pub(crate) fn range(self, sides: &str) -> Self {
        self.with(Lit::Range, sides)
    }

    /// `limit 1 by 1`.
    pub(crate) fn limit(mut self) -> Self {
        self.limit = true;
        self
    }

    fn with(mut self, kind: Lit, text: &str) -> Self {
        self.body.push((kind, text.to_owned()));
        self
    }
}

/// The checked program of these rules; names of relations in `inputs` are inputs, all columns are ints.
pub(crate) fn checked(inputs: &[&str], rules: Vec<Words>) -> Checked {
    let mut builder = Builder { inputs, checked: Checked::default(), place: 0, variables: Vec::new() };
    rules.into_iter().for_each(|words| builder.rule(&words));
    builder.checked
}

/// Adds `decision requires relation(columns…)`: a digit is a literal, `#n` a column of the decision, `_` nothing.
pub(crate) fn require(checked: &mut Checked, decision: &str, needed: &str) {
    let (name, terms) = split(needed);
    let find = |name: &str| {
        let at = checked.relations.iter().position(|relation| relation.name.as_str() == name);
        RelationId(at.expect("a relation of the rules") as u32)
    };
    let columns = terms.iter().map(|term| match term.strip_prefix('#') {
        Some(column) => Some(Guard::Column(column.parse().expect("a number"))),
        None if term == "_" => None,
        None => Some(Guard::Const(Value::Int(term.parse().expect("an int")))),
    });
    let requires = Requires {
        decision: find(decision),
        relation: find(&name),
        columns: columns.collect(),
        span: Span::default(),
    };
    checked.requires.push(requires);
}

struct Builder<'a> {
    inputs: &'a [&'a str],
    checked: Checked,
    place: u32,
    variables: Vec<Variable>,
}

impl Builder<'_> {
    fn span(&mut self) -> Span {
        self.place += 1;
        Span::new(FileId(0), self.place, self.place + 1)
    }

    fn relation(&mut self, name: &str, arity: usize) -> RelationId {
        let symbol = Symbol::new(name);
        let known = self.checked.relations.iter().position(|relation| relation.name == symbol);
        let at = known.unwrap_or_else(|| {
            let kind = if self.inputs.contains(&name) { Kind::Input } else { Kind::Derived };
            let column =
                |at: usize| Column::new(Symbol::new(&format!("c{}", at + 1)), ColumnType::plain(Type::Int));
            self.checked.relations.push(Relation {
                name: symbol,
                kind,
                columns: (0..arity).map(column).collect(),
                doc: String::new(),
                requires: None,
                authors: None,
                personal: Vec::new(),
                span: Span::default(),
            });
            self.checked.relations.len() - 1
        });
        RelationId(at as u32)
    }

    fn expr(&mut self, text: &str) -> Expr {
        let span = self.span();
        let kind = match text.split_once('+') {
            Some((left, right)) => {
                ExprKind::Call(Op::AddInt, vec![self.expr(left.trim()), self.expr(right.trim())])
            }
            None => match text.parse() {
                Ok(int) => ExprKind::Const(Value::Int(int)),
                Err(_) => ExprKind::Var(self.variable(text)),
            },
        };
        Expr { kind, ty: Type::Int, span }
    }

    fn variable(&mut self, name: &str) -> VarId {
        let name = Symbol::new(name);
        let known = self.variables.iter().position(|variable| variable.name == name);
        let at = known.unwrap_or_else(|| {
            self.variables.push(Variable { name, ty: ColumnType::plain(Type::Int) });
            self.variables.len() - 1
        });
        VarId(at as u32)
    }

    fn knows(&self, name: &str) -> bool {
        self.variables.iter().any(|variable| variable.name.as_str() == name)
    }

    fn literal(&mut self, kind: Lit, text: &str) -> Literal {
        let span = self.span();
        match kind {
            Lit::Some | Lit::None => {
                let (name, terms) = split(text);
                let relation = self.relation(&name, terms.len());
                let args = terms.iter().map(|term| match term.as_str() {
                    "_" => Arg::Any,
                    term => Arg::Expr(self.expr(term)),
                });
                let args = args.collect();
                Literal::Atom { negated: matches!(kind, Lit::None), relation, args, span }
            }
            Lit::Equal => {
                let (left, right) = text.split_once('=').expect("two sides");
                let (left, right) = (left.trim(), right.trim());
                if !self.knows(left) && left.parse::<i64>().is_err() {
                    return Literal::Bind { var: self.variable(left), expr: self.expr(right), span };
                }
                let kind = ExprKind::Call(Op::Equal, vec![self.expr(left), self.expr(right)]);
                Literal::Test { expr: Expr { kind, ty: Type::Bool, span }, span }
            }
            Lit::Range => {
                let (left, right) = text.split_once(" in ").expect("a generator");
                let bound = self.knows(left);
                let args = vec![self.expr("0"), self.expr(right)];
                Literal::Each { var: self.variable(left), bound, generator: Generator::Range, args, span }
            }
        }
    }

    fn rule(&mut self, words: &Words) {
        self.variables.clear();
        let (head_span, (name, terms)) = (self.span(), split(&words.head));
        let head = self.relation(&name, terms.len());
        let body = words.body.iter().map(|(kind, text)| self.literal(*kind, text)).collect();
        let terms = terms.iter().map(|term| self.term(term)).collect();
        let ordinal = self.checked.rules.iter().filter(|rule| rule.head == head).count() + 1;
        let limit = words.limit.then(|| Limit {
            count: self.expr("1"),
            per: Vec::new(),
            by: vec![(self.expr("1"), false)],
            rank: None,
            span: Span::default(),
        });
        self.checked.rules.push(Rule {
            id: Symbol::new(&format!("{name}#{ordinal}")),
            head,
            head_span,
            terms,
            body,
            variables: std::mem::take(&mut self.variables),
            limit,
            because: None,
            doc: String::new(),
            span: head_span,
        });
    }

    fn term(&mut self, text: &str) -> Term {
        if text == "count" {
            return Term::Aggregate { aggregate: Aggregate::Count, args: Vec::new(), span: self.span() };
        }
        Term::Expr(self.expr(text))
    }
}

/// `p(X, 1)` as its name and its terms.
fn split(text: &str) -> (String, Vec<String>) {
    let (name, rest) = text.split_once('(').expect("a parenthesis");
    let terms = rest.trim_end_matches(')').split(',').map(|term| term.trim().to_owned());
    (name.to_owned(), terms.filter(|term| !term.is_empty()).collect())
}
