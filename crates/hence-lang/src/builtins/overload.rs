//! Which operation a function or operator stands for at which types: the one table that the checker asks and that
//! messages show.

use std::sync::LazyLock;

use hence_core::value::Type::{self, Bool, Duration, Float, Int, Name, String as Text, Time};

use super::op::Op;
use super::reference::{self, WordKind};

/// All types, in the order in which messages list them.
pub(super) const TYPES: [Type; 7] = [Int, Float, Bool, Text, Name, Time, Duration];

/// What a function takes and gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The types of the arguments.
    pub args: Vec<Type>,
    /// The type of the result.
    pub result: Type,
}

impl Signature {
    pub(super) fn new(args: &[Type], result: Type) -> Self {
        Self { args: args.to_vec(), result }
    }

    /// The signature as shown to a user: `clamp(float, float, float) -> float`, `int + int -> int`.
    pub fn show(&self, name: &str) -> String {
        let args: Vec<_> = self.args.iter().map(|ty| ty.keyword()).collect();
        written(name, &args, self.result.keyword())
    }
}

/// A function or operator as a user writes it, with types or letters for its arguments and its result.
pub(super) fn written(name: &str, args: &[&str], result: &str) -> String {
    let is_word = name.starts_with(|c: char| c.is_ascii_lowercase());
    match (args, is_word) {
        ([left, right], _) if !is_word || matches!(name, "and" | "or") => {
            format!("{left} {name} {right} -> {result}")
        }
        ([operand], false) => format!("{name}{operand} -> {result}"),
        ([operand], true) if name == "not" => format!("not {operand} -> {result}"),
        _ => format!("{name}({}) -> {result}", args.join(", ")),
    }
}

/// One meaning of a name. Those that are no operation (`if`, `format`, …) have no `op`.
struct Overload {
    signature: Signature,
    op: Option<Op>,
}

fn of(args: &[Type], result: Type, op: Op) -> Overload {
    Overload { signature: Signature::new(args, result), op: Some(op) }
}

fn special(args: &[Type], result: Type) -> Overload {
    Overload { signature: Signature::new(args, result), op: None }
}

/// The operation that `name` (a function, or an operator as written: `+`, `<`, unary `-` and `not` with one
/// argument) stands for at these argument types, with the type of its result. `None` where there is none;
/// [`signatures`] then tells what would have been right. `format`, `if`, `and` and `or` are no
/// operations: the checker makes expressions of their own of them, and of `matches` with a literal pattern.
pub fn resolve(name: &str, args: &[Type]) -> Option<(Op, Type)> {
    if name == "concat" && args.len() > 2 && args.iter().all(|ty| *ty == Text) {
        return Some((Op::Concat, Text));
    }
    let found = overloads(name).into_iter().find(|overload| overload.signature.args == args)?;
    Some((found.op?, found.signature.result))
}

/// Every signature of a function or operator, `matches`, `format` and `if` included, for messages; empty where
/// there is no function of that name. `concat` is shown with two arguments and takes more.
pub fn signatures(name: &str) -> Vec<Signature> {
    overloads(name).into_iter().map(|overload| overload.signature).collect()
}

/// The names of all functions, in order, `matches`, `format` and `if` included.
pub fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| reference::names(WordKind::Function));
    &NAMES
}

fn overloads(name: &str) -> Vec<Overload> {
    match name {
        "=" => compare(Op::Equal, Op::Equal),
        "!=" => compare(Op::NotEqual, Op::NotEqual),
        "<" => compare(Op::Less, Op::LessText),
        "<=" => compare(Op::LessEqual, Op::LessEqualText),
        ">" => compare(Op::Greater, Op::GreaterText),
        ">=" => compare(Op::GreaterEqual, Op::GreaterEqualText),
        "and" | "or" => vec![special(&[Bool, Bool], Bool)],
        "not" => vec![of(&[Bool], Bool, Op::Not)],
        "if" => TYPES.iter().map(|&ty| special(&[Bool, ty, ty], ty)).collect(),
        "min" => choose(2, Op::Min, Op::MinText),
        "max" => choose(2, Op::Max, Op::MaxText),
        "clamp" => choose(3, Op::Clamp, Op::ClampText),
        "+" | "-" | "*" | "/" | "%" => operators(name),
        "abs" | "pow" | "sqrt" | "ln" | "exp" | "round" | "floor" | "ceil" => numbers(name),
        "int" | "float" | "string" | "name" => conversions(name),
        "year" | "month" | "day" | "weekday" | "hour" | "minute" | "date" | "truncate" => times(name),
        "seconds" | "minutes" | "hours" | "days" => durations(name),
        _ => texts(name),
    }
}

/// Two values of one type; texts need an order of their own.
fn compare(scalar: Op, text: Op) -> Vec<Overload> {
    TYPES.iter().map(|&ty| of(&[ty, ty], Bool, if ty.is_text() { text } else { scalar })).collect()
}

/// One of `count` values of one type.
fn choose(count: usize, scalar: Op, text: Op) -> Vec<Overload> {
    TYPES.iter().map(|&ty| of(&vec![ty; count], ty, if ty.is_text() { text } else { scalar })).collect()
}

