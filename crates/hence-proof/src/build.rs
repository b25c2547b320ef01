//! From the derivations chosen for facts to a proof: steps in order, with sentences, bindings and numbers.

use std::collections::{BTreeSet, HashMap};

use hence_core::fault::OrBroken;
use hence_core::index_vec::Id;
use hence_core::schema::{Kind, RelationId};
use hence_core::span::Sources;
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_lang::builtins::expr::VarId;
use hence_lang::builtins::term::{Format, Part, Show, Term};
use hence_lang::ir::{Arg, Atom, Literal, Rule};
use hence_lang::lower::unknown::{Stands, Unknown};
use hence_lang::lower::{helps_values, is_made};

use super::context::Context;
use super::derive::{Derivation, Extra, Match};
use super::finder::WhyError;
use super::phrase::{Phrase, readable};
use super::proof::{
    AggregateMatch, AggregateValue, Computed, Derived, FactPattern, Group, Origin, Origins, Premise, Proof,
    Ranked, Step, StepId, StepKind,
};
use super::ranking::GroupRank;
use super::store::FactRef;

/// What holds of the facts of a proof.
const IN_ORDER: &str = "every fact that a proof needs is one of its steps";

/// The word that a match gives a variable.
fn word_of(var: VarId, vars: &[Word]) -> Word {
    *vars.get(var.0 as usize).or_broken(VarId::INVARIANT)
}

/// Looks a fact's derivation up: `Some(None)` for a fact that was asserted or stated.
pub(super) type Choice<'s> = dyn Fn(FactRef) -> Option<&'s Derivation> + 's;

/// The explanation of a fact: the rule of the last proof step, and its sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The rule's identity, or that of the fact that the rules state.
    pub rule: Symbol,
    /// Its sentence with the values in it.
    pub sentence: Option<String>,
}

/// Builds proofs.
pub(super) struct Builder<'b, 'a> {
    pub(super) context: &'b Context<'a>,
    pub(super) sources: &'a Sources,
    pub(super) origins: &'b dyn Origins,
    /// Where the program tells what certainly and what possibly follows.
    pub(super) unknown: Option<&'a Unknown>,
}

impl<'b, 'a> Builder<'b, 'a> {
    /// The proof of `root` by the derivations that `choice` gives.
    pub(super) fn proof(&self, root: FactRef, choice: &Choice<'_>, least: bool) -> Proof {
        let order = self.order(root, choice);
        let numbers: HashMap<FactRef, StepId, ahash::RandomState> =
            order.iter().enumerate().map(|(at, fact)| (*fact, StepId(at as u32))).collect();
        let mut heights = vec![0_usize; order.len()];
        for (at, fact) in order.iter().enumerate().rev() {
            let below = self.below(*fact, choice);
            let height = |fact: &FactRef| {
                let number = numbers.get(fact).or_broken(IN_ORDER);
                *heights.get(number.0 as usize).or_broken(IN_ORDER)
            };
            let below = below.iter().map(height).max();
            *heights.get_mut(at).or_broken(IN_ORDER) =
                below.map_or(usize::from(choice(*fact).is_some()), |height| height + 1);
        }
        let within = order.iter().take_while(|_| self.context.interrupt.step());
        let steps = within.map(|fact| self.step(*fact, choice, &numbers)).collect();
        Proof { steps, height: *heights.first().or_broken(IN_ORDER), least, ways: None }
    }

    /// Whether facts of a relation are steps. The value of an aggregate in the body of a rule is none, unless it may be
    /// unknown.
    fn is_step(&self, relation: RelationId) -> bool {
        let program = self.context.program;
        let is_possible = |unknown: &Unknown| matches!(unknown.stands(relation), Stands::Possible(..));
        !is_made(program, relation)
            || (self.unknown.is_some_and(is_possible) && !helps_values(program, relation))
    }

    /// The facts that one rests on. An aggregate in the body of its rule is no step: what it ranges over comes in its
    /// place.
    fn below(&self, fact: FactRef, choice: &Choice<'_>) -> Vec<FactRef> {
        let program = self.context.program;
        let needs =
            |fact: FactRef| choice(fact).map_or_else(Vec::new, |found| found.facts(&program[found.rule]));
        let mut below = Vec::new();
        for needed in needs(fact) {
            if self.is_step(needed.relation) {
                below.push(needed);
            } else if choice(needed).is_some_and(|found| matches!(found.extra, Extra::Group(_))) {
                below.extend(needs(needed).into_iter().filter(|inner| self.is_step(inner.relation)));
            }
        }
        below
    }

