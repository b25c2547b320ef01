//! The making of the program: stratum by stratum what follows certainly, then what follows possibly.

use std::collections::BTreeSet;

use super::draft::{Versions, certainly, drafts};
use super::{Columns, Stands, Unknown};
use crate::builtins::expr::{Expr, ExprKind, VarId};
use crate::builtins::term::{Term, Variable};
use crate::ir::{Arg, Atom, Literal, Program, Rule, RuleId, Stratum};
use hence_core::index_vec::{Id, IndexVec};
use hence_core::schema::{Kind, Relation, RelationId};
use hence_core::symbol::Symbol;

/// A program on its way.
pub(super) struct Maker<'p> {
    pub(super) program: &'p Program,
    cone: BTreeSet<RelationId>,
    relations: IndexVec<RelationId, Relation>,
    stands: IndexVec<RelationId, Stands>,
    pub(super) versions: Versions,
    pub(super) rules: IndexVec<RuleId, Rule>,
    strata: Vec<Stratum>,
    coarse: BTreeSet<Symbol>,
}

impl<'p> Maker<'p> {
    /// The program itself, of which the relations of `cone` depend on operations without a result.
    pub(super) fn new(program: &'p Program, cone: BTreeSet<RelationId>) -> Self {
        Self {
            program,
            cone,
            relations: program.relations.clone().into(),
            stands: IndexVec::filled(Stands::Certain, program.relations.len()),
            versions: Versions::new(),
            rules: program.rules.clone().into(),
            strata: Vec::new(),
            coarse: BTreeSet::new(),
        }
    }

    /// All strata, one after the other.
    pub(super) fn run(mut self) -> Unknown {
        for stratum in &self.program.strata {
            if stratum.relations.iter().any(|relation| self.cone.contains(relation)) {
                self.stratum(stratum);
            } else {
                self.strata.push(stratum.clone());
            }
        }
        // The matches of rules are versions for the making alone.
        let cone = self.cone;
        self.versions.retain(|relation, _| cone.contains(relation));
        let program = Program {
            relations: self.relations.into_iter().collect(),
            params: self.program.params.clone(),
            rules: self.rules.into_iter().collect(),
            facts: self.program.facts.clone(),
            strata: self.strata,
        };
        Unknown { program, stands: self.stands, versions: self.versions, coarse: self.coarse }
    }

    fn stratum(&mut self, stratum: &Stratum) {
        let program = self.program;
        let is_grouped = |id: &RuleId| program[*id].is_aggregate() || program[*id].limit.is_some();
        let (grouped, plain): (Vec<RuleId>, Vec<RuleId>) =
            stratum.rules.iter().partition(|id| is_grouped(id));
        stratum.relations.iter().for_each(|relation| {
            self.version(*relation, Columns::new());
        });
        let mut possible = Vec::new();
        for id in grouped {
            possible.extend(self.grouped(id));
        }
        let plain: Vec<(RelationId, Rule)> =
            plain.iter().map(|id| (program[*id].head, program[*id].clone())).collect();
        possible.extend(stratum.relations.iter().map(|relation| self.copied(*relation)).collect::<Vec<_>>());
        possible.extend(self.possible(&plain));
        for id in &stratum.rules {
            let more = certainly(&self.rules[*id], &self.versions);
            self.rules[*id].body.extend(more);
        }
        self.strata.push(stratum.clone());
        let versions = stratum.relations.iter().flat_map(|relation| self.versions_of(*relation)).collect();
        self.push_stratum(versions, possible);
    }

    /// The rules by which `rules`, each with the relation that it derives, hold possibly, for all versions that come
    /// of them.
    pub(super) fn possible(&mut self, rules: &[(RelationId, Rule)]) -> Vec<Rule> {
        loop {
            let (known, mut made) = (self.relations.len(), Vec::new());
            for (head, rule) in rules {
                let (drafts, coarse) = drafts(self.program, rule, &self.versions);
                if coarse {
                    self.coarse.insert(rule.id);
                }
                for draft in drafts {
                    let version = self.version(*head, draft.columns.clone());
                    made.push(draft.rule(rule, version));
                }
            }
            if self.relations.len() == known {
                return made;
            }
        }
    }

    /// A new relation.
    pub(super) fn relation(&mut self, relation: Relation, stands: Stands) -> RelationId {
        self.stands.push(stands);
        self.relations.push(relation)
    }