fn operators(name: &str) -> Vec<Overload> {
    match name {
        "+" => vec![
            of(&[Int, Int], Int, Op::AddInt),
            of(&[Float, Float], Float, Op::AddFloat),
            of(&[Time, Duration], Time, Op::AddTime),
            of(&[Duration, Time], Time, Op::AddTime),
            of(&[Duration, Duration], Duration, Op::AddInt),
        ],
        "-" => vec![
            of(&[Int, Int], Int, Op::SubInt),
            of(&[Float, Float], Float, Op::SubFloat),
            of(&[Time, Time], Duration, Op::SubInt),
            of(&[Time, Duration], Time, Op::SubTime),
            of(&[Duration, Duration], Duration, Op::SubInt),
            of(&[Int], Int, Op::NegInt),
            of(&[Float], Float, Op::NegFloat),
            of(&[Duration], Duration, Op::NegInt),
        ],
        "*" => vec![
            of(&[Int, Int], Int, Op::MulInt),
            of(&[Float, Float], Float, Op::MulFloat),
            of(&[Duration, Int], Duration, Op::MulInt),
            of(&[Int, Duration], Duration, Op::MulInt),
            of(&[Duration, Float], Duration, Op::ScaleDuration),
            of(&[Float, Duration], Duration, Op::ScaleByDuration),
        ],
        "/" => vec![
            of(&[Int, Int], Int, Op::DivInt),
            of(&[Float, Float], Float, Op::DivFloat),
            of(&[Duration, Duration], Float, Op::DivDuration),
            of(&[Duration, Int], Duration, Op::ShareDuration),
        ],
        _ => vec![of(&[Int, Int], Int, Op::RemInt), of(&[Float, Float], Float, Op::RemFloat)],
    }
}

fn numbers(name: &str) -> Vec<Overload> {
    match name {
        "abs" => vec![
            of(&[Int], Int, Op::AbsInt),
            of(&[Float], Float, Op::AbsFloat),
            of(&[Duration], Duration, Op::AbsInt),
        ],
        "pow" => vec![of(&[Int, Int], Int, Op::PowInt), of(&[Float, Float], Float, Op::PowFloat)],
        "sqrt" => vec![of(&[Float], Float, Op::Sqrt)],
        "ln" => vec![of(&[Float], Float, Op::Ln)],
        "exp" => vec![of(&[Float], Float, Op::Exp)],
        "round" => vec![of(&[Float], Int, Op::Round), of(&[Float, Int], Float, Op::RoundTo)],
        "floor" => vec![of(&[Float], Int, Op::Floor)],
        _ => vec![of(&[Float], Int, Op::Ceil)],
    }
}

fn conversions(name: &str) -> Vec<Overload> {
    match name {
        "int" => vec![of(&[Float], Int, Op::IntOfFloat), of(&[Text], Int, Op::IntOfText)],
        "float" => vec![of(&[Int], Float, Op::FloatOfInt), of(&[Text], Float, Op::FloatOfText)],
        "name" => vec![of(&[Text], Name, Op::NameOf)],
        _ => TYPES.iter().map(|&ty| of(&[ty], Text, Op::StringOf(ty))).collect(),
    }
}

fn times(name: &str) -> Vec<Overload> {
    let part = |op, local| vec![of(&[Time], Int, op), of(&[Time, Text], Int, local)];
    match name {
        "year" => part(Op::Year, Op::YearIn),
        "month" => part(Op::Month, Op::MonthIn),
        "day" => part(Op::Day, Op::DayIn),
        "weekday" => part(Op::Weekday, Op::WeekdayIn),
        "hour" => part(Op::Hour, Op::HourIn),
        "minute" => part(Op::Minute, Op::MinuteIn),
        "date" => vec![of(&[Time], Text, Op::Date), of(&[Time, Text], Text, Op::DateIn)],
        _ => vec![
            of(&[Time, Duration], Time, Op::Truncate),
            of(&[Time, Name], Time, Op::TruncateTo),
            of(&[Time, Name, Text], Time, Op::TruncateToIn),
        ],
    }
}

fn durations(name: &str) -> Vec<Overload> {
    let op = match name {
        "seconds" => Op::Seconds,
        "minutes" => Op::Minutes,
        "hours" => Op::Hours,
        _ => Op::Days,
    };
    vec![of(&[Duration], Float, op)]
}

fn texts(name: &str) -> Vec<Overload> {
    match name {
        "len" => vec![of(&[Text], Int, Op::Len)],
        "lower" => vec![of(&[Text], Text, Op::Lower)],
        "upper" => vec![of(&[Text], Text, Op::Upper)],
        "trim" => vec![of(&[Text], Text, Op::Trim)],
        "contains" => vec![of(&[Text, Text], Bool, Op::Contains)],
        "starts_with" => vec![of(&[Text, Text], Bool, Op::StartsWith)],
        "ends_with" => vec![of(&[Text, Text], Bool, Op::EndsWith)],
        "replace" => vec![of(&[Text, Text, Text], Text, Op::Replace)],
        "concat" => vec![of(&[Text, Text], Text, Op::Concat)],
        "substring" => vec![of(&[Text, Int, Int], Text, Op::Substring)],
        "jaccard" => vec![of(&[Text, Text], Float, Op::Jaccard)],
        "matches" => vec![of(&[Text, Text], Bool, Op::Matches)],
        "replace_all" => vec![of(&[Text, Text, Text], Text, Op::ReplaceAll)],
        "format" => vec![special(&[Text], Text)],
        _ => Vec::new(),
    }
}