    /// All facts of the proof, each before those that it needs: a depth-first walk backwards, turned round, so that
    /// a fact is mostly followed at once by its premises.
    fn order(&self, root: FactRef, choice: &Choice<'_>) -> Vec<FactRef> {
        let mut seen = std::collections::HashSet::from([root]);
        let mut stack = vec![(root, self.below(root, choice))];
        let mut order = Vec::new();
        while let Some((fact, left)) = stack.last_mut() {
            match left.pop() {
                Some(premise) if seen.insert(premise) => {
                    let below = self.below(premise, choice);
                    stack.push((premise, below));
                }
                Some(_) => {}
                None => {
                    order.push(*fact);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    fn step(
        &self,
        fact: FactRef,
        choice: &Choice<'_>,
        numbers: &HashMap<FactRef, StepId, ahash::RandomState>,
    ) -> Step {
        let derivation = choice(fact);
        let shown = self.context.fact(fact);
        let rule = derivation.map(|found| (found, &self.context.program[found.rule]));
        let kind = match rule {
            Some((found, rule)) => {
                let writer = Writer { builder: self, rule, phrase: self.phrase(rule), numbers, choice };
                StepKind::Derived(Box::new(writer.derived(fact, found)))
            }
            None => self.leaf(fact, &shown),
        };
        Step { fact: shown, kind, possible: None }
    }

    /// The rule and the sentence of one step, its values as `show` writes them; nothing for a fact that was asserted.
    pub(super) fn explanation(
        &self,
        fact: FactRef,
        derivation: Option<&Derivation>,
        show: Show,
    ) -> Option<Explanation> {
        let rule = derivation.map(|found| (found, &self.context.program[found.rule]));
        let Some((found, rule)) = rule else {
            return match self.leaf(fact, &self.context.fact(fact)) {
                StepKind::ProgramFact { id, .. } => Some(Explanation { rule: id, sentence: None }),
                _ => None,
            };
        };
        let numbers = HashMap::default();
        let choice = |_| None;
        let phrase = self.phrase(rule);
        let writer = Writer { builder: self, rule, phrase, numbers: &numbers, choice: &choice };
        let sentence = writer.sentence(&self.context.store.row(fact), &writer.vars(found), show);
        Some(Explanation { rule: rule.id, sentence })
    }

    fn phrase(&self, rule: &'a Rule) -> Phrase<'a> {
        Phrase { program: self.context.program, sources: self.sources, rule }
    }

    fn origin(&self, relation: RelationId, fact: &hence_core::fact::Fact) -> Option<Origin> {
        self.origins.origin(&self.context.program[relation], fact).unwrap_or_else(|error| {
            self.context.interrupt.end(WhyError::Origin(fact.clone(), error));
            None
        })
    }

    fn leaf(&self, fact: FactRef, shown: &hence_core::fact::Fact) -> StepKind {
        let input = |id: RelationId| self.context.program[id].kind == Kind::Input;
        let mut facts = self.context.program.facts.iter();
        let stated = facts.find(|stated| {
            stated.relation == fact.relation && !input(fact.relation) && stated.values == shown.values
        });
        match stated {
            Some(stated) => StepKind::ProgramFact {
                id: stated.id,
                span: stated.span,
                place: self.sources.place(stated.span),
            },
            None => StepKind::Asserted { origin: self.origin(fact.relation, shown) },
        }
    }
}

/// Writes one step.
struct Writer<'w, 'b, 'a, 's> {
    builder: &'w Builder<'b, 'a>,
    rule: &'a Rule,
    phrase: Phrase<'a>,
    numbers: &'w HashMap<FactRef, StepId, ahash::RandomState>,
    choice: &'w Choice<'s>,
}

impl Writer<'_, '_, '_, '_> {
    fn params(&self) -> &[Word] {
        &self.builder.context.params
    }

    /// The words of the variables, the rank of a limit among them.
    fn vars(&self, derivation: &Derivation) -> Vec<Word> {
        let mut vars = derivation.found.vars.clone();
        let rank = self.rule.limit.as_ref().and_then(|limit| limit.rank);
        if let (Extra::Ranked(standing), Some(rank)) = (&derivation.extra, rank) {
            *vars.get_mut(rank.0 as usize).or_broken(VarId::INVARIANT) = Word::from_int(standing.rank as i64);
        }
        vars
    }

    fn derived(&self, fact: FactRef, derivation: &Derivation) -> Derived {
        let row = &*self.builder.context.store.row(fact);
        let vars = self.vars(derivation);
        let mut premises = match &derivation.extra {
            Extra::Group(_) => Vec::new(),
            Extra::Plain | Extra::Ranked(_) => self.premises(&derivation.found),
        };
        match &derivation.extra {
            Extra::Plain => {}
            Extra::Group(group) => premises.push(self.group(row, group.matches, &group.inputs)),
            Extra::Ranked(standing) => premises.push(self.ranked(standing)),
        }
        Derived {
            rule: self.rule.id,
            span: self.rule.span,
            place: self.builder.sources.place(self.rule.span),
            sentence: self.sentence(row, &vars, Format::show),
            doc: self.rule.doc.clone(),
            bindings: self.bindings(&vars, self.rule.is_aggregate()),
            computed: self.computed(row, &vars),
            premises,
        }
    }

    /// The columns that an expression of the head gives; those of a group have what its matches share.
    fn computed(&self, row: &[Word], vars: &[Word]) -> Vec<Computed> {
        let relation = &self.builder.context.program[self.rule.head];
        let columns = relation.columns.iter().zip(row).zip(&self.rule.terms);
        let computed = columns.filter_map(|((column, word), term)| {
            let Term::Expr(expr) = term else { return None };
            let is_plain = expr.is_leaf() || self.rule.is_aggregate();
            (!is_plain).then(|| Computed {
                column: column.name,
                value: readable(Value::from_word(expr.ty, *word)),
                text: self.phrase.readable(expr, vars, self.params()),
                written: self.phrase.written(expr),
            })
        });
        computed.collect()
    }

    /// The sentence with its values as `show` writes them.
    fn sentence(&self, row: &[Word], vars: &[Word], show: Show) -> Option<String> {
        let sentence = self.rule.because.as_ref()?;
        let context = self.builder.context;
        let head = context.values(self.rule.head, row);
        let mut text = String::new();
        for part in &sentence.parts {
            match part {
                Part::Text(words) => text.push_str(words.as_str()),
                Part::Var(var, format) => match self.value(*var, vars) {
                    Some(value) => text.push_str(&show(*format, value)),
                    None => text.push('…'),
                },
                Part::Param(param, format) => text.push_str(&show(*format, context.program[*param].value)),
                Part::Column(column, format) => {
                    let value = head.get(*column as usize).or_broken("a sentence names columns of its head");
                    text.push_str(&show(*format, *value));
                }
            }
        }
        Some(text)
    }

    /// The value of a variable in the whole step; none where each match of a group has its own.
    fn value(&self, var: VarId, vars: &[Word]) -> Option<Value> {
        let whole = !self.rule.is_aggregate() || self.in_head(var.0 as usize);
        whole.then(|| Value::from_word(self.rule[var].ty.ty, word_of(var, vars)))
    }

    fn in_head(&self, var: usize) -> bool {
        self.rule.terms.iter().any(|term| match term {
            Term::Expr(expr) => {
                super::derive::head_variable(expr).is_some_and(|other| other.0 as usize == var)
            }
            Term::Aggregate { .. } => false,
        })
    }

    fn bindings(&self, vars: &[Word], group: bool) -> Vec<(Symbol, Value)> {
        let rank = self.rule.limit.as_ref().and_then(|limit| limit.rank);
        let bound: BTreeSet<VarId> = self.rule.body.iter().flat_map(Literal::binds).chain(rank).collect();
        let all = self.rule.variables.iter().zip(vars).enumerate();
        all.filter(|(at, _)| bound.contains(&VarId::new(*at)) && (!group || self.in_head(*at)))
            .map(|(_, (variable, word))| (variable.name, Value::from_word(variable.ty.ty, *word)))
            .collect()
    }

    fn premises(&self, found: &Match) -> Vec<Premise> {
        let program = self.builder.context.program;
        let helps =
            |literal: &Literal| literal.positive().is_some_and(|atom| helps_values(program, atom.relation));
        let body = self.rule.body.iter().enumerate().filter(|(_, literal)| !helps(literal));
        body.map(|(at, literal)| self.premise(literal, found, at)).collect()
    }

    fn premise(&self, literal: &Literal, found: &Match, at: usize) -> Premise {
        let vars = &found.vars;
        let value = |var: VarId| {
            let variable = &self.rule[var];
            (variable.name, Value::from_word(variable.ty.ty, word_of(var, vars)))
        };
        match literal {
            Literal::Atom(atom) => {
                let row = *found.rows.get(at).or_broken("a match has a row for each literal of its body");
                let fact = FactRef { relation: atom.relation, row };
                if !self.builder.is_step(atom.relation) {
                    return self.values(fact);
                }
                Premise::Fact(*self.numbers.get(&fact).or_broken(IN_ORDER))
            }
            Literal::Not(atom) => Premise::Absent {
                atom: self.pattern(atom, vars),
                among: self.builder.context.store.len(atom.relation),
            },
            Literal::Test { expr, .. } => Premise::Test {
                text: self.phrase.condition(expr, vars, self.params()),
                written: self.phrase.written(expr),
            },
            Literal::Bind { var, expr, .. } => {
                let (var, value) = value(*var);
                let text = self.phrase.valued(expr, vars, self.params());
                Premise::Bind { var, text, written: self.phrase.written(expr), value }
            }
            Literal::Each { var, generator, args, .. } => {
                let (var, value) = value(*var);
                let text = self.phrase.generator(generator, args, Some((vars, self.params())));
                let written = self.phrase.generator(generator, args, None);
                Premise::Each { var, text, written, value }
            }
        }
    }

    /// An aggregate in the body of the rule: its group, or that there is none.
    fn values(&self, fact: FactRef) -> Premise {
        let context = self.builder.context;
        let found = (self.choice)(fact).or_broken("the value of an aggregate is derived");
        let rule = &context.program[found.rule];
        let writer = Writer { rule, phrase: self.builder.phrase(rule), ..*self };
        let row = &*context.store.row(fact);
        if let Extra::Group(group) = &found.extra {
            return writer.group(row, group.matches, &group.inputs);
        }
        let columns = &context.program[fact.relation].columns;
        let mut by: Vec<_> =
            columns.iter().map(|column| column.name).zip(context.values(fact.relation, row)).collect();
        let (column, value) = by.pop().or_broken("the value of an aggregate is its last column");
        let written = writer.phrase.slice(rule.head_span).unwrap_or_default();
        let results = vec![AggregateValue { column, written, value }];
        Premise::Aggregate(Box::new(Group { by, results, ..Group::default() }))
    }

    fn pattern(&self, atom: &Atom, vars: &[Word]) -> FactPattern {
        let context = self.builder.context;
        let key = context.key(atom, vars, |_| true);
        let types = context.types(atom.relation).iter();
        let args = atom.args.iter().zip(types.zip(key)).map(|(arg, (ty, word))| match arg {
            Arg::Any => None,
            _ => word.map(|word| Value::from_word(*ty, word)),
        });
        FactPattern { relation: context.name(atom.relation), args: args.collect() }
    }

    fn group(&self, row: &[Word], matches: usize, inputs: &[Match]) -> Premise {
        let context = self.builder.context;
        let relation = &context.program[self.rule.head];
        let values = context.values(self.rule.head, row);
        let columns = relation.columns.iter().zip(values).zip(&self.rule.terms);
        let mut group = Group { matches, ..Group::default() };
        for ((column, value), term) in columns {
            match term {
                Term::Expr(_) => group.by.push((column.name, value)),
                Term::Aggregate { aggregate, args, span } => group.results.push(AggregateValue {
                    column: column.name,
                    written: self.phrase.aggregate(*aggregate, args, *span),
                    value,
                }),
            }
        }
        group.inputs = inputs.iter().map(|input| self.input(input)).collect();
        Premise::Aggregate(Box::new(group))
    }

    fn input(&self, input: &Match) -> AggregateMatch {
        let args = self.rule.terms.iter().filter_map(|term| match term {
            Term::Aggregate { args, .. } => Some(args),
            Term::Expr(_) => None,
        });
        let values = |args: &Vec<hence_lang::builtins::expr::Expr>| {
            let words = args.iter().map(|arg| {
                let word = arg.eval(&input.vars, self.params()).ok();
                Value::from_word(arg.ty, word.or_broken("what goes into an aggregate has a value"))
            });
            words.collect()
        };
        AggregateMatch {
            bindings: self.bindings(&input.vars, false),
            args: args.map(values).collect(),
            premises: self.premises(input),
        }
    }

    fn ranked(&self, standing: &GroupRank) -> Premise {
        let context = self.builder.context;
        let limit = self.rule.limit.iter();
        let per = limit.clone().flat_map(|limit| &limit.per).zip(&standing.per).map(|(var, word)| {
            let variable = &self.rule[*var];
            (variable.name, Value::from_word(variable.ty.ty, *word))
        });
        let keys: Vec<_> = limit.flat_map(|limit| &limit.by).map(|(key, _)| key).collect();
        let values = |words: &[Word]| -> Vec<Value> {
            keys.iter().zip(words).map(|(key, word)| Value::from_word(key.ty, *word)).collect()
        };
        let written = keys.iter().map(|key| self.phrase.written(key));
        let left_out = standing.left_out.as_ref().map(|(head, words)| {
            let fact = hence_core::fact::Fact::new(
                context.name(self.rule.head),
                context.values(self.rule.head, head),
            );
            (fact, values(words))
        });
        Premise::Limit(Box::new(Ranked {
            per: per.collect(),
            keys: written.zip(values(&standing.keys)).collect(),
            rank: standing.rank,
            keep: standing.keep,
            of: standing.of,
            left_out,
        }))
    }
}
