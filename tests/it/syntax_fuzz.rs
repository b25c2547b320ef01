//! Dice texts and trees through lexer, parser and printer: never a panic, always an end, and what parses
//! prints to the same tree.
#![expect(clippy::unwrap_used, reason = "helpers of tests may fail")]

use crate::slow;
use std::fs;

use hence_core::diagnostic::Diagnostic;
use hence_core::span::{FileId, Span};
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Value};
use hence_syntax as syntax;
use hence_syntax::tree::{Args, BinaryOp, Expr, ExprKind, Ident, UnaryOp};

use crate::files::files;
use crate::layout::checked_format;
use crate::random::Dice;

/// How often a loop runs: a hundred times as often with `HENCE_SLOW=1`.
fn rounds(fast: usize) -> usize {
    slow::size(fast, fast * 100)
}

/// Sends a text through everything that reads text; what parses must print well.
fn survive(text: &str) {
    let (file, faults) = syntax::parse(FileId(0), text);
    faults.iter().for_each(|fault| check_fault(fault, text));
    if faults.is_empty() {
        checked_format(text);
    } else {
        syntax::format(text, &file);
    }
    for fault in syntax::parse_query(FileId(0), text).1.iter().chain(&syntax::parse_fact(FileId(0), text).1) {
        check_fault(fault, text);
    }
    if let Some(value) = syntax::parse_value(text) {
        assert_eq!(syntax::parse_value(&value.to_string()), Some(value), "{text}");
    }
}

/// Places are in the text, messages are as the house style has them.
fn check_fault(fault: &Diagnostic, text: &str) {
    assert!(!fault.labels.is_empty(), "{fault:?}");
    for label in &fault.labels {
        assert!(text.get(label.span.range()).is_some(), "{fault:?} in\n{text}");
    }
    let message = fault.message.trim_end_matches('`');
    assert!(!message.is_empty() && (!message.ends_with('.') || fault.message.ends_with('`')), "{fault:?}");
}

#[test]
fn random_characters() {
    let mut random = Dice::new(1);
    let alphabet: Vec<char> =
        "aZ_0.9 \n\r\t#\"'\\/@:-<>=!|&~%*+(){}[],;r\u{0}é€😀\u{feff}\u{a0}“Ω".chars().collect();
    for _ in 0..rounds(3_000) {
        let len = random.below(60);
        let text: String = (0..len).map(|_| random.pick(&alphabet)).collect();
        survive(&text);
    }
}

#[test]
fn random_bytes() {
    let mut random = Dice::new(2);
    for _ in 0..rounds(1_000) {
        let bytes: Vec<u8> = (0..random.below(80)).map(|_| random.roll() as u8).collect();
        let lossy = String::from_utf8_lossy(&bytes).into_owned();
        match syntax::decode(FileId(0), &bytes) {
            Ok(text) => assert_eq!(text, lossy),
            Err(fault) => check_fault(&fault, &lossy),
        }
        survive(&lossy);
    }
}

