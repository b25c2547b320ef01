//! From tokens to the tree, by recursive descent: one production, one function. Every fault of a file is found
//! in one run; a faulty part is left out or becomes [`ExprKind::Error`](super::tree::ExprKind::Error).

mod aggregate;
mod annotation;
mod args;
mod atom;
mod authors;
mod declaration;
mod directive;
mod doc;
mod effect;
mod expr;
mod habitual;
mod item;
mod limit;
mod literal;
mod membership;
mod param;
mod recover;
mod requires;
mod rule;
mod test;
mod test_section;
mod types;

use hence_core::diagnostic::Diagnostic;
use hence_core::list;
use hence_core::span::{FileId, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Value;

use super::codes;
use super::lexer::Lexer;
use super::token::{Token, TokenKind};
use super::tree::{Atom, Expr, ExprKind, File, Item, ParsedQuery};

pub(crate) use doc::doc_line;
use rule::Head;

/// How large a rule file may be, in bytes.
pub const MAX_BYTES: usize = 64 << 20;

/// How deep expressions may nest.
const MAX_DEPTH: u32 = 256;

/// Parses a rule file. The tree holds what could be read, the diagnostics all that couldn't, by place.
pub fn parse(file: FileId, text: &str) -> (File, Vec<Diagnostic>) {
    if text.len() > MAX_BYTES {
        return (
            File { id: file, items: Vec::new(), comments: Vec::new(), unreadable: Vec::new() },
            vec![too_large(file, text.len())],
        );
    }
    Parser::new(file, text).file()
}

/// Parses a query: literals between commas, perhaps a limit, with or without a full stop at the end.
pub fn parse_query(file: FileId, text: &str) -> (ParsedQuery, Vec<Diagnostic>) {
    if text.len() > MAX_BYTES {
        return (ParsedQuery::default(), vec![too_large(file, text.len())]);
    }
    let mut parser = Parser::asking(file, text);
    let literals = parser.literals();
    let limit = parser.at_word("limit").then(|| parser.limit());
    if literals.is_empty() {
        parser.expected("a literal, such as `p(X)`");
    }
    parser.end_of_input("the query");
    (ParsedQuery { literals, limit }, parser.into_faults())
}

/// Parses one atom, with or without a full stop at the end; arguments may be given by position or by name.
pub fn parse_fact(file: FileId, text: &str) -> (Option<Atom>, Vec<Diagnostic>) {
    if text.len() > MAX_BYTES {
        return (None, vec![too_large(file, text.len())]);
    }
    let mut parser = Parser::asking(file, text);
    let atom = parser.atom();
    parser.refuse_second_fact(text);
    parser.end_of_input("the fact");
    (atom, parser.into_faults())
}

/// Reads one literal of any type, its sign included, or a list of them; `None` for any other text.
pub fn parse_value(text: &str) -> Option<Value> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let mut parser = Parser::new(FileId::default(), text);
    let expr = if parser.at(TokenKind::LeftBracket) { parser.list() } else { parser.expr() };
    let whole = parser.at(TokenKind::Eof) && parser.lexer.comments.is_empty();
    if whole && parser.into_faults().is_empty() { constant(&expr) } else { None }
}

/// The value of a literal or a list of them.
pub fn constant(expr: &Expr) -> Option<Value> {
    match &expr.kind {
        ExprKind::Literal(value) => Some(*value),
        ExprKind::List(elements) => elements.iter().map(constant).collect::<Option<Vec<_>>>().map(list::of),
        _ => None,
    }
}

fn too_large(file: FileId, len: usize) -> Diagnostic {
    Diagnostic::new(codes::FILE_TOO_LARGE, format!("a file of {len} bytes is too large"))
        .at(Span::new(file, 0, 0), format!("at most {MAX_BYTES} bytes (64 MiB)"))
        .help("split the rules into several files, and keep facts in JSON Lines or CSV")
}

/// The state of the parser: the current token, one more ahead, and what recovery needs.
struct Parser<'a> {
    lexer: Lexer<'a>,
    file: FileId,
    text: &'a str,
    current: Token,
    ahead: Token,
    /// The last token that was taken.
    last: Token,
    /// Where the clause begins that is being read.
    clause: u32,
    /// The token at which a fault was reported last; one is enough.
    reported_at: Option<u32>,
    /// Set after a fault that makes the rest of the clause unreadable.
    silent: bool,
    /// How many productions of expressions are open.
    depth: u32,
    /// How many levels the expression has that was read last.
    height: u32,
    /// How many parentheses are open around the expression.
    inside: u32,
    /// An `and` or `or` of this literal outside parentheses.
    loose: Option<Span>,
    /// Whether the body of an aggregate is being read.
    in_aggregate: bool,
    /// Whether lower-case words of this clause are variables, as in crepe; such a clause is reported once.
    lower_variables: bool,
    /// Whether the file has declarations of Soufflé.
    is_souffle: bool,
    /// The `=` of a `name = term` among the arguments that were read last.
    equal_argument: Option<Span>,
    /// The `..` among the arguments that were read last.
    rest: Option<Span>,
    /// Whether an atom may end with `..`.
    in_given: bool,
    /// Whether an atom may be followed by `~ distance`.
    in_expect: bool,
    /// Whether faults show the hence form of foreign text; off while such a form is tried out.
    with_help: bool,
    /// Set where a clause in the form of another language was skipped, its full stop included.
    clause_given_up: bool,
    /// Set where tokens of a clause were passed over: what they bind is unknown.
    passed_over: bool,
    /// The relations of clauses that can't be read.
    unreadable: Vec<Symbol>,
    /// A head that was read as the last literal of the rule before it.
    pending: Option<Head>,
    /// A fault that waits for the end of its clause.
    deferred: Option<(Diagnostic, String)>,
}

