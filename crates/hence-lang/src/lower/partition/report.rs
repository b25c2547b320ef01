//! What is said of rules that cross partitions, and how to mend them.

use std::collections::BTreeSet;

use hence_core::diagnostic::Diagnostic;
use hence_core::index_vec::Id;
use hence_core::schema::{Relation, RelationId};
use hence_core::span::Span;

use super::places::{Place, Places};
use super::{Keys, Proof};
use crate::analysis::checked::{self, Effect, Partition};
use crate::analysis::codes::PARTITION_CROSSED;
use crate::ir::{Atom, GroundFact, Literal, Rule};

/// How a rule fails to keep to one shard.
pub(super) enum Crossing {
    /// Two atoms may match facts of two shards.
    Apart {
        /// The first partitioned atom.
        first: Atom,
        /// One that has no value in common with it.
        other: Atom,
    },
    /// An atom leaves open in which shard its facts lie.
    Open {
        /// The atom.
        atom: Atom,
    },
    /// Partitioned facts are only asked to be absent, which other shards can't tell.
    OnlyAbsent {
        /// The negated atom.
        at: Span,
    },
    /// The head doesn't hold the value.
    Head {
        /// The terms that are equal to it.
        common: BTreeSet<Place>,
    },
    /// The head holds it in another column than other rules of its relation, or than its input says.
    OtherColumn {
        /// The columns that others have it in.
        known: Keys,
        /// Those of this rule.
        carried: Keys,
    },
    /// A limit ranges over facts of several shards.
    Limit {
        /// The terms by which the groups would keep to one.
        common: BTreeSet<Place>,
    },
    /// A partitioned relation is derived from reference data.
    FromReference,
    /// An input that is reference data is fed from partitioned facts.
    IntoReference,
}

