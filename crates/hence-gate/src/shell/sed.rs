//! Scripts of `sed`: whether they run a program, and the files that they name.

use std::iter::Peekable;
use std::str::Chars;

/// What a script does beside changing lines.
#[derive(Default)]
pub(super) struct Script {
    /// Whether it runs a program: by `e`, or by `s` with that flag.
    pub(super) runs: bool,
    /// The files that it reads: by `r` and `R`.
    pub(super) reads: Vec<String>,
    /// The files that it writes: by `w` and `W`, or by `s` with the flag `w`.
    pub(super) writes: Vec<String>,
}

/// Reads a script.
pub(super) fn read(script: &str) -> Script {
    let mut all = Script::default();
    let mut left = script.chars().peekable();
    loop {
        address(&mut left);
        match left.next() {
            None => return all,
            Some('e') => all.runs = true,
            Some('r' | 'R') => all.reads.push(rest_of_line(&mut left)),
            Some('w' | 'W') => all.writes.push(rest_of_line(&mut left)),
            Some('s') => {
                let Some(mark) = left.next() else { return all };
                part(&mut left, mark, true);
                part(&mut left, mark, false);
                while let Some(flag) = left.next_if(|c| !";}\n#".contains(*c)) {
                    match flag {
                        'e' => all.runs = true,
                        'w' => all.writes.push(rest_of_line(&mut left)),
                        _ => {}
                    }
                }
            }
            Some('y') => {
                let Some(mark) = left.next() else { return all };
                part(&mut left, mark, false);
                part(&mut left, mark, false);
            }
            Some('a' | 'i' | 'c') => added(&mut left),
            Some('#') => drop(rest_of_line(&mut left)),
            Some(':' | 'b' | 't' | 'T') => while left.next_if(|c| !";\n".contains(*c)).is_some() {},
            Some(_) => {}
        }
    }
}

/// What is left of a line, without blanks around it.
fn rest_of_line(left: &mut Peekable<Chars<'_>>) -> String {
    let mut all = String::new();
    while let Some(c) = left.next_if(|c| *c != '\n') {
        all.push(c);
    }
    all.trim().to_owned()
}

/// Passes text that is added: it ends with its line, unless a backslash stands before the end of that.
fn added(left: &mut Peekable<Chars<'_>>) {
    while let Some(c) = left.next() {
        match c {
            '\\' => drop(left.next()),
            '\n' => return,
            _ => {}
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
            part(left, mark, true);
            while left.next_if(|c| matches!(c, 'I' | 'M')).is_some() {}
        }
    }
}

/// Passes text up to the mark that ends it; after a backslash there is none, nor within brackets of a regular expression.
fn part(left: &mut Peekable<Chars<'_>>, mark: char, is_regex: bool) {
    while let Some(c) = left.next() {
        match c {
            '\\' => drop(left.next()),
            c if c == mark => return,
            '[' if is_regex => set(left),
            _ => {}
        }
    }
}

/// Passes a set up to the bracket that ends it; one that comes first is one of its characters, and so is that of a class.
fn set(left: &mut Peekable<Chars<'_>>) {
    left.next_if_eq(&'^');
    left.next_if_eq(&']');
    while let Some(c) = left.next().filter(|c| *c != ']') {
        let class = left.next_if(|next| c == '[' && ":.=".contains(*next));
        let mut last = None;
        while let Some(mark) = class
            && let Some(c) = left.next()
        {
            if last == Some(mark) && c == ']' {
                break;
            }
            last = Some(c);
        }
    }
}