impl<'a> Parser<'a> {
    fn new(file: FileId, text: &'a str) -> Self {
        Self::over(Lexer::new(file, text), file, text)
    }

    /// A parser of a text that is one question or fact by itself, in no rule file.
    fn asking(file: FileId, text: &'a str) -> Self {
        let mut lexer = Lexer::new(file, text);
        lexer.asks = true;
        Self::over(lexer, file, text)
    }

    fn over(mut lexer: Lexer<'a>, file: FileId, text: &'a str) -> Self {
        let current = lexer.next();
        let ahead = lexer.next();
        Self {
            lexer,
            file,
            text,
            current,
            ahead,
            last: Token { kind: TokenKind::End, span: Span::new(file, 0, 0), ..current },
            clause: 0,
            reported_at: None,
            silent: false,
            depth: 0,
            height: 0,
            inside: 0,
            loose: None,
            in_aggregate: false,
            lower_variables: false,
            is_souffle: false,
            equal_argument: None,
            rest: None,
            in_given: false,
            in_expect: false,
            with_help: true,
            clause_given_up: false,
            passed_over: false,
            unreadable: Vec::new(),
            pending: None,
            deferred: None,
        }
    }

    fn file(mut self) -> (File, Vec<Diagnostic>) {
        let mut items = Vec::new();
        while !self.at(TokenKind::Eof) && !self.lexer.faults.is_full() {
            let before = self.current.span;
            self.begin_clause();
            let faults = self.lexer.faults.len();
            if self.pending.is_none() && self.foreign_statement() {
                continue;
            }
            let item = match self.pending_rule() {
                Some(rule) => Some(Item::Rule(rule)),
                None => self.item(),
            };
            items.extend(self.habitual(item, before, faults));
            if self.current.span == before && !self.at(TokenKind::Eof) {
                self.bump();
            }
        }
        let comments = std::mem::take(&mut self.lexer.comments);
        let unreadable = std::mem::take(&mut self.unreadable);
        (File { id: self.file, items, comments, unreadable }, self.into_faults())
    }

    fn into_faults(mut self) -> Vec<Diagnostic> {
        self.flush_deferred(None);
        self.lexer.faults.sorted()
    }

    /// Forgets what belonged to the clause before.
    fn begin_clause(&mut self) {
        self.clause = self.current.span.start;
        self.silent = false;
        self.depth = 0;
        self.inside = 0;
        self.lower_variables = false;
        self.clause_given_up = false;
        self.passed_over = false;
        self.flush_deferred(None);
    }

    /// Whether the current token is `kind`.
    fn at(&self, kind: TokenKind) -> bool {
        self.current.kind == kind
    }

    /// Whether the current token is the word `word`.
    fn at_word(&self, word: &str) -> bool {
        matches!(self.current.kind, TokenKind::Word(found) if found.as_str() == word)
    }

    /// The current word.
    fn word(&self) -> Option<Symbol> {
        match self.current.kind {
            TokenKind::Word(word) => Some(word),
            _ => None,
        }
    }

    /// Takes the current token.
    fn bump(&mut self) -> Token {
        self.last = self.current;
        self.current = self.ahead;
        self.ahead = self.lexer.next();
        self.last
    }

    /// Takes the current token if it is `kind`.
    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.at(kind);
        if found {
            self.bump();
        }
        found
    }

    /// Takes the current word if it is `word`.
    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    /// From the beginning of `start` to the end of the last token.
    fn since(&self, start: Span) -> Span {
        Span::new(self.file, start.start, self.last.span.end.max(start.start))
    }

    /// Goes on after byte `at`, without what was read ahead.
    fn resume_at(&mut self, at: usize) {
        self.lexer.seek(at);
        self.last =
            Token { kind: TokenKind::End, span: Span::new(self.file, at as u32, at as u32), ..self.last };
        self.current = self.lexer.next();
        self.ahead = self.lexer.next();
    }
}