impl Proof<'_> {
    pub(super) fn report(&self, rule: &Rule, crossing: Crossing) -> Diagnostic {
        let fault = |why: &str| {
            Diagnostic::new(PARTITION_CROSSED, format!("the rule `{}` crosses partitions: {why}", rule.id))
        };
        let head = &self.program[rule.head];
        match crossing {
            Crossing::Apart { first, other } => {
                self.apart(rule, &first, &other, fault("it needs facts of two shards"))
            }
            Crossing::Open { atom } => {
                let columns = self.columns(atom.relation);
                let name = self.name(atom.relation);
                let help = match self.outside(rule.head) {
                    Some(terms) => format!("write {terms} at {columns} of `{name}`"),
                    None if self.is_made(rule.head) => {
                        format!(
                            "put a variable at {columns} of `{name}`, and into the body outside the braces"
                        )
                    }
                    None => format!("put a variable at {columns} of `{name}`, and into the head"),
                };
                fault("it ranges over all shards").at(atom.span, format!("{columns} is left open")).help(help)
            }
            Crossing::OnlyAbsent { at } => {
                fault("it asks only for what is absent, and other shards may have it")
                    .at(at, "absent here, perhaps present in another shard")
                    .help("read a partitioned relation with the same value at its column, too")
            }
            Crossing::Head { common } => {
                self.headless(rule, &common, fault("its head leaves the partition out"))
            }
            Crossing::OtherColumn { known, carried } => {
                let (known, carried) = (named(head, &known), named(head, &carried));
                fault("its head holds the partition in another column")
                    .at(rule.head_span, format!("in {carried} here"))
                    .at(head.span, format!("in {known} elsewhere"))
                    .help("derive a relation of its own")
            }
            Crossing::Limit { common } => {
                let terms = terms(rule, &common).replace('`', "");
                let span = rule.limit.as_ref().map_or(rule.span, |limit| limit.span);
                fault("its limit ranges over all shards")
                    .at(span, format!("without `per {terms}`"))
                    .help(format!("write: `limit … per {terms} by …`"))
            }
            Crossing::FromReference => fault("every shard would derive what lies in one")
                .at(rule.head_span, "partitioned by other rules")
                .help(format!(
                    "derive a relation of its own from reference data, and read both it and `{}`",
                    head.name
                )),
            Crossing::IntoReference => fault("it would add to reference data in one shard only")
                .at(rule.head_span, "every shard has all of this input")
                .help(format!(
                    "write: `@partition(column)` before `input {}`, or derive a relation",
                    head.name
                )),
        }
    }

    fn apart(&self, rule: &Rule, first: &Atom, other: &Atom, fault: Diagnostic) -> Diagnostic {
        let places = Places::of(rule);
        let lies = |atom: &Atom| format!("in the shard of {}", terms(rule, &self.places(&places, atom)));
        let fault = fault.at(other.span, lies(other)).at(first.span, lies(first));
        let (one, two) = (self.columns(first.relation), self.columns(other.relation));
        let (name, others) = (self.name(first.relation), self.name(other.relation));
        let join = if self.is_made(first.relation) {
            // What an aggregate in a body needs is called like the variables of its rule.
            format!("{one} at {two} of `{others}`")
        } else if first.relation == other.relation {
            format!("one variable at {one} of both")
        } else {
            format!("one variable at {one} of `{name}` and {two} of `{others}`")
        };
        let fault = fault.help(format!("join them on the partition: {join}"));
        let input = self.checked.partition_of(other.relation);
        match input {
            Some(_) => {
                fault.help(format!("or remove `@partition` of `{others}`, if every shard may have all of it"))
            }
            None => fault,
        }
    }

    fn headless(&self, rule: &Rule, common: &BTreeSet<Place>, fault: Diagnostic) -> Diagnostic {
        let terms = terms(rule, common);
        let is_group = rule.is_aggregate();
        let label = match is_group {
            true => format!("groups without {terms} have matches in several shards"),
            false => format!("without {terms} nothing says in which shard its facts lie"),
        };
        let help = match self.outside(rule.head) {
            Some(outer) => format!("write {outer} in the place of {terms} in the braces"),
            None if self.is_made(rule.head) => {
                format!("ask for the matches of {terms} only: use it in the body outside the braces too")
            }
            None => format!("add {terms} to the head"),
        };
        fault.at(rule.head_span, label).help(help)
    }

    pub(super) fn report_fact(&self, fact: &GroundFact) -> Diagnostic {
        let message = format!("the fact `{}` crosses partitions: every shard would have it", fact.id);
        let name = self.name(fact.relation);
        Diagnostic::new(PARTITION_CROSSED, message)
            .at(fact.span, format!("`{name}` is partitioned by its rules"))
            .help(format!("give it a relation of its own, and read both it and `{name}`"))
    }

    pub(super) fn effect_on_reference(&self, rule: &checked::Rule, effect: &Effect) -> Diagnostic {
        let input = self.name(effect.input);
        let message = format!(
            "the effect `{}` crosses partitions: it would change reference data in one shard only",
            rule.id
        );
        Diagnostic::new(PARTITION_CROSSED, message)
            .at(rule.head_span, "every shard has all of this input")
            .help(format!("write: `@partition(column)` before `input {input}`"))
    }

    pub(super) fn effect_elsewhere(&self, rule: &checked::Rule, input: &Partition) -> Diagnostic {
        let column = self.column(input.relation, input.column);
        let message =
            format!("the effect `{}` crosses partitions: its fact may lie in another shard", rule.id);
        Diagnostic::new(PARTITION_CROSSED, message)
            .at(rule.head_span, format!("`{column}` doesn't hold the partition of what is read"))
            .at(input.span, "partitioned here")
            .help(format!("put the variable by which the body is partitioned at `{column}`"))
    }

    pub(super) fn report_shared(&self, relation: &Relation) -> Diagnostic {
        let message = format!("every shard would draw the decision `{}`", relation.name);
        let inputs = self.checked.partitions.iter().map(|input| format!("`{}`", self.name(input.relation)));
        let inputs: Vec<String> = inputs.collect();
        Diagnostic::new(PARTITION_CROSSED, message)
            .at(relation.span, "derived from reference data only")
            .note(format!("partitioned: {}", inputs.join(", ")))
            .help("read a partitioned input, or write `@partition(column)` before an input that it reads")
    }

    /// The columns that say where facts of a relation lie.
    fn columns(&self, relation: RelationId) -> String {
        self.keys.get(&relation).map_or_else(String::new, |keys| named(&self.program[relation], keys))
    }

    /// The partition of the rule whose body has the aggregate that a relation was made of, as the rest of the body has it.
    fn outside(&self, made: RelationId) -> Option<String> {
        let mut of = BTreeSet::from([made]);
        let readers = |of: &BTreeSet<RelationId>, is_made: bool| {
            let reads = |rule: &&Rule| {
                self.is_made(rule.head) == is_made && rule.reads().any(|read| of.contains(&read))
            };
            self.program.rules.iter().filter(reads).collect::<Vec<_>>()
        };
        if !self.is_made(made) {
            return None;
        }
        loop {
            let before = of.len();
            let heads: Vec<_> = readers(&of, true).iter().map(|rule| rule.head).collect();
            of.extend(heads);
            if of.len() == before {
                break;
            }
        }
        readers(&of, false).into_iter().find_map(|rule| {
            let atoms = rule.body.iter().filter_map(Literal::positive);
            let atom =
                atoms.filter(|atom| !self.is_made(atom.relation)).find(|atom| self.is_partitioned(atom))?;
            let places = self.places(&Places::of(rule), atom);
            (!places.is_empty()).then(|| terms(rule, &places))
        })
    }

    /// Whether a relation was made of an aggregate in a body.
    pub(super) fn is_made(&self, relation: RelationId) -> bool {
        relation.at() >= self.checked.relations.len()
    }

    fn column(&self, relation: RelationId, column: usize) -> String {
        named(&self.program[relation], &Keys::from([column])).trim_matches('`').to_owned()
    }

    fn name(&self, relation: RelationId) -> &'static str {
        self.program[relation].name.as_str()
    }
}

/// The names of columns.
fn named(relation: &Relation, columns: &Keys) -> String {
    let names = columns.iter().filter_map(|at| relation.columns.get(*at));
    names.map(|column| format!("`{}`", column.name)).collect::<Vec<_>>().join(" or ")
}

/// Terms as the rule writes them.
fn terms(rule: &Rule, places: &BTreeSet<Place>) -> String {
    let term = |place: &Place| match place {
        Place::Var(var) => rule[*var].name.to_string(),
        Place::Const(value) => value.to_string(),
        Place::Param(_) => String::from("the parameter"),
    };
    places.iter().map(|place| format!("`{}`", term(place))).collect::<Vec<_>>().join(" or ")
}
