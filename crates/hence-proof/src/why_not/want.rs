//! What a column or a variable is wanted to be, and what would have to be put into an expression to get it.

use hence_core::literal;
use hence_core::symbol::Symbol;
use hence_core::value::{Type, Value, Word};
use hence_lang::builtins::expr::{Expr, ExprKind, ParamId, VarId};

use super::nearest;

/// What a value is wanted to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Want {
    /// Anything.
    Any,
    /// This one.
    Is(Word),
    /// One that compares with this one as the operator says: `<`, `<=`, `>`, `>=` or `!=`.
    Than(&'static str, Word),
}

/// A variable or a parameter of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    Var(VarId),
    Param(ParamId),
}

/// A text that no other holds.
const MARK: &str = "\u{1}mark\u{1}";

impl Slot {
    /// The place of its word.
    fn place<'w>(self, vars: &'w mut [Word], params: &'w mut [Word]) -> Option<&'w mut Word> {
        match self {
            Self::Var(var) => vars.get_mut(var.0 as usize),
            Self::Param(param) => params.get_mut(param.0 as usize),
        }
    }

    /// Its word.
    pub(super) fn word(self, vars: &[Word], params: &[Word]) -> Option<Word> {
        match self {
            Self::Var(var) => vars.get(var.0 as usize).copied(),
            Self::Param(param) => params.get(param.0 as usize).copied(),
        }
    }
}

impl Want {
    /// What compares with `limit` as the operator says.
    pub(super) fn compared(name: &'static str, limit: Word) -> Self {
        if name == "=" { Self::Is(limit) } else { Self::Than(name, limit) }
    }

    /// Whether a value is one that is wanted.
    pub(super) fn admits(self, ty: Type, word: Word) -> bool {
        match self {
            Self::Any => true,
            Self::Is(wanted) => wanted == word,
            Self::Than(name, limit) => {
                let order = ty.compare(word, limit);
                match name {
                    "<" => order.is_lt(),
                    "<=" => order.is_le(),
                    ">" => order.is_gt(),
                    ">=" => order.is_ge(),
                    _ => order.is_ne(),
                }
            }
        }
    }

    /// The value that is wanted, or the one nearest to the limit that is admitted.
    pub(super) fn value(self, ty: Type) -> Option<Word> {
        match self {
            Self::Any => None,
            Self::Is(word) => Some(word),
            Self::Than(name, limit) => beyond(ty, name, limit),
        }
    }

    /// The word, where only one will do.
    pub(super) fn exact(self) -> Option<Word> {
        if let Self::Is(word) = self { Some(word) } else { None }
    }
}

/// The operator as comparisons name it, where it is one.
pub(super) fn comparison(name: &str) -> Option<&'static str> {
    ["=", "!=", "<", "<=", ">", ">="].into_iter().find(|known| *known == name)
}

