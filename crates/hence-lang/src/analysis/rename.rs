//! A relation called like a function: the rename that mends it, at every place of the relation.

use hence_core::diagnostic::{Diagnostic, Edit};
use hence_core::span::{Sources, Span};
use hence_core::symbol::Symbol;
use hence_core::value::Type;
use hence_syntax::tree::{self, Args, Atom, ExpectationKind, File, Given, Ident, Item, Literal, Test};

use super::codes;
use crate::builtins::op;

/// Gives each fault of a relation with a name that is taken the fix that renames it, where no other relation is called
/// so and no place can also be a call.
///
/// Nothing else is said of the rules that name it.
pub(super) fn offer(files: &[File], sources: &Sources, faults: &mut Vec<Diagnostic>) {
    let mut renamed: Vec<Span> = Vec::new();
    for fault in faults.iter_mut().filter(|fault| fault.code == codes::RESERVED_NAME) {
        let Some(span) = fault.span() else { continue };
        let name = Symbol::new(sources.slice(span));
        let mut places = Places { name, all: Vec::new(), ambiguous: false };
        files.iter().flat_map(|file| &file.items).for_each(|item| places.item(item));
        let better = format!("{name}_of");
        let mut others = Places { name: Symbol::new(&better), all: Vec::new(), ambiguous: false };
        files.iter().flat_map(|file| &file.items).for_each(|item| others.item(item));
        if !places.ambiguous && others.all.is_empty() && !places.all.is_empty() {
            let edits = places.all.iter().map(|place| Edit { span: place.span, text: better.clone() });
            *fault = fault.clone().fix_all(edits.collect());
            renamed.extend(places.all.iter().map(|place| place.span));
        }
    }
    let rules = files.iter().flat_map(|file| &file.items).filter_map(|item| match item {
        Item::Rule(rule) => Some(rule.span),
        _ => None,
    });
    let within =
        |span: &Span, rule: &Span| span.file == rule.file && rule.start <= span.start && span.end <= rule.end;
    let unread: Vec<Span> = rules.filter(|rule| renamed.iter().any(|span| within(span, rule))).collect();
    let follows =
        |fault: &Diagnostic| fault.span().is_some_and(|span| unread.iter().any(|rule| within(&span, rule)));
    let begins = |fault: &Diagnostic| {
        let place = fault.span().map(|span| (span.file, span.start));
        renamed.iter().any(|span| Some((span.file, span.start)) == place)
    };
    faults.retain(|fault| fault.code == codes::RESERVED_NAME || !(begins(fault) || follows(fault)));
}

/// The places of a relation.
struct Places {
    name: Symbol,
    all: Vec<Ident>,
    /// Whether one of them can also be a condition.
    ambiguous: bool,
}

impl Places {
    fn add(&mut self, ident: Ident) {
        if ident.name == self.name {
            self.all.push(ident);
        }
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Relation(relation) => {
                self.add(relation.name);
                let atoms = relation.requires.iter().flat_map(tree::Requires::atoms);
                atoms.for_each(|atom| self.add(atom.relation));
            }
            Item::Rule(rule) => {
                self.add(rule.head);
                self.literals(&rule.body);
            }
            Item::Test(test) => self.test(test),
            Item::Type(_) | Item::Param(_) | Item::Import(_) => {}
        }
    }

    fn literals(&mut self, literals: &[Literal]) {
        for literal in literals {
            literal.atom().into_iter().for_each(|atom| self.atom(atom));
            self.literals(literal.inner());
        }
    }

    fn atom(&mut self, atom: &Atom) {
        let count = match &atom.args {
            Args::Positional(args) => Some(args.len()),
            Args::Named(_) => None,
        };
        let condition = op::signatures(self.name.as_str())
            .iter()
            .any(|signature| signature.result == Type::Bool && Some(signature.args.len()) == count);
        self.ambiguous |= condition && atom.relation.name == self.name;
        self.add(atom.relation);
    }

    fn test(&mut self, test: &Test) {
        let steps = &test.steps;
        let given = test.given.iter().chain(steps.iter().flat_map(|step| &step.changes));
        given.for_each(|given| self.given(given));
        let expected = test.expect.iter().chain(steps.iter().flat_map(|step| &step.expect));
        for expectation in expected {
            match &expectation.kind {
                ExpectationKind::Holds(literals, _)
                | ExpectationKind::No(literals)
                | ExpectationKind::Undetermined(literals) => self.literals(literals),
                ExpectationKind::Exactly { relation, .. } => self.add(*relation),
            }
        }
    }

    fn given(&mut self, given: &Given) {
        match given {
            Given::Fact(atom) | Given::Retracted(atom, _) => self.atom(atom),
            Given::Now(..) | Given::From(..) => {}
        }
    }
}
