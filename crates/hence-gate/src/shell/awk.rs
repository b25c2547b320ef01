//! Programs of `awk`: whether they run others, and the files that they name.

/// What a program does beside printing.
#[derive(Default)]
pub(super) struct Program {
    /// Whether it runs a program, loads code, or does what isn't understood.
    pub(super) runs: bool,
    /// Whether it shows the environment.
    pub(super) shows_environment: bool,
    /// The files that it prints to.
    pub(super) writes: Vec<String>,
}

/// A part of a program.
#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name or a keyword.
    Name(String),
    /// A number.
    Number,
    /// A text in quotes.
    Text(String),
    /// A regular expression.
    Regex,
    /// An operator, a bracket or a mark; a line break is `;`.
    Mark(&'static str),
}

/// Reads a program.
pub(super) fn read(program: &str) -> Program {
    let mut all = Program::default();
    let Some(tokens) = tokens(program) else {
        return Program { runs: true, ..all };
    };
    let (mut prints, mut depth) = (false, 0);
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        match token {
            Token::Name(name) => match name.as_str() {
                "print" | "printf" => (prints, depth) = (true, 0),
                "system" | "getline" | "ARGV" | "ARGC" | "SYMTAB" | "FUNCTAB" => all.runs = true,
                "ENVIRON" => all.shows_environment = true,
                _ => {}
            },
            // The names of functions, and of code that is loaded.
            Token::Mark("@" | "|") => all.runs = true,
            Token::Mark("(" | "[") => depth += 1,
            Token::Mark(")" | "]") => depth -= 1,
            Token::Mark(";" | "{" | "}") => prints = false,
            Token::Mark(">") if prints && depth <= 0 => {
                let is_end =
                    |token: Option<&Token>| matches!(token, None | Some(Token::Mark(";" | "}" | ">")));
                let next = if next == Some(&Token::Mark(">")) { tokens.get(at + 2) } else { next };
                let after = tokens.iter().skip(at + 1).position(|token| matches!(token, Token::Text(_)));
                match next {
                    Some(Token::Text(file))
                        if !file.contains('\\') && is_end(tokens.get(at + 2 + after.unwrap_or_default())) =>
                    {
                        all.writes.push(file.clone());
                    }
                    _ => all.runs = true,
                }
            }
            _ => {}
        }
    }
    all
}

/// The parts of a program; `None` where it can't be told whether a slash begins a regular expression.
fn tokens(program: &str) -> Option<Vec<Token>> {
    let mut all: Vec<Token> = Vec::new();
    let mut left = program;
    while let Some(c) = left.chars().next() {
        let rest = left.get(c.len_utf8()..).unwrap_or_default();
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let (token, after) = match c {
            '\n' => (Some(Token::Mark(";")), rest),
            '\\' => (None, rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\r\n"))?),
            c if c.is_whitespace() => (None, rest),
            '#' => (None, rest.get(rest.find('\n').unwrap_or(rest.len())..).unwrap_or_default()),
            '"' => {
                let (text, after) = quoted(rest)?;
                (Some(Token::Text(text)), after)
            }
            '/' if begins_regex(&all)? => (Some(Token::Regex), after_regex(rest)?),
            c if c.is_ascii_digit() => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len());
                (Some(Token::Number), rest.get(end..).unwrap_or_default())
            }
            c if is_of_name(c) => {
                let end = left.find(|c| !is_of_name(c)).unwrap_or(left.len());
                let (name, after) = left.split_at(end);
                (Some(Token::Name(name.to_owned())), after)
            }
            _ => {
                let marks = [
                    "||", "|&", ">=", "==", "++", "--", "|", ">", "(", ")", "[", "]", "{", "}", ";", "@", "$",
                ];
                match marks.into_iter().find_map(|mark| Some((mark, left.strip_prefix(mark)?))) {
                    Some(("|&", after)) => (Some(Token::Mark("|")), after),
                    Some((mark, after)) => (Some(Token::Mark(mark)), after),
                    None => (Some(Token::Mark("")), rest),
                }
            }
        };
        all.extend(token);
        left = after;
    }
    Some(all)
}

/// The text up to the quote that ends it, and what stands after that.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut all = String::new();
    let mut left = text.chars();
    while let Some(c) = left.next() {
        match c {
            '"' => return Some((all, left.as_str())),
            '\n' => return None,
            '\\' => all.extend(['\\', left.next()?]),
            c => all.push(c),
        }
    }
    None
}

/// Whether a slash after some parts begins a regular expression and divides nothing; `None` where it may do either.
fn begins_regex(before: &[Token]) -> Option<bool> {
    match before.last() {
        Some(Token::Name(name)) => match name.as_str() {
            "print" | "printf" | "return" | "case" | "in" | "else" | "do" => Some(true),
            "exit" | "length" | "next" | "getline" | "delete" => None,
            _ => Some(false),
        },
        Some(Token::Number | Token::Text(_) | Token::Regex | Token::Mark("]")) => Some(false),
        Some(Token::Mark(")" | "++" | "--")) => None,
        Some(Token::Mark(_)) | None => Some(true),
    }
}

/// What stands after a regular expression; `None` where a slash in brackets may end it.
fn after_regex(text: &str) -> Option<&str> {
    let mut in_set = false;
    let mut left = text.chars();
    while let Some(c) = left.next() {
        match c {
            '\n' => return None,
            '/' if in_set => return None,
            '/' => return Some(left.as_str()),
            '\\' => drop(left.next()),
            '[' => in_set = true,
            ']' => in_set = false,
            _ => {}
        }
    }
    None
}