/// The comparison with its sides exchanged.
pub(super) fn mirror(name: &'static str) -> &'static str {
    match name {
        "<" => ">",
        "<=" => ">=",
        ">" => "<",
        ">=" => "<=",
        other => other,
    }
}

/// The comparison that holds where this one doesn't.
pub(super) fn negated(name: &'static str) -> &'static str {
    match name {
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        ">=" => "<",
        "=" => "!=",
        _ => "=",
    }
}

/// The value nearest to `limit` that compares with it as `name` says; for floats, a step in its last digit.
pub(super) fn beyond(ty: Type, name: &str, limit: Word) -> Option<Word> {
    let steps = match name {
        "=" | "<=" | ">=" => return Some(limit),
        "<" => -1,
        ">" | "!=" => 1,
        _ => return None,
    };
    match Value::from_word(ty, limit) {
        Value::Int(value) => value.checked_add(steps).map(Word::from_int),
        Value::Time(value) | Value::Duration(value) => {
            value.checked_add(steps.checked_mul(1_000_000)?).map(Word::from_int)
        }
        Value::Float(value) => {
            let text = literal::float_text(value.get());
            let digits = text.split_once('.').map_or(1, |(_, digits)| digits.len()).clamp(1, 6);
            let scale = 10_f64.powi(i32::try_from(digits).ok()?);
            Word::from_float(((value.get() * scale).round() + steps as f64) / scale)
        }
        Value::Bool(value) => Some(Word::from_bool(!value)),
        Value::String(_) | Value::Name(_) | Value::List(_) => None,
    }
}

/// The variables and parameters of an expression, each once.
pub(super) fn slots(expr: &Expr) -> Vec<(Slot, Type)> {
    let mut found: Vec<(Slot, Type)> = Vec::new();
    expr.for_each(&mut |part| {
        let slot = match part.kind {
            ExprKind::Var(var) => Slot::Var(var),
            ExprKind::Param(param) => Slot::Param(param),
            _ => return,
        };
        if found.iter().all(|(known, _)| *known != slot) {
            found.push((slot, part.ty));
        }
    });
    found
}

/// As [`solve`]; where only one value will do and whole numbers may miss it, those beside it too.
pub(super) fn solutions(
    (expr, name, limit): (&Expr, &'static str, Word),
    (slot, ty): (Slot, Type),
    at: (&[Word], &[Word]),
) -> Vec<Want> {
    if (expr.ty, ty, name) == (Type::String, Type::String, "=") {
        return inverted(expr, slot, at, limit).map(Want::Is).into_iter().collect();
    }
    let solved = solve((expr, name, limit), (slot, ty), at);
    let beside = match solved {
        Some(Want::Is(word)) if ty == Type::Int && expr.ty == Type::Float => {
            [-1, 1].map(|step| word.as_int().checked_add(step)).into_iter().flatten().collect()
        }
        _ => Vec::new(),
    };
    solved.into_iter().chain(beside.into_iter().map(|number| Want::Is(Word::from_int(number)))).collect()
}

/// The text that makes an expression which writes it somewhere give `whole`.
pub(super) fn inverted(
    expr: &Expr,
    slot: Slot,
    (vars, params): (&[Word], &[Word]),
    whole: Word,
) -> Option<Word> {
    let with = |text: Word| {
        let (mut vars, mut params) = (vars.to_vec(), params.to_vec());
        *slot.place(&mut vars, &mut params)? = text;
        expr.eval(&vars, &params).ok()
    };
    let written = with(Value::String(Symbol::new(MARK)).word())?.as_symbol();
    let (before, after) = written.as_str().split_once(MARK)?;
    let text = whole.as_symbol().as_str().strip_prefix(before)?.strip_suffix(after)?;
    let text = Value::String(Symbol::new(text)).word();
    (with(text)? == whole).then_some(text)
}

/// What a variable or a parameter has to be for an expression to compare with `limit` as `name` says, the others as
/// they are. Expressions that are not linear in it are taken as if they were: whoever asks tries the answer.
pub(super) fn solve(
    (expr, name, limit): (&Expr, &'static str, Word),
    (slot, ty): (Slot, Type),
    (vars, params): (&[Word], &[Word]),
) -> Option<Want> {
    match (&expr.kind, slot) {
        (ExprKind::Var(var), Slot::Var(asked)) if *var == asked => return Some(Want::compared(name, limit)),
        (ExprKind::Param(param), Slot::Param(asked)) if *param == asked => {
            return Some(Want::compared(name, limit));
        }
        _ => {}
    }
    let with = |word: Word| {
        let (mut vars, mut params) = (vars.to_vec(), params.to_vec());
        *slot.place(&mut vars, &mut params)? = word;
        expr.eval(&vars, &params).ok()
    };
    let now = slot.word(vars, params)?;
    if ty == Type::Bool {
        let other = Word::from_bool(!now.as_bool());
        return Want::compared(name, limit).admits(expr.ty, with(other)?).then_some(Want::Is(other));
    }
    // What is undefined where it is gets its slope from a value beside it, such as one that can be divided by.
    let now = match with(now) {
        Some(_) => now,
        None => {
            let beside = defined(now, ty, |word| with(word).is_some())?;
            if Want::compared(name, limit).admits(expr.ty, with(beside)?) {
                return Some(Want::Is(beside));
            }
            beside
        }
    };
    let (at, limit_at) = nearest::numbers(expr.ty, with(now)?, limit)?;
    let (x, _) = nearest::numbers(ty, now, now)?;
    let step = match ty {
        Type::Float => 0.0625,
        Type::Int => 1.0,
        _ => 1_000_000.0,
    };
    let slope = [step, -step].into_iter().find_map(|step| {
        let moved = nearest::numbers(expr.ty, with(word_of(ty, x + step, "")?)?, limit)?.0;
        (moved != at).then(|| (moved - at) / step)
    })?;
    let name = if slope > 0.0 { name } else { mirror(name) };
    let wanted = word_of(ty, x + (limit_at - at) / slope, name)?;
    Some(Want::compared(name, wanted))
}

/// The value nearest to `now` with which something is defined, of those a step or two away.
pub(super) fn defined(now: Word, ty: Type, is_defined: impl Fn(Word) -> bool) -> Option<Word> {
    let (at, _) = nearest::numbers(ty, now, now)?;
    let step = if matches!(ty, Type::Time | Type::Duration) { 1_000_000.0 } else { 1.0 };
    let near = [1.0, -1.0, 2.0, -2.0].into_iter().filter_map(|steps| word_of(ty, at + steps * step, ""));
    near.into_iter().find(|word| is_defined(*word))
}

/// A number as a word of a type, rounded so that it still compares as wanted.
fn word_of(ty: Type, number: f64, name: &str) -> Option<Word> {
    let round = |number: f64| match name {
        ">=" | "<" => number.ceil(),
        "<=" | ">" => number.floor(),
        _ => number.round(),
    };
    match ty {
        Type::Float if name.is_empty() || name == "=" => Word::from_float(number),
        Type::Float => {
            let scaled = number * 1e6;
            let near = (scaled - scaled.round()).abs() < 1e-4;
            Word::from_float(if near { scaled.round() } else { round(scaled) } / 1e6)
        }
        Type::Int | Type::Time | Type::Duration => {
            let near = (number - number.round()).abs() < 1e-6;
            let whole = if near { number.round() } else { round(number) };
            (whole.abs() < 9.0e18).then(|| Word::from_int(whole as i64))
        }
        _ => None,
    }
}
