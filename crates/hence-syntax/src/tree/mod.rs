//! The syntax tree of a rule file: what was written and where, before any name is resolved.

mod parts;
mod test;

use hence_core::schema::Kind;
use hence_core::span::{FileId, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;
pub use test::{Because, Expectation, ExpectationKind, Given, Test, TestStep};

/// A parsed file. Items that could not be parsed are left out; diagnostics report them.
#[derive(Clone, Debug)]
pub struct File {
    /// The file that was parsed.
    pub id: FileId,
    /// The items in their order.
    pub items: Vec<Item>,
    /// Every `#` comment that is not a doc comment of an item, in order; the formatter puts them back.
    pub comments: Vec<Comment>,
    /// The relations that a faulty clause of the file declares or derives, as far as can be told.
    pub unreadable: Vec<Symbol>,
}

/// A `#` comment, from the `#` to the end of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The comment with its `#`.
    pub span: Span,
    /// Whether only white space precedes it on its line.
    pub own_line: bool,
}

/// A word in the text: a relation, a column, a variable, a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The word.
    pub name: Symbol,
    /// Where it is.
    pub span: Span,
}

/// The `##` lines before an item, without the `##` and one space.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doc {
    /// The lines.
    pub lines: Vec<String>,
}

/// One item of a file.
#[derive(Clone, Debug)]
pub enum Item {
    /// `input`, `relation` or `decision`.
    Relation(RelationDecl),
    /// `type NAME = /a | /b.`
    Type(TypeDecl),
    /// `param NAME: TYPE = LITERAL.`
    Param(ParamDecl),
    /// `import "PATH".`
    Import(Import),
    /// A rule or a fact.
    Rule(Rule),
    /// `test "NAME" { … }`
    Test(Test),
}

impl Item {
    /// The whole item, its annotations included, its doc comment not.
    pub fn span(&self) -> Span {
        match self {
            Self::Relation(item) => item.span,
            Self::Type(item) => item.span,
            Self::Param(item) => item.span,
            Self::Import(item) => item.span,
            Self::Rule(item) => item.span,
            Self::Test(item) => item.span,
        }
    }
}

/// A declaration of a relation.
#[derive(Clone, Debug)]
pub struct RelationDecl {
    /// Its doc comment.
    pub doc: Doc,
    /// Its keyword.
    pub kind: Kind,
    /// Its name.
    pub name: Ident,
    /// Its columns.
    pub columns: Vec<ColumnDecl>,
    /// `requires REL(column: term, …)`; only for decisions.
    pub requires: Option<Requires>,
    /// `from role, … as column`; only for inputs.
    pub authors: Option<Authors>,
    /// `@partition(column)` before it; only for inputs.
    pub partition: Option<Ident>,
    /// The whole declaration, its annotation included.
    pub span: Span,
}

/// `name: type`, `name: type = literal`, or `name: type @personal(column)`.
#[derive(Clone, Debug)]
pub struct ColumnDecl {
    /// The column's name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeExpr,
    /// The value of facts that leave the column out: a literal, perhaps with a sign.
    pub default: Option<Expr>,
    /// `@personal(column)`: the column that says whose the value is.
    pub personal: Option<Ident>,
}

/// A type as written.
#[derive(Clone, Debug)]
pub enum TypeExpr {
    /// A built-in type or the name of a closed set.
    Named(Ident),
    /// A closed set written out; each name with its slash.
    Set(Vec<Ident>, Span),
    /// `[type]`: a list of values of a type.
    List(Box<Self>, Span),
}

/// The guard of a decision: `requires REL(column: term, …) and … and A <= B`.
#[derive(Clone, Debug)]
pub struct Requires {
    /// What is needed, in the order of the text; the first is an atom.
    pub parts: Vec<Required>,
    /// From `requires` to the end of the last part.
    pub span: Span,
}

