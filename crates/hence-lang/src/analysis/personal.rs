//! Personal values: which columns hold them, where rules carry them on, and that none is recorded as it is.

use std::collections::BTreeMap;

use hence_core::diagnostic::Diagnostic;
use hence_core::index_vec::Id as _;
use hence_core::schema::{Kind, Personal, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::Type;
use hence_syntax::tree::RelationDecl;

use super::checked::{Checked, Literal, Rule};
use super::codes;
use super::draft::unknown_column;
use super::names::Entry;
use super::prose::a_column;
use super::values::error;
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::term::{Part, Term, Variable};

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

/// A column of a relation.
type Place = (RelationId, usize);

/// The columns that carry personal values, each with the declared one that they come from first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carriers(BTreeMap<Place, Place>);

impl Carriers {
    /// Those of checked rules. Only texts carry them: a number that is computed from one does not.
    pub fn of(checked: &Checked) -> Self {
        let relations = (0u32..).map(RelationId).zip(&checked.relations);
        let declared = relations.flat_map(|(id, relation)| {
            relation.personal.iter().map(move |personal| ((id, personal.column), (id, personal.column)))
        });
        let mut found = Self(declared.collect());
        while !found.0.is_empty() && found.spread(checked) {}
        found
    }

    /// The declared column that the values of a column come from; none where they are not personal.
    pub fn origin(&self, relation: RelationId, column: usize) -> Option<(RelationId, usize)> {
        self.0.get(&(relation, column)).copied()
    }

    /// Carries values over every rule once; whether another column has some now.
    fn spread(&mut self, checked: &Checked) -> bool {
        let before = self.0.len();
        for rule in &checked.rules {
            let vars = self.vars(&rule.body, &rule.variables, Vars::new());
            for (column, term) in rule.terms.iter().enumerate() {
                let is_text =
                    checked[rule.head].columns.get(column).is_some_and(|column| column.ty.ty.is_text());
                if let Some(origin) =
                    term.exprs().iter().find_map(|expr| mentioned(expr, &vars)).filter(|_| is_text)
                {
                    self.0.entry((rule.head, column)).or_insert(origin);
                }
            }
        }
        for effect in &checked.effects {
            for (column, own) in effect.columns.iter().enumerate() {
                let carried = own.and_then(|own| self.origin(effect.relation, own));
                if let Some(origin) = carried {
                    self.0.entry((effect.input, column)).or_insert(origin);
                }
            }
        }
        self.0.len() > before
    }

    /// The variables of a body with personal values.
    fn vars(&self, body: &[Literal], variables: &[Variable], mut vars: Vars) -> Vars {
        let is_text = |var: VarId| variables.get(var.at()).is_some_and(|var| var.ty.ty.is_text());
        loop {
            let before = vars.len();
            for literal in body {
                if let Some(atom) = literal.positive() {
                    for (column, arg) in atom.args.iter().enumerate() {
                        let origin = self.origin(atom.relation, column);
                        if let (Some(ExprKind::Var(var)), Some(origin)) =
                            (arg.expr().map(|expr| &expr.kind), origin)
                        {
                            vars.entry(*var).or_insert(origin);
                        }
                    }
                }
                let inner = match literal {
                    Literal::Aggregate(of) => {
                        let shared =
                            of.shared.iter().filter_map(|(outer, inner)| Some((*inner, *vars.get(outer)?)));
                        let inner = self.vars(&of.body, &of.variables, shared.collect());
                        for (outer, shared) in &of.shared {
                            if let Some(origin) = inner.get(shared) {
                                vars.entry(*outer).or_insert(*origin);
                            }
                        }
                        of.args.iter().find_map(|arg| mentioned(arg, &inner))
                    }
                    Literal::Atom { .. } => None,
                    _ => literal.exprs().into_iter().find_map(|expr| mentioned(expr, &vars)),
                };
                if let (Some(var), Some(origin)) = (literal.computed().filter(|var| is_text(*var)), inner) {
                    vars.entry(var).or_insert(origin);
                }
            }
            if vars.len() == before {
                return vars;
            }
        }
    }
}

/// Variables, each with the declared column that its values come from.
type Vars = BTreeMap<VarId, Place>;

/// The declared column of the first personal value in an expression.
fn mentioned(expr: &Expr, vars: &Vars) -> Option<Place> {
    let mut found = None;
    expr.for_each(&mut |part: &Expr| {
        if let ExprKind::Var(var) = &part.kind {
            found = found.or(vars.get(var).copied());
        }
    });
    found
}

/// Takes personal values out of the sentences of rules, and reports columns that would record them as they are.
pub(super) fn guard(checked: &mut Checked) -> Vec<Diagnostic> {
    let carriers = Carriers::of(checked);
    if carriers.0.is_empty() {
        return Vec::new();
    }
    for rule in &mut checked.rules {
        mask(rule, &carriers);
    }
    let recorded = |relation: RelationId| checked[relation].kind != Kind::Derived;
    let lost = carriers.0.iter().filter(|((relation, column), _)| {
        let declared = &checked[*relation].personal;
        recorded(*relation) && declared.iter().all(|personal| personal.column != *column)
    });
    lost.map(|((relation, column), origin)| {
        let relation = &checked[*relation];
        let (name, from) = (named(checked, (relation.name, *column)), &checked[origin.0]);
        let from = named(checked, (from.name, origin.1));
        let message =
            format!("`{name}` carries personal values of `{from}` and would record them as they are");
        let column = relation.columns.get(*column).map_or("", |column| column.name.as_str());
        Diagnostic::new(codes::PERSONAL_LOST, message).at(relation.span, "recorded").help(format!(
            "write: `{column}: string @personal(COLUMN)`, where COLUMN of `{}` says whose they are",
            relation.name
        ))
    })
    .collect()
}

fn named(checked: &Checked, (relation, column): (Symbol, usize)) -> String {
    let found = checked.relations.iter().find(|known| known.name == relation);
    let column = found.and_then(|found| found.columns.get(column)).map_or("", |column| column.name.as_str());
    format!("{relation}.{column}")
}

fn mask(rule: &mut Rule, carriers: &Carriers) {
    let vars = carriers.vars(&rule.body, &rule.variables, Vars::new());
    let Some(sentence) = rule.because.as_mut().filter(|_| !vars.is_empty()) else { return };
    let terms = &rule.terms;
    let is_personal = |part: &Part| match part {
        Part::Var(var, _) => vars.contains_key(var),
        Part::Column(column, _) => {
            let term = usize::try_from(*column).ok().and_then(|column| terms.get(column));
            term.is_some_and(|term: &Term| term.exprs().iter().any(|expr| mentioned(expr, &vars).is_some()))
        }
        Part::Text(_) | Part::Param(..) => false,
    };
    for part in &mut sentence.parts {
        if is_personal(part) {
            *part = Part::Text(Symbol::new(SHOWN));
        }
    }
}
