//! Numbers and names of fact files.

use hence_core::diagnostic::{self, Diagnostic};
use hence_core::literal;
use hence_core::schema::{ColumnType, NameSet};
use hence_core::symbol::Symbol;
use hence_core::value::{Float, Type};

use super::codes;
use super::field::shortened;

/// Whether `text` is a number as JSON writes it.
pub(super) fn is_number(text: &str) -> bool {
    let whole = text.strip_prefix('-').unwrap_or(text);
    let Some(rest) = strip_digits(whole) else { return false };
    let leading_zero = whole.starts_with('0') && rest.len() + 1 < whole.len();
    let rest = match rest.strip_prefix('.') {
        Some(fraction) => strip_digits(fraction),
        None => Some(rest),
    };
    let rest = rest.and_then(|rest| match rest.strip_prefix(['e', 'E']) {
        Some(exponent) => strip_digits(exponent.strip_prefix(['-', '+']).unwrap_or(exponent)),
        None => Some(rest),
    });
    rest == Some("") && !leading_zero
}

/// What follows the digits that `text` begins with; `None` without any.
fn strip_digits(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (rest.len() < text.len()).then_some(rest)
}

/// Whether a number is written without point and exponent.
pub(super) fn is_whole(number: &str) -> bool {
    !number.contains(['.', 'e', 'E'])
}

/// The int of a number.
pub(super) fn int(number: &str) -> Result<i64, Diagnostic> {
    if is_whole(number) {
        return number.parse().map_err(|_| out_of_range(number, Type::Int));
    }
    let fault = Diagnostic::new(
        codes::WRONG_TYPE,
        format!("expected an int, found the float `{}`", shortened(number)),
    );
    let value: f64 = number.parse().unwrap_or(f64::NAN);
    Err(if value.fract() == 0.0 && value.abs() < 1e15 {
        fault.help(format!("write `{value:.0}`"))
    } else {
        fault.help("declare the column `float`, or round the number first")
    })
}

/// The float of a number; one without a point counts as well.
pub(super) fn float(number: &str) -> Result<Float, Diagnostic> {
    number.parse().ok().and_then(Float::new).ok_or_else(|| out_of_range(number, Type::Float))
}

fn out_of_range(number: &str, ty: Type) -> Diagnostic {
    let message = format!("`{}` is beyond the range of `{ty}`", shortened(number));
    let fault = Diagnostic::new(codes::OUT_OF_RANGE, message);
    match ty {
        Type::Int => fault.note(format!("an int is from {} to {}", i64::MIN, i64::MAX)),
        _ => fault.note(format!("a float is at most {}", literal::float_text(f64::MAX))),
    }
}

/// The name that `text` is, with or without its slash, if it is in the column's set; `None` for anything else.
pub(super) fn name(text: &str, ty: &ColumnType) -> Option<Result<Symbol, Diagnostic>> {
    match &ty.set {
        Some(set) => member(text, set).map(Ok).or_else(|| Some(Err(outside(&slashed(text)?, ty, set)))),
        None if text.starts_with('/') => literal::is_name(text).then(|| Ok(Symbol::new(text))),
        None => slashed(text).map(|name| Ok(Symbol::new(&name))),
    }
}

fn member(text: &str, set: &NameSet) -> Option<Symbol> {
    let bare = text.strip_prefix('/').unwrap_or(text);
    set.members.iter().copied().find(|member| member.as_str().strip_prefix('/') == Some(bare))
}

/// The name that `text` is, or becomes by a slash before it.
fn slashed(text: &str) -> Option<String> {
    let name = if text.starts_with('/') { text.to_owned() } else { format!("/{text}") };
    literal::is_name(&name).then_some(name)
}

fn outside(name: &str, ty: &ColumnType, set: &NameSet) -> Diagnostic {
    let members: Vec<_> = set.members.iter().map(|member| member.as_str()).collect();
    let message = format!("`{}` is not in `{ty}`", shortened(name));
    let fault = Diagnostic::new(codes::NOT_IN_SET, message);
    let fault =
        if set.name.is_some() { fault.note(format!("`{ty}` is `{}`", members.join(" | "))) } else { fault };
    match diagnostic::nearest(name, members) {
        Some(near) => fault.help(format!("did you mean `{near}`?")),
        None => fault,
    }
}

/// The name that a text was probably meant to be.
pub(super) fn near_name(text: &str) -> Option<String> {
    let joined: String = text
        .trim()
        .chars()
        .map(|c| if c.is_whitespace() { '_' } else { c })
        .flat_map(char::to_lowercase)
        .collect();
    slashed(&joined)
}