impl Requires {
    /// The facts that are needed.
    pub fn atoms(&self) -> impl Iterator<Item = &RequiredAtom> {
        self.parts.iter().filter_map(|part| match part {
            Required::Atom(atom) => Some(atom),
            Required::Comparison(_) => None,
        })
    }
}

/// A part of a guard.
#[derive(Clone, Debug)]
pub enum Required {
    /// A fact that is needed.
    Atom(RequiredAtom),
    /// Two terms that must compare so.
    Comparison(Expr),
}

/// A fact that a guard needs.
#[derive(Clone, Debug)]
pub struct RequiredAtom {
    /// The relation.
    pub relation: Ident,
    /// Its columns and what they equal: a column of the decision ([`ExprKind::Ident`]), a literal, or a name for what
    /// the fact has there ([`ExprKind::Variable`]).
    pub columns: Vec<(Ident, Expr)>,
    /// From its relation to the closing parenthesis; that of the first begins with `requires`.
    pub span: Span,
}

/// Who may assert and retract the facts of an input.
#[derive(Clone, Debug)]
pub struct Authors {
    /// The roles, one of which the author has.
    pub roles: Vec<Ident>,
    /// The column that names the author.
    pub column: Option<Ident>,
    /// The column that holds the instant of the transaction.
    pub time: Option<Ident>,
    /// From `from` to the end.
    pub span: Span,
}

/// `type NAME = /a | /b.`
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// Its doc comment.
    pub doc: Doc,
    /// The name of the set.
    pub name: Ident,
    /// Its members with their slashes.
    pub members: Vec<Ident>,
    /// The whole item.
    pub span: Span,
}

/// `param NAME: TYPE = LITERAL from role, ….`
#[derive(Clone, Debug)]
pub struct ParamDecl {
    /// Its doc comment.
    pub doc: Doc,
    /// Its name.
    pub name: Ident,
    /// Its type.
    pub ty: TypeExpr,
    /// Its default: a literal, perhaps with a sign, or a list of them.
    pub value: Expr,
    /// The roles that may change its recorded value; anyone where none is written.
    pub roles: Vec<Ident>,
    /// The whole item.
    pub span: Span,
}

/// `import "PATH".`
#[derive(Clone, Debug)]
pub struct Import {
    /// The path between the quotes, escapes resolved.
    pub path: String,
    /// The quoted path.
    pub path_span: Span,
    /// The whole item.
    pub span: Span,
}

/// What a rule does with its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// It derives it.
    Derives,
    /// `feed HEAD :- body.`: it adds it to an input.
    Feeds,
    /// `then HEAD :- body.`: it asserts it when it begins to follow.
    Asserts,
    /// `then !HEAD :- body.`: it retracts it when it begins to follow.
    Retracts,
}

impl RuleKind {
    /// What stands before the head.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Derives => "",
            Self::Feeds => "feed ",
            Self::Asserts => "then ",
            Self::Retracts => "then !",
        }
    }

    /// Whether the rule is an effect.
    pub fn is_effect(self) -> bool {
        matches!(self, Self::Asserts | Self::Retracts)
    }
}

/// A rule; without a body, a fact.
#[derive(Clone, Debug)]
pub struct Rule {
    /// What it does with its head.
    pub kind: RuleKind,
    /// Its doc comment.
    pub doc: Doc,
    /// `@id(NAME)`.
    pub id: Option<Ident>,
    /// `@because("…")`: the text, escapes resolved, and where it is with its quotes.
    pub because: Option<(Symbol, Span)>,
    /// The head's relation.
    pub head: Ident,
    /// The same with the `feed` or `then` before it.
    pub lead: Span,
    /// The head's terms; an aggregate is an [`ExprKind::Call`].
    pub terms: Vec<Expr>,
    /// The body, empty for a fact.
    pub body: Vec<Literal>,
    /// `limit N per X by K desc as R`.
    pub limit: Option<Limit>,
    /// The whole rule with its annotations.
    pub span: Span,
}

