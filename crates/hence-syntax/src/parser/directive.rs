//! Declarations of other languages: reported with our form, and read as if they had been written so.

use crate::part;
use hence_core::diagnostic::Diagnostic;
use hence_core::schema::Kind;
use hence_core::span::Span;

use super::super::codes;
use super::super::foreign::{self, Declared};
use super::super::token::TokenKind;
use super::super::tree::{ColumnDecl, Ident, Item, RelationDecl, TypeExpr};
use super::Parser;

impl<'a> Parser<'a> {
    /// `.decl`, `.input` and the other directives of Soufflé.
    pub(super) fn souffle_directive(&mut self) -> Option<Item> {
        self.is_souffle = true;
        let start = self.current.span;
        let TokenKind::Word(word) = self.ahead.kind else { return None };
        if word.as_str() == "decl"
            && let Some(mut declared) = foreign::souffle(self.rest_from(start))
        {
            declared.kind = self.kind_by_directive(&declared.name);
            return Some(self.declared(declared, "unknown declaration `.decl`"));
        }
        let line = self.rest_from(start).lines().next().unwrap_or("").trim_end();
        let message = format!("unknown directive `.{word}`");
        let fault = Diagnostic::new(codes::FOREIGN_DECLARATION, message)
            .at(start.to(self.ahead.span), "a directive of Soufflé")
            .help(self.directive_help(word.as_str(), line));
        self.fault(fault);
        self.resume_at(start.start as usize + line.len());
        None
    }

    /// What to write instead of a directive other than `.decl`.
    fn directive_help(&self, word: &str, line: &str) -> String {
        let arguments = line.trim_start_matches('.').trim_start_matches(word).trim();
        let names = arguments.split(['(', ' ']).next().unwrap_or("");
        let names: Vec<_> = match arguments.contains('(') {
            true => vec![names],
            false => arguments.split(',').map(str::trim).collect(),
        };
        match word {
            "input" => {
                let forms = names.iter().map(|name| match foreign::declared_in(self.text, name) {
                    Some(declared) => {
                        format!("`{}`", Declared { kind: self.kind_by_directive(name), ..declared }.form())
                    }
                    None => format!("`input {name}(column: type, …).`"),
                });
                format!("write: {}", forms.collect::<Vec<_>>().join(" and "))
            }
            "output" => {
                let forms = names.iter().map(|name| match foreign::declared_in(self.text, name) {
                    Some(declared) => {
                        format!("`{}`", Declared { kind: self.kind_by_directive(name), ..declared }.form())
                    }
                    None => format!("`decision {name}(column: type, …).`"),
                });
                format!("remove it, and write the declaration as {}", forms.collect::<Vec<_>>().join(" and "))
            }
            "printsize" => format!("remove it and run `hence derive {}`", names.join(" ")),
            "include" => format!("write: `import {}.`", arguments.trim_end_matches('.')),
            "type" => subtype_help(arguments),
            _ => String::from("remove it; the language has no directives"),
        }
    }

    /// What a relation of Soufflé is: an input or a decision if the file names it in `.input` or `.output`.
    fn kind_by_directive(&self, relation: &str) -> Kind {
        let named_by = |directive: &str| {
            let lines = self.text.lines().filter_map(|line| line.trim().strip_prefix(directive));
            lines.into_iter().any(|names| names.split([',', ' ', '(', ')', '.']).any(|name| name == relation))
        };
        match (named_by(".input"), named_by(".output")) {
            (true, _) => Kind::Input,
            (false, true) => Kind::Decision,
            (false, false) => Kind::Derived,
        }
    }

    /// `Decl r(X) bound [/string].`
    pub(super) fn mangle_declaration(&mut self) -> Option<Item> {
        let declared = foreign::mangle(self.rest_from(self.current.span));
        match declared {
            Some(declared) => Some(self.declared(declared, "unknown declaration `Decl`")),
            None => self.unknown_declaration("unknown declaration `Decl`", "relation"),
        }
    }

    /// Whether `@input struct` or `@output struct` of crepe comes next.
    pub(super) fn at_crepe_attribute(&self) -> bool {
        matches!(self.ahead.kind, TokenKind::Word(word) if ["input", "output"].contains(&word.as_str()))
    }

    /// `struct Edge(i32, i32);`, perhaps after `@input` or `@output`.
    pub(super) fn crepe_declaration(&mut self) -> Option<Item> {
        let declared = foreign::crepe(self.rest_from(self.current.span));
        match declared {
            Some(declared) => Some(self.declared(declared, "unknown declaration `struct`")),
            None => self.unknown_declaration("unknown declaration: a `struct` or its attribute", "input"),
        }
    }

