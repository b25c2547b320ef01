//! Quotes and escapes of shell: what a piece of text in them means.

use super::word::{From, Piece};

/// Whether a text is the name of a variable.
pub(super) fn is_variable(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Text that is quoted as a whole.
pub(super) fn chars(text: &str) -> Vec<Piece> {
    text.chars().map(|c| Piece::Char(c, From::Quotes)).collect()
}

/// The inside of back quotes as the commands that a shell reads there.
pub(super) fn in_back_quotes(text: &str, quoted: bool) -> String {
    let mut all = String::new();
    let mut left = text.chars().peekable();
    while let Some(c) = left.next() {
        let is_kept = |next: &char| matches!(next, '`' | '\\' | '$') || quoted && *next == '"';
        all.push(if c == '\\' { left.next_if(is_kept).unwrap_or(c) } else { c });
    }
    all
}

/// The commands between back quotes in text that a shell expands, and whether another substitution is in it.
pub(super) fn substituted(text: &str) -> (Vec<String>, bool) {
    let (mut commands, mut open, mut hidden) = (Vec::new(), None, false);
    let mut left = text.char_indices().peekable();
    while let Some((at, c)) = left.next() {
        match (c, open) {
            ('\\', _) => drop(left.next()),
            ('`', None) => open = Some(at + 1),
            ('`', Some(from)) => {
                commands.push(in_back_quotes(text.get(from..at).unwrap_or_default(), false));
                open = None;
            }
            ('$', None) => hidden |= left.peek().is_some_and(|(_, next)| *next == '('),
            _ => {}
        }
    }
    (commands, hidden || open.is_some())
}

/// Text outside of quotes: a backslash keeps the next character as it is.
pub(super) fn plain(text: &str, from: From) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut left = text.chars();
    while let Some(c) = left.next() {
        match (c, from) {
            ('\\', From::Text) => match left.next() {
                Some('\n') | None => {}
                Some(c) => all.push(Piece::Char(c, From::Quotes)),
            },
            (c, from) => all.push(Piece::Char(c, from)),
        }
    }
    all
}

/// Text in double quotes.
pub(super) fn in_quotes(text: &str) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut left = text.chars().peekable();
    while let Some(c) = left.next() {
        match (c, left.peek()) {
            ('\\', Some('\n')) => {
                left.next();
            }
            ('\\', Some(next @ ('"' | '\\' | '$' | '`'))) => {
                all.push(Piece::Char(*next, From::Quotes));
                left.next();
            }
            _ => all.push(Piece::Char(c, From::Quotes)),
        }
    }
    all
}

/// `$'…'`, its escapes taken for what they mean.
pub(super) fn ansi(text: &str) -> Vec<Piece> {
    let inside = text.strip_prefix("$'").and_then(|text| text.strip_suffix('\'')).unwrap_or_default();
    let mut bytes = Vec::new();
    let mut left = inside;
    while let Some(c) = left.chars().next() {
        left = left.get(c.len_utf8()..).unwrap_or_default();
        if c == '\\' {
            left = escape(left, &mut bytes);
        } else {
            bytes.extend(c.to_string().bytes());
        }
    }
    // A zero byte ends the string.
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    bytes.truncate(end);
    chars(&String::from_utf8_lossy(&bytes))
}

/// What stands after a backslash in `$'…'`; the rest.
fn escape<'t>(text: &'t str, bytes: &mut Vec<u8>) -> &'t str {
    let Some(c) = text.chars().next() else { return text };
    let rest = text.get(c.len_utf8()..).unwrap_or_default();
    let digits = |text: &str, most: usize, radix: u32| -> usize {
        text.chars().take(most).take_while(|c| c.is_digit(radix)).count()
    };
    let number = |text: &str, radix| u32::from_str_radix(text, radix).unwrap_or_default();
    let in_braces = rest.strip_prefix('{').filter(|_| c == 'x');
    let (count, radix, from) = match c {
        'x' if in_braces.is_some() => {
            let from = in_braces.unwrap_or_default();
            (digits(from, from.len(), 16), 16, from)
        }
        'x' => (digits(rest, 2, 16), 16, rest),
        'u' => (digits(rest, 4, 16), 16, rest),
        'U' => (digits(rest, 8, 16), 16, rest),
        '0'..='7' => (digits(text, 3, 8), 8, text),
        _ => (0, 10, rest),
    };
    if count > 0 {
        let code = number(from.get(..count).unwrap_or_default(), radix);
        match c {
            'u' | 'U' => bytes.extend(char::from_u32(code).map(String::from).unwrap_or_default().bytes()),
            #[expect(clippy::cast_possible_truncation, reason = "the shell keeps the low byte")]
            _ => bytes.push(code as u8),
        }
        let rest = from.get(count..).unwrap_or_default();
        return in_braces.and_then(|_| rest.strip_prefix('}')).unwrap_or(rest);
    }
    match c {
        'n' => bytes.push(b'\n'),
        't' => bytes.push(b'\t'),
        'r' => bytes.push(b'\r'),
        'a' => bytes.push(7),
        'b' => bytes.push(8),
        'e' | 'E' => bytes.push(27),
        'f' => bytes.push(12),
        'v' => bytes.push(11),
        'c' => {
            let control = rest.bytes().next().unwrap_or_default() & 0x1f;
            bytes.push(control);
            return rest.get(1..).unwrap_or_default();
        }
        c => bytes.extend(c.to_string().bytes()),
    }
    rest
}
