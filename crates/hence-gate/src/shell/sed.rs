//! Scripts of `sed`: whether they run a program or name a file.

use std::iter::Peekable;
use std::str::Chars;

/// Whether a script has a command that runs a program, or reads or writes a file of its own: `e`, `r`, `R`, `w`, `W`, or
/// `s` with the flag `e` or `w`.
pub(super) fn runs(script: &str) -> bool {
    let mut left = script.chars().peekable();
    loop {
        address(&mut left);
        match left.next() {
            None => return false,
            Some('e' | 'r' | 'R' | 'w' | 'W') => return true,
            Some('s') => {
                let Some(mark) = left.next() else { return false };
                part(&mut left, mark);
                part(&mut left, mark);
                while let Some(flag) = left.next_if(|c| !";}\n#".contains(*c)) {
                    if matches!(flag, 'e' | 'w') {
                        return true;
                    }
                }
            }
            Some('y') => {
                let Some(mark) = left.next() else { return false };
                part(&mut left, mark);
                part(&mut left, mark);
            }
            // Text and comments end with their line.
            Some('a' | 'i' | 'c' | '#') => while left.next_if(|c| *c != '\n').is_some() {},
            Some(':' | 'b' | 't' | 'T') => while left.next_if(|c| !";\n".contains(*c)).is_some() {},
            Some(_) => {}
        }
    }
}

/// Passes what stands before a command: addresses, blanks, and what separates commands.
fn address(left: &mut Peekable<Chars<'_>>) {
    while let Some(c) =
        left.next_if(|c| c.is_whitespace() || c.is_ascii_digit() || ";{}$,!+~/\\".contains(*c))
    {
        let mark = match c {
            '/' => Some('/'),
            '\\' => left.next(),
            _ => None,
        };
        if let Some(mark) = mark {
            part(left, mark);
            while left.next_if(|c| matches!(c, 'I' | 'M')).is_some() {}
        }
    }
}

/// Passes text up to the mark that ends it; within brackets and after a backslash there is none.
fn part(left: &mut Peekable<Chars<'_>>, mark: char) {
    let mut last = None;
    let mut in_set = false;
    while let Some(c) = left.next() {
        match c {
            '\\' => drop(left.next()),
            '[' if !in_set => in_set = true,
            ']' if in_set && !matches!(last, Some('[' | '^')) => in_set = false,
            '\n' => in_set = false,
            c if c == mark && !in_set => return,
            _ => {}
        }
        last = Some(c);
    }
}
