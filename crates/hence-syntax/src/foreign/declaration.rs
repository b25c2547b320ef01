//! Declarations of Soufflé, Mangle and crepe, read from their text.

use hence_core::schema::Kind;

use super::super::lexer::snake_case;

/// A declaration of another language.
#[derive(Clone, Debug)]
pub(crate) struct Declared {
    /// What it declares.
    pub(crate) kind: Kind,
    /// The relation, in our spelling.
    pub(crate) name: String,
    /// Columns and types, in our spelling.
    pub(crate) columns: Vec<(String, String)>,
    /// How many bytes of the text it takes.
    pub(crate) len: usize,
}

impl Declared {
    /// The declaration as we write it.
    pub(crate) fn form(&self) -> String {
        let columns: Vec<_> = self.columns.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        format!("{} {}({}).", self.kind.keyword(), self.name, columns.join(", "))
    }
}

/// Our name of a type of another language.
pub(crate) fn type_name(theirs: &str) -> &str {
    match theirs.trim_start_matches('/') {
        "number" | "unsigned" | "i8" | "i16" | "i32" | "i64" | "i128" | "isize" | "u8" | "u16" | "u32"
        | "u64" | "u128" | "usize" | "integer" | "Int" | "int32" | "int64" | "long" => "int",
        "f32" | "f64" | "float64" | "double" | "real" | "decimal" | "Float" => "float",
        "symbol" | "str" | "&str" | "&'static str" | "String" | "text" | "varchar" => "string",
        "boolean" | "Bool" => "bool",
        "timestamp" | "datetime" | "date" | "Instant" => "time",
        "interval" | "Duration" => "duration",
        "any" => "string",
        other => other,
    }
}

/// `.decl r(x:number, y:symbol)`.
pub(crate) fn souffle(text: &str) -> Option<Declared> {
    let rest = text.strip_prefix(".decl")?;
    let (name, columns, after) = signature(rest)?;
    let qualifiers = rest.get(after..)?.lines().next().unwrap_or("");
    let known = ["brie", "btree", "eqrel", "inline", "no_inline", "magic", "overridable", "btree_delete"];
    let taken: usize = match qualifiers.split_whitespace().next() {
        Some(word) if known.contains(&word) => qualifiers.len(),
        _ => 0,
    };
    let columns = columns.split(',').filter(|column| !column.trim().is_empty()).map(|column| {
        let (name, ty) = column.split_once(':').unwrap_or((column, "string"));
        (snake_case(name.trim()), type_name(ty.trim()).to_owned())
    });
    let dot = usize::from(taken == 0 && qualifiers.starts_with('.'));
    let len = text.len() - rest.len() + after + taken + dot;
    Some(Declared { kind: Kind::Derived, name: snake_case(name), columns: columns.collect(), len })
}

/// `Decl r(X, Y) bound [/string, /number].`
pub(crate) fn mangle(text: &str) -> Option<Declared> {
    let rest = text.strip_prefix("Decl")?;
    let (name, columns, after) = signature(rest)?;
    let tail = rest.get(after..)?;
    let end = clause_end(tail);
    let tail = tail.get(..end)?;
    let bound = tail.split_once("bound").and_then(|(_, rest)| rest.split_once('[')?.1.split_once(']'));
    let types: Vec<_> = bound.map_or("", |(inner, _)| inner).split(',').map(str::trim).collect();
    let columns =
        columns.split(',').filter(|column| !column.trim().is_empty()).enumerate().map(|(at, column)| {
            let ty = types.get(at).filter(|ty| !ty.is_empty()).map_or("string", |ty| type_name(ty));
            (snake_case(column.trim()), ty.to_owned())
        });
    let kind = if tail.contains("extensional") { Kind::Input } else { Kind::Derived };
    let len = text.len() - rest.len() + after + end;
    Some(Declared { kind, name: snake_case(name), columns: columns.collect(), len })
}

/// `@input struct Edge(i32, i32);`
pub(crate) fn crepe(text: &str) -> Option<Declared> {
    let (kind, rest) = match text.strip_prefix("@input") {
        Some(rest) => (Kind::Input, rest),
        None => (Kind::Derived, text.strip_prefix("@output").unwrap_or(text)),
    };
    let rest = rest.trim_start().strip_prefix("pub").map_or(rest.trim_start(), str::trim_start);
    let rest = rest.strip_prefix("struct")?;
    let (name, columns, after) = signature(rest)?;
    let tail = rest.get(after..)?;
    let semicolon = usize::from(tail.starts_with(';'));
    let columns =
        columns.split(',').filter(|column| !column.trim().is_empty()).enumerate().map(|(at, column)| {
            let (name, ty) = match column.split_once(':') {
                Some((name, ty)) => (snake_case(name.trim()), ty),
                None => (format!("c{}", at + 1), column),
            };
            (name, type_name(ty.trim().trim_start_matches("pub ")).to_owned())
        });
    let len = text.len() - rest.len() + after + semicolon;
    Some(Declared { kind, name: snake_case(name), columns: columns.collect(), len })
}

/// The declaration of `relation` that the text gives with `.decl`, anywhere.
pub(crate) fn declared_in(text: &str, relation: &str) -> Option<Declared> {
    text.match_indices(".decl")
        .filter_map(|(at, _)| souffle(text.get(at..)?))
        .find(|found| found.name == relation)
}

/// A name, what is in the parentheses after it, and how many bytes both take.
fn signature(text: &str) -> Option<(&str, &str, usize)> {
    let open = text.find(['(', '{'])?;
    let closing = if text.get(open..)?.starts_with('{') { '}' } else { ')' };
    let close = open + text.get(open..)?.find(closing)?;
    let name = text.get(..open)?.trim();
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    plain.then_some((name, text.get(open + 1..close)?, close + 1))
}

/// How many bytes a clause takes, its full stop included.
fn clause_end(text: &str) -> usize {
    let mut quoted = false;
    for (at, c) in text.char_indices() {
        quoted ^= c == '"';
        let ends =
            text.get(at + 1..).is_none_or(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
        if c == '.' && !quoted && ends {
            return at + 1;
        }
    }
    text.len()
}
