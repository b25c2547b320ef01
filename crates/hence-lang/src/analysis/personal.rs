//! Personal values: which columns hold them, where rules carry them on, and that none is recorded as it is.

mod carriers;

use hence_core::diagnostic::Diagnostic;
use hence_core::schema::{Kind, Personal, Relation};
use hence_core::symbol::Symbol;
use hence_core::value::Type;
use hence_syntax::tree::RelationDecl;

use super::checked::{Checked, Rule};
use super::codes;
use super::draft::unknown_column;
use super::names::Entry;
use super::prose::a_column;
use super::values::error;
use crate::builtins::term::{Part, Term};
pub use carriers::Carriers;
use carriers::Place;

/// What a sentence shows in the place of a personal value.
const SHOWN: &str = "(personal)";

/// The columns of a declaration that say `@personal`.
pub(super) fn declared(decl: &RelationDecl, entry: &Entry, out: &mut Vec<Diagnostic>) -> Vec<Personal> {
    let mut personal = Vec::new();
    for (column, written) in decl.columns.iter().enumerate() {
        let Some(subject) = written.personal else { continue };
        let ty = entry.columns.get(column).and_then(|slot| slot.ty.as_ref());
        if decl.kind == Kind::Derived {
            let message = "`@personal` applies only to inputs and decisions";
            let help = "remove it: what rules derive is not recorded, and hence knows that it carries personal values";
            out.push(error(codes::FAULTY_PERSONAL, message, written.name.span).help(help));
        } else if let Some(ty) = ty.filter(|ty| ty.ty != Type::String) {
            let name = written.name.name;
            let message = format!("the column `{name}` is {} and can't be personal", a_column(ty));
            let help = "personal values are strings: declare the column as `string`";
            out.push(error(codes::FAULTY_PERSONAL, message, written.name.span).help(help));
        } else if let Some(subject) = entry.column(subject.name) {
            personal.push(Personal { column, subject });
        } else {
            out.push(unknown_column(entry, subject));
        }
    }
    personal
}

/// Takes personal values out of the sentences of rules, and reports columns that would record them as they are, or under
/// the key of somebody else.
pub(super) fn guard(checked: &mut Checked) -> Vec<Diagnostic> {
    let carriers = Carriers::of(checked);
    if carriers.is_empty() {
        return Vec::new();
    }
    for rule in &mut checked.rules {
        mask(rule, &carriers);
    }
    let lost = carriers.iter().filter(|((relation, column), _)| {
        let declared = &checked[*relation].personal;
        checked[*relation].kind != Kind::Derived && declared.iter().all(|personal| personal.column != *column)
    });
    let lost = lost.map(|(place, origin)| as_it_is(checked, place, origin));
    let strayed = carriers.strayed(checked);
    let strayed = strayed.iter().map(|(place, origin)| of_somebody_else(checked, *place, *origin));
    lost.chain(strayed).collect()
}

/// A column that would record personal values as they are.
fn as_it_is(checked: &Checked, (relation, column): Place, origin: Place) -> Diagnostic {
    let relation = &checked[relation];
    let (name, from) = (named((relation, column)), named((&checked[origin.0], origin.1)));
    let message = format!("`{name}` carries personal values of `{from}` and would record them as they are");
    let is_text = relation.columns.get(column).is_some_and(|column| column.ty.ty == Type::String);
    let column = relation.columns.get(column).map_or("", |column| column.name.as_str());
    let declared = format!(
        "`{column}: string @personal(COLUMN)`, where COLUMN of `{}` says whose they are",
        relation.name
    );
    let help = match is_text {
        true => format!("write: {declared}"),
        false => format!(
            "compare the value in the body and leave it out of `{}`, or record `string(…)` of it: {declared}",
            relation.name
        ),
    };
    Diagnostic::new(codes::PERSONAL_LOST, message).at(relation.span, "recorded").help(help)
}

/// A personal column whose values rules take from another subject than the one that it names.
fn of_somebody_else(checked: &Checked, (id, column): Place, origin: Place) -> Diagnostic {
    let (relation, from) = (&checked[id], &checked[origin.0]);
    let name = named((relation, column));
    let of = named((from, origin.1));
    let subject = |of: &Relation, column: usize| {
        let found = of.personal.iter().find(|personal| personal.column == column);
        found.map_or_else(String::new, |personal| named((of, personal.subject)))
    };
    let (own, whose) = (subject(relation, column), subject(from, origin.1));
    let message = format!(
        "`{name}` carries personal values of `{of}` and would record them under the key of somebody else"
    );
    Diagnostic::new(codes::PERSONAL_LOST, message).at(relation.span, "recorded").help(format!(
        "in each rule let `{own}` be the `{whose}` that the values are of; those of several subjects can't be one value"
    ))
}

fn named((relation, column): (&Relation, usize)) -> String {
    let column = relation.columns.get(column).map_or("", |column| column.name.as_str());
    format!("{}.{column}", relation.name)
}

fn mask(rule: &mut Rule, carriers: &Carriers) {
    let vars = carriers.of_rule(rule);
    let Some(sentence) = rule.because.as_mut().filter(|_| !vars.is_empty()) else { return };
    let terms = &rule.terms;
    let is_personal = |part: &Part| match part {
        Part::Var(var, _) => vars.carries(*var),
        Part::Column(column, _) => {
            let term = usize::try_from(*column).ok().and_then(|column| terms.get(column));
            term.is_some_and(|term: &Term| vars.of_term(term).is_some())
        }
        Part::Text(_) | Part::Param(..) => false,
    };
    for part in &mut sentence.parts {
        if is_personal(part) {
            *part = Part::Text(Symbol::new(SHOWN));
        }
    }
}