const SOUP: &str = r##"p q( r(X) X Y _ _Z tool: : , . .x :- <- := == = != < <= > >= + - * / % ! not and or in if( if true
    false ( ) { } [ ] 1 -1 2.5 1e9 .5 10_000 0x1f 5m 1h30m 5min @2026-02-03T14:23:45Z @id(a) @because("{X}") @input
    /name /Name /a/b "text" "open r"raw" r#"raw"# 'single' input relation decision requires param type import test
    set now given expect no exactly from because limit per by desc as ~ | || && ; |> \+ fn:plus( let struct Decl .decl
    .input default package some is # ## // /* */ ?- count sum order ≤ “ \u{0}"##;

#[test]
fn token_soup() {
    let mut random = Dice::new(3);
    let tokens: Vec<&str> = SOUP.split_whitespace().collect();
    for _ in 0..rounds(4_000) {
        let mut text = String::new();
        for _ in 0..random.below(40) {
            text.push_str(random.pick(&tokens));
            text.push_str(random.pick(&["", " ", " ", " ", "\n", "\n    ", ".\n"]));
        }
        survive(&text);
    }
}

#[test]
fn mutilated_files() {
    let mut random = Dice::new(4);
    let files: Vec<Vec<char>> = files("tests/corpus", &["dl"])
        .into_iter()
        .map(|path| String::from_utf8_lossy(&fs::read(path).unwrap()).chars().collect())
        .filter(|file: &Vec<char>| !file.is_empty() && file.len() < 4_000)
        .collect();
    for _ in 0..rounds(400) {
        let mut text = files[random.below(files.len())].clone();
        for _ in 0..=random.below(3) {
            if text.is_empty() {
                break;
            }
            let from = random.below(text.len());
            let to = (from + random.below(20)).min(text.len());
            match random.below(3) {
                0 => drop(text.drain(from..to)),
                1 => {
                    let piece = text[from..to].to_vec();
                    let at = random.below(text.len());
                    text.splice(at..at, piece);
                }
                _ => text[from] = random.pick(&['(', ')', ',', '.', '"', ' ', '\n', 'X', 'a', '-', '#']),
            }
        }
        survive(&text.into_iter().collect::<String>());
    }
}

/// Writes correct programs with white space and comments anywhere.
struct Writer {
    random: Dice,
    out: String,
}

impl Writer {
    /// A token and something between it and the next one.
    fn put(&mut self, token: &str) {
        self.out.push_str(token);
        let gap = match self.random.below(40) {
            0 => "\n",
            1 => "\n\n\n",
            2 => " # note\n",
            3 => "\n    # own line\n",
            4 => " ## loud\n",
            5 => "\n## loud own line\n",
            6 => "\n\n## loud, apart\n\n# quiet\n",
            7 => " # one\n  # two\n\n",
            _ => " ",
        };
        self.out.push_str(gap);
    }

    fn put_all(&mut self, tokens: &str) {
        tokens.split(' ').for_each(|token| self.put(token));
    }

    fn commas(&mut self, least: usize, most: usize, mut each: impl FnMut(&mut Self)) {
        let count = least + self.random.below(most - least + 1);
        for at in 0..count {
            if at > 0 {
                self.put(",");
            }
            each(self);
        }
    }

    fn relation(&mut self) {
        let names = ["p", "q2", "tool_run", "input", "limit", "a_relation_with_quite_a_long_name", "test"];
        let name = self.random.pick(&names);
        self.put(name);
    }

    fn value(&mut self) {
        let values = [
            "1",
            "-2",
            "10_000",
            "0.5",
            "-1e-3",
            "true",
            "\"text # no comment\"",
            r#"r"\d+)""#,
            "/a/b.c",
            "1h30m",
            "-7d",
            "@2026-02-03T14:23:45Z",
            "- 3",
            "\"{X} and some more text to fill the line\"",
        ];
        let value = self.random.pick(&values);
        self.put(value);
    }

    fn expr(&mut self, depth: usize) {
        match self.random.below(if depth > 3 { 4 } else { 10 }) {
            0 => self.put("X"),
            1 => self.put("_Long_variable"),
            2 => self.value(),
            3 => self.put("parameter"),
            4 => {
                self.put_all("if (");
                self.commas(3, 3, |w| w.expr(depth + 1));
                self.put(")");
            }
            5 => {
                self.put_all("f (");
                self.commas(0, 3, |w| w.expr(depth + 1));
                self.put(")");
            }
            6 => {
                let sign = self.random.pick(&["-", "!", "not", "- -", "not not"]);
                self.put("(");
                self.put_all(sign);
                self.put("(");
                self.expr(depth + 1);
                self.put_all(") )");
            }
            7 => {
                self.put("(");
                self.expr(depth + 1);
                self.put(")");
            }
            _ => {
                let op = self.random.pick(&["+", "-", "*", "/", "%", "=", "<", ">=", "and", "or"]);
                self.put("(");
                self.expr(depth + 1);
                self.put(")");
                self.put(op);
                self.put("(");
                self.expr(depth + 1);
                self.put(")");
            }
        }
    }

    fn arith(&mut self) {
        self.put("X");
        for _ in 0..self.random.below(4) {
            let op = self.random.pick(&["+", "-", "*", "/", "%"]);
            self.put(op);
            self.value();
        }
    }

    fn atom(&mut self) {
        self.relation();
        self.put("(");
        if self.random.one_in(3) {
            self.commas(1, 3, |w| {
                w.put_all("by :");
                w.expr(2);
            });
        } else {
            self.commas(0, 4, |w| w.expr(2));
        }
        self.put(")");
    }

    fn literal(&mut self) {
        match self.random.below(6) {
            0 => {
                let sign = self.random.pick(&["!", "not"]);
                self.put(sign);
                self.atom();
            }
            1 => {
                self.arith();
                let op = self.random.pick(&["=", "!=", "<", ">="]);
                self.put(op);
                self.arith();
            }
            2 => {
                self.put_all("X in words (");
                self.expr(2);
                self.put(")");
            }
            3 => {
                self.put("(");
                self.expr(0);
                self.put(")");
            }
            _ => self.atom(),
        }
    }

    fn rule(&mut self) {
        if self.random.one_in(4) {
            self.put_all("@ id ( some_id )");
        }
        if self.random.one_in(4) {
            self.put_all("@ because (");
            self.put("\"because {X}\"");
            self.put(")");
        }
        let kind = self.random.below(8);
        self.put_all(["feed", "then", "then !", "then not"].get(kind).copied().unwrap_or_default());
        self.relation();
        self.put("(");
        self.commas(0, 4, |w| w.expr(1));
        self.put(")");
        if kind > 3 && self.random.one_in(3) {
            return self.put(".");
        }
        self.put(":-");
        self.commas(1, 4, Self::literal);
        if self.random.one_in(3) {
            self.put_all("limit 3 per X , Y by");
            self.commas(1, 2, Self::arith);
            self.put_all("desc as R");
        }
        self.put(".");
    }

    fn item(&mut self) {
        match self.random.below(9) {
            0 => {
                self.put_all("decision d ( request : string , from : /a | /b )");
                if self.random.one_in(2) {
                    self.put_all("requires escalation_review ( request : request , approved : true )");
                }
                self.put(".");
            }
            1 => self.put_all("type risk = /low | /medium | /high ."),
            2 => self.put_all("param x : float = - 0.5 ."),
            3 => self.put_all("import \"other.dl\" ."),
            4 => self.test(),
            5 if self.random.one_in(2) => self.put_all("input p ( ) from reviewer , agent as by ."),
            5 => self.put_all("input p ( ) ."),
            _ => self.rule(),
        }
        if self.random.one_in(4) {
            self.out.push_str("\n\n## Documented.\n## Twice.\n# noted\n");
        }
    }

    fn test(&mut self) {
        self.put_all("test \"t\" { set x = 3 . now @2026-02-03T12:00:00Z . given");
        for _ in 0..self.random.below(3) {
            self.put_all("p ( 1 , \"x\" ) .");
        }
        self.put_all("from \"week.jsonl\" . expect");
        for _ in 0..=self.random.below(3) {
            match self.random.below(3) {
                0 => self.put_all("exactly p { ( 1 , 2 ) ( 3 , 4 ) } ~ 0.5"),
                1 => {
                    self.put("no");
                    self.commas(1, 3, Self::literal);
                    self.put(".");
                }
                _ => {
                    self.commas(1, 3, Self::literal);
                    self.put_all("because some_rule .");
                }
            }
        }
        self.put("}");
    }
}

#[test]
fn random_programs_print_to_the_same_tree() {
    for seed in 0..rounds(400) as u64 {
        let mut writer = Writer { random: Dice::new(seed), out: String::new() };
        for _ in 0..1 + writer.random.below(4) {
            writer.item();
        }
        checked_format(&writer.out);
    }
}

fn random_value(random: &mut Dice) -> Value {
    let ints = [0, 1, -1, i64::MAX, i64::MIN, 42, -7];
    let floats = [0.0, -0.5, 1e300, -5e-324, 0.1, 1e16, 123_456.789, f64::MIN];
    let texts = ["", "a \"b\" \\ \n\t\u{1}\u{202e}é😀", "{X}", "# no comment"];
    match random.below(7) {
        0 => Value::Bool(random.one_in(2)),
        1 => Value::Int(random.pick(&ints)),
        2 => Value::Float(Float::new(random.pick(&floats)).unwrap()),
        3 => Value::String(Symbol::new(random.pick(&texts))),
        4 => Value::Name(Symbol::new(random.pick(&["/a", "/a/b-c.d_e", "/x9"]))),
        5 => Value::Time(random.pick(&[0, 1_770_128_625_000_000, -1, 1_500])),
        _ => Value::Duration(random.pick(&[0, 1, -1, 5_400_000_000, 86_400_000_001, -604_800_000_000])),
    }
}

fn random_expr(random: &mut Dice, depth: usize) -> Expr {
    let span = Span::default();
    let ident = |name: &str| Ident { name: Symbol::new(name), span };
    let kind = match random.below(if depth > 4 { 4 } else { 10 }) {
        0 => ExprKind::Wildcard,
        1 => ExprKind::Variable(Symbol::new("Var")),
        2 => ExprKind::Ident(Symbol::new("parameter")),
        3 => ExprKind::Literal(random_value(random)),
        4 => {
            let args = (0..random.below(3)).map(|_| random_expr(random, depth + 1)).collect();
            ExprKind::Call(ident(random.pick(&["if", "f", "count"])), args)
        }
        5 => {
            let op = random.pick(&[UnaryOp::Not, UnaryOp::Negate]);
            ExprKind::Unary(op, Box::new(random_expr(random, depth + 1)))
        }
        6 => {
            let elements =
                (0..random.below(3)).map(|_| Expr { kind: ExprKind::Literal(random_value(random)), span });
            let list = Expr { kind: ExprKind::List(elements.collect()), span };
            ExprKind::In(Box::new(random_expr(random, depth + 1)), Box::new(list))
        }
        _ => {
            use BinaryOp::*;
            let ops =
                [Add, Subtract, Multiply, Divide, Remainder, Equal, NotEqual, Less, GreaterEqual, And, Or];
            let op = random.pick(&ops);
            let (left, right) = (random_expr(random, depth + 1), random_expr(random, depth + 1));
            ExprKind::Binary(op, Box::new(left), Box::new(right))
        }
    };
    Expr { kind, span }
}

/// An expression without its places.
fn bare(expr: &Expr) -> String {
    match &expr.kind {
        ExprKind::Unary(op, operand) => format!("({op:?} {})", bare(operand)),
        ExprKind::Binary(op, left, right) => format!("({} {op:?} {})", bare(left), bare(right)),
        ExprKind::In(left, right) => format!("({} in {})", bare(left), bare(right)),
        ExprKind::List(args) => format!("[{}]", args.iter().map(bare).collect::<Vec<_>>().join(", ")),
        ExprKind::Call(name, args) => {
            format!("{}({})", name.name, args.iter().map(bare).collect::<Vec<_>>().join(", "))
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn random_expressions_read_back() {
    let mut random = Dice::new(5);
    for _ in 0..rounds(3_000) {
        let expr = random_expr(&mut random, 0);
        let text = format!("p(({}))", syntax::expr_text(&expr));
        let (atom, faults) = syntax::parse_fact(FileId(0), &text);
        assert!(faults.is_empty(), "{text}\n{faults:?}");
        let Args::Positional(terms) = atom.unwrap().args else { panic!("named: {text}") };
        assert_eq!(bare(&terms[0]), bare(&expr), "{text}");
    }
}

#[test]
fn faults_of_one_file_are_bounded() {
    let text = "p(X) :- q(X) == .\n".repeat(5_000);
    let (_, faults) = syntax::parse(FileId(0), &text);
    assert_eq!(faults.len(), 1_001);
    assert!(faults.iter().any(|fault| fault.code == syntax::codes::TOO_MANY_FAULTS));
}

#[test]
fn a_file_too_large_is_refused() {
    let text = " ".repeat(syntax::MAX_BYTES + 1);
    let (file, faults) = syntax::parse(FileId(0), &text);
    assert!(file.items.is_empty());
    assert_eq!(faults[0].code, syntax::codes::FILE_TOO_LARGE);
}

#[test]
fn deep_and_long_texts_end() {
    for text in
        ["(", "p(", "!", "-", "f(f(", "[", "{", "not ", "\"", "@", "p(X) :- ", "test \"a\" {", "1+", "a."]
    {
        survive(&text.repeat(20_000));
        survive(&format!("p(X) :- {}", text.repeat(20_000)));
    }
}