/// A query: a body, and which of its matches are kept.
#[derive(Clone, Debug, Default)]
pub struct ParsedQuery {
    /// The literals.
    pub literals: Vec<Literal>,
    /// How many matches are kept.
    pub limit: Option<Limit>,
}

/// `limit N per X, Y by key [desc], … as R`.
#[derive(Clone, Debug)]
pub struct Limit {
    /// How many facts of each group are kept.
    pub count: Expr,
    /// The variables of the group.
    pub per: Vec<Ident>,
    /// The keys, and whether each is descending.
    pub by: Vec<(Expr, bool)>,
    /// The variable that takes the rank.
    pub rank: Option<Ident>,
    /// From `limit` to the end.
    pub span: Span,
}

/// One literal of a body.
#[derive(Clone, Debug)]
pub struct Literal {
    /// What it is.
    pub kind: LiteralKind,
    /// The whole literal.
    pub span: Span,
}

/// The kinds of body literals.
#[derive(Clone, Debug)]
pub enum LiteralKind {
    /// `p(…)`, or `!p(…)` / `not p(…)`. A positional call of a bool function has this form too until names are
    /// resolved.
    Atom {
        /// Whether `!` or `not` precedes it.
        negated: bool,
        /// The atom.
        atom: Atom,
    },
    /// A comparison (`=` included), a bool variable, or any other expression that must hold.
    Condition(Expr),
    /// `X in generator` or `X in [list]`; the left side is a variable ([`ExprKind::Variable`]) in a correct program.
    In(Expr, Expr),
    /// `N = count { p(X, _) }`.
    Aggregate(Box<BodyAggregate>),
}

/// An aggregate over the matches of a body of its own.
#[derive(Clone, Debug)]
pub struct BodyAggregate {
    /// What equals its value: mostly a variable.
    pub target: Expr,
    /// The function.
    pub name: Ident,
    /// Its arguments.
    pub args: Vec<Expr>,
    /// The body between the braces.
    pub body: Vec<Literal>,
    /// From the name to the closing brace.
    pub span: Span,
    /// From `{` to `}`.
    pub braces: Span,
}

/// A relation with terms.
#[derive(Clone, Debug)]
pub struct Atom {
    /// The relation.
    pub relation: Ident,
    /// Its terms.
    pub args: Args,
    /// `..` after the named terms of a fact that a test gives: the other columns are filled in.
    pub rest: Option<Span>,
    /// `~ 0.001` after an atom of a test's `expect`: float columns compare within this distance.
    pub within: Option<Expr>,
    /// The whole atom without its negation.
    pub span: Span,
}

/// The terms of an atom: by position or by name, never both.
#[derive(Clone, Debug)]
pub enum Args {
    /// `p(X, _)`.
    Positional(Vec<Expr>),
    /// `p(tool: T, ok: true)`.
    Named(Vec<(Ident, Expr)>),
}

/// An expression and where it is.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The whole expression, without parentheses around it.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// `_`.
    Wildcard,
    /// `X`, `_X`.
    Variable(Symbol),
    /// A literal of any type; a sign before a number is part of it where it is at the start of a term.
    Literal(Value),
    /// A lower-case word alone: a parameter, or a column in `requires`.
    Ident(Symbol),
    /// `-e`, `not e`, `!e`.
    Unary(UnaryOp, Box<Expr>),
    /// `l op r`.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `f(e, …)`, `if(c, a, b)` and aggregates included.
    Call(Ident, Vec<Expr>),
    /// `[e, …]`, on the right of `in` and as the value of a parameter.
    List(Vec<Expr>),
    /// `(e in list)`: whether a value is an element.
    In(Box<Expr>, Box<Expr>),
    /// Something that could not be parsed and was reported; nothing more is to be said of it.
    Error,
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`
    Negate,
    /// `not`, `!`
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `and`
    And,
    /// `or`
    Or,
}

impl BinaryOp {
    /// The operator as written.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::And => "and",
            Self::Or => "or",
        }
    }
}