    /// `default allow = false` and `package rules` of Rego.
    pub(super) fn rego_directive(&mut self) -> Option<Item> {
        let start = self.current.span;
        let line = self.rest_from(start).lines().next().unwrap_or("").trim_end();
        let help = if line.starts_with("package") {
            "remove it; all loaded files share one name space"
        } else {
            "remove it; a fact that no rule derives does not hold, and `!allow()` tests for that"
        };
        let message = format!("unknown declaration `{}`", line.split(' ').next().unwrap_or(""));
        self.report(codes::FOREIGN_DECLARATION, message, start, "Rego syntax", help);
        self.resume_at(start.start as usize + line.len());
        None
    }

    /// Whether `@prefix`, `@import` or another directive of Nemo comes next.
    pub(super) fn at_nemo_directive(&self) -> bool {
        let known = ["prefix", "base", "import", "export", "declare", "parameter"];
        matches!(self.ahead.kind, TokenKind::Word(word) if known.contains(&word.as_str()))
    }

    /// `@import p :- csv{resource="p.csv"} .` and the like of Nemo.
    pub(super) fn nemo_directive(&mut self) -> Option<Item> {
        let start = self.current.span;
        let line = self.rest_from(start).lines().next().unwrap_or("").trim_end();
        let mut words = line.split([' ', '(']);
        let (directive, name) = (words.next().unwrap_or(""), words.next().unwrap_or("name"));
        let help = match directive {
            "@import" => format!("write: `input {name}(column: type, …).`, and read the file with `--facts`"),
            "@export" => format!("write: `decision {name}(column: type, …).`, and run `hence derive {name}`"),
            "@declare" => format!("write: `relation {name}(column: type, …).`"),
            "@parameter" => format!("write: `param {}: type = value.`", name.trim_start_matches('$')),
            _ => String::from("remove it; a name is written `/name`"),
        };
        let message = format!("unknown directive `{directive}`");
        self.report(codes::FOREIGN_DECLARATION, message, start.to(self.ahead.span), "Nemo syntax", &help);
        self.resume_at(start.start as usize + line.len());
        None
    }

    /// Reports a declaration that can't be read.
    fn unknown_declaration(&mut self, message: &str, keyword: &str) -> Option<Item> {
        let help = format!("write: `{keyword} name(column: type, …).`");
        let label = "a declaration of another language";
        self.report(codes::FOREIGN_DECLARATION, message, self.current.span, label, &help);
        self.bump();
        self.skip_clause();
        None
    }

    /// Reports a declaration with our form of it, and reads on after it.
    fn declared(&mut self, mut declared: Declared, message: &str) -> Item {
        for (_, ty) in &mut declared.columns {
            if let Some(base) = self.base_of(ty) {
                *ty = base;
            }
        }
        let start = self.current.span;
        let end = start.start as usize + declared.len;
        let span = Span::new(self.file, start.start, end as u32);
        let doc = self.doc(start.start);
        let fault = Diagnostic::new(codes::FOREIGN_DECLARATION, message)
            .at(span, "a declaration of another language")
            .write(span, &declared.form());
        self.fault(fault);
        self.resume_at(end);
        let ident = |name: &str| Ident { name: name.into(), span };
        let columns = declared.columns.iter();
        let columns = columns.map(|(name, ty)| ColumnDecl {
            name: ident(name),
            ty: TypeExpr::Named(ident(ty)),
            default: None,
            personal: None,
        });
        Item::Relation(RelationDecl {
            doc,
            kind: declared.kind,
            name: ident(&declared.name),
            columns: columns.collect(),
            requires: None,
            authors: None,
            partition: None,
            span,
        })
    }

    /// The type that `.type NAME <: base` says of a name.
    fn base_of(&self, name: &str) -> Option<String> {
        let types = self.text.lines().filter_map(|line| line.trim().strip_prefix(".type"));
        let mut bases = types.filter_map(|line| line.split_once("<:").or_else(|| line.split_once('=')));
        let (_, base) = bases.find(|(known, base)| known.trim() == name && !base.contains('|'))?;
        Some(foreign::type_name(base.trim()).to_owned())
    }

    fn rest_from(&self, start: Span) -> &'a str {
        part(self.text, start.start as usize..)
    }
}

/// What to write instead of `.type Name <: symbol`.
fn subtype_help(arguments: &str) -> String {
    match arguments.split_once("<:").or_else(|| arguments.split_once('=')) {
        Some((_, base)) if !base.contains('|') => {
            format!("remove it, and declare its columns as `{}`", foreign::type_name(base.trim()))
        }
        _ => String::from("a closed set of names is written `type risk = /low | /high.`"),
    }
}