    /// A new relation that helps a rule.
    pub(super) fn helper(
        &mut self,
        rule: &Rule,
        name: &str,
        columns: Vec<hence_core::schema::Column>,
    ) -> RelationId {
        let relation = Relation {
            name: Symbol::new(&format!("{}?{name}", rule.id)),
            kind: Kind::Derived,
            columns,
            doc: String::new(),
            requires: None,
            authors: None,
            personal: Vec::new(),
            span: rule.span,
        };
        self.relation(relation, Stands::Helper)
    }

    pub(super) fn schema(&self, relation: RelationId) -> &Relation {
        &self.relations[relation]
    }

    /// The version of a relation in which some columns are unknown.
    pub(super) fn version(&mut self, relation: RelationId, columns: Columns) -> RelationId {
        let known = self.versions.entry(relation).or_default().get(&columns).copied();
        known.unwrap_or_else(|| {
            let of = &self.relations[relation];
            let places: Vec<String> = columns.iter().map(|column| (column + 1).to_string()).collect();
            let left = of.columns.iter().enumerate().filter(|(at, _)| !columns.contains(at));
            let version = Relation {
                name: Symbol::new(&format!("{}?{}", of.name, places.join(","))),
                kind: Kind::Derived,
                columns: left.map(|(_, column)| column.clone()).collect(),
                doc: String::new(),
                requires: None,
                authors: None,
                personal: Vec::new(),
                span: of.span,
            };
            let stands = match self.stands[relation] {
                Stands::Helper => Stands::Helper,
                _ => Stands::Possible(relation, columns.clone()),
            };
            let version = self.relation(version, stands);
            self.versions.entry(relation).or_default().insert(columns, version);
            version
        })
    }

    pub(super) fn versions_of(&self, relation: RelationId) -> Vec<RelationId> {
        self.versions.get(&relation).into_iter().flatten().map(|(_, version)| *version).collect()
    }

    /// The rule by which certain facts are possible.
    pub(super) fn copied(&mut self, relation: RelationId) -> Rule {
        let version = self.version(relation, Columns::new());
        let over = Over::new(self.schema(relation));
        let (atom, terms) = (over.atom(relation, &Columns::new()), over.terms(0..over.variables.len()));
        let Relation { name, span, .. } = *self.schema(relation);
        over.rule(name, version, terms, vec![Literal::Atom(atom)], span)
    }

    /// A stratum of relations that are new, with the rules that derive them.
    pub(super) fn push_stratum(&mut self, mut relations: Vec<RelationId>, rules: Vec<Rule>) {
        relations.sort_unstable();
        let recursive = rules.iter().flat_map(Rule::reads).any(|read| relations.binary_search(&read).is_ok());
        let rules = rules.into_iter().map(|rule| self.rules.push(rule)).collect();
        self.strata.push(Stratum { relations, rules, recursive });
    }
}

/// Rules over the columns of one relation: a variable for each.
pub(super) struct Over {
    variables: Vec<Variable>,
}

impl Over {
    /// Over the columns of a relation.
    pub(super) fn new(relation: &Relation) -> Self {
        let columns = relation.columns.iter();
        Self { variables: columns.map(|c| Variable { name: c.name, ty: c.ty.clone() }).collect() }
    }

    /// All columns of a relation but some that it doesn't have.
    pub(super) fn atom(&self, relation: RelationId, without: &Columns) -> Atom {
        let columns = (0..self.variables.len()).filter(|column| !without.contains(column));
        self.some(relation, columns)
    }

    /// Some columns, as a relation has them.
    pub(super) fn some(&self, relation: RelationId, columns: impl Iterator<Item = usize>) -> Atom {
        let args = columns.map(|column| Arg::Var(VarId::new(column))).collect();
        Atom { relation, args, span: hence_core::span::Span::default() }
    }

    /// The value of a column.
    pub(super) fn term(&self, column: usize) -> Term {
        let var = VarId::new(column);
        let ty = self.variables.get(column).map(|variable| variable.ty.ty);
        let ty = hence_core::fault::OrBroken::or_broken(ty, VarId::INVARIANT);
        Term::Expr(Expr { kind: ExprKind::Var(var), ty, span: hence_core::span::Span::default() })
    }

    pub(super) fn terms(&self, columns: impl IntoIterator<Item = usize>) -> Vec<Term> {
        columns.into_iter().map(|column| self.term(column)).collect()
    }

    /// A rule over the columns.
    pub(super) fn rule(
        &self,
        id: Symbol,
        head: RelationId,
        terms: Vec<Term>,
        body: Vec<Literal>,
        span: hence_core::span::Span,
    ) -> Rule {
        let variables = self.variables.clone();
        let (doc, head_span) = (String::new(), span);
        Rule { id, head, terms, body, variables, limit: None, because: None, doc, head_span, span }
    }
}
