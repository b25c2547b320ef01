//! Function calls of Mangle: `fn:plus(X, 1)` is `X + 1`, `:lt(X, 3)` is `X < 3`.

use super::scan::{Kind, Piece, closing, split};

/// Replaces every `fn:name(…)` and `:name(…)`.
pub(super) fn functions(pieces: Vec<Piece>) -> Vec<Piece> {
    rewrite(&pieces, 0)
}

/// Gives the functions of Soufflé our names.
pub(super) fn souffle(mut pieces: Vec<Piece>) -> Vec<Piece> {
    for at in 1..pieces.len() {
        let called = pieces.get(at).is_some_and(|next| next.is("("));
        if let Some(piece) = pieces.get_mut(at - 1).filter(|piece| called && piece.kind == Kind::Word) {
            piece.text = match piece.text.as_str() {
                "to_float" => String::from("float"),
                "to_number" => String::from("int"),
                "to_string" => String::from("string"),
                "strlen" => String::from("len"),
                "cat" => String::from("concat"),
                "substr" => String::from("substring"),
                _ => continue,
            };
        }
    }
    pieces
}

/// Deeper calls are left as they are.
const DEEPEST: usize = 32;

fn rewrite(pieces: &[Piece], depth: usize) -> Vec<Piece> {
    let mut out = Vec::with_capacity(pieces.len());
    let mut at = 0;
    while let Some(piece) = pieces.get(at) {
        let call = (piece.kind == Kind::Word && piece.text.contains(':') && depth < DEEPEST)
            .then(|| pieces.get(at + 1).filter(|next| next.is("(")).and_then(|_| closing(pieces, at + 1)))
            .flatten();
        match call {
            Some(close) => {
                let inner = pieces.get(at + 2..close).unwrap_or_default();
                out.extend(translated(&piece.text, inner, depth));
                at = close + 1;
            }
            None => {
                out.push(piece.clone());
                at += 1;
            }
        }
    }
    out
}

/// A call of the Mangle function `name`.
fn translated(name: &str, inner: &[Piece], depth: usize) -> Vec<Piece> {
    let short = name.rsplit(':').next().unwrap_or(name);
    let args: Vec<Vec<Piece>> = match inner {
        [] => Vec::new(),
        inner => split(inner, ",").into_iter().map(|arg| rewrite(arg, depth + 1)).collect(),
    };
    match (operator(short), args.as_slice()) {
        (Some(operator), [left, right]) => {
            let mut out = operand(left);
            out.push(Piece::mark(operator));
            out.extend(operand(right));
            out
        }
        _ => {
            let name = if short == "group_by" { name } else { function(short) };
            call(name, &args)
        }
    }
}

fn operator(name: &str) -> Option<&'static str> {
    Some(match name {
        "plus" => "+",
        "minus" => "-",
        "mult" => "*",
        "div" => "/",
        "lt" => "<",
        "le" => "<=",
        "gt" => ">",
        "ge" => ">=",
        _ => return None,
    })
}

/// Our name of a Mangle function or reducer.
fn function(name: &str) -> &str {
    match name {
        "avg" => "mean",
        "count_distinct" => "count",
        "to_string" => "string",
        "match_prefix" => "starts_with",
        other => other,
    }
}

fn call(name: &str, args: &[Vec<Piece>]) -> Vec<Piece> {
    let mut out = vec![Piece::new(Kind::Word, name), Piece::mark("(")];
    for (at, arg) in args.iter().enumerate() {
        if at > 0 {
            out.push(Piece::mark(","));
        }
        out.extend_from_slice(arg);
    }
    out.push(Piece::mark(")"));
    out
}

/// An operand, between parentheses where it is an operation itself.
fn operand(arg: &[Piece]) -> Vec<Piece> {
    let operation = ["+", "-", "*", "/", "%"].iter().any(|mark| split(arg, mark).len() > 1) && arg.len() > 2;
    if !operation {
        return arg.to_vec();
    }
    let mut out = vec![Piece::mark("(")];
    out.extend_from_slice(arg);
    out.push(Piece::mark(")"));
    out
}
