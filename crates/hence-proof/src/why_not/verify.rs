//! Tries sets of changes by evaluating the rules on the changed input: only what then derives the fact is a remedy.

use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};

use hence_core::fact::Fact;
use hence_core::fault::OrBroken;
use hence_core::literal;
use hence_core::meter::Bound;
use hence_core::schema::{Kind, RelationId};
use hence_core::symbol::Symbol;
use hence_core::value::{Value, Word};
use hence_engine::{Database, Engine, Limits, Model};
use hence_lang::builtins::expr::{ExprKind, ParamId};
use hence_lang::ir::{Program, Rule};
use hence_lang::lower::unknown::unknown;

use super::super::proof::NoOrigins;
use super::abduce::Abduction;
use super::change::{Change, Instant as Moment, Remedies, Remedy};
use super::columns::{dependencies, tell_apart};
use super::fill::{self, Templates};
use super::ideas::{Ideas, wants_of};
use super::repair::Repairs;
use super::want::Want;
use super::{Asked, Failure, Finder, SHOWN, Set};

/// What holds of a model.
const HELD: &str = "a model holds every relation of its program, round by round";

/// What holds of a change.
const KNOWN: &str = "a change is to something that the program has";

/// How many remedies are wanted.
const HANDFUL: usize = 5;

/// How many changes a remedy has that is looked for model by model.
const CHANGES: usize = 3;

/// How many evaluations without another remedy end a search that has one.
const PATIENCE: usize = 80;

/// How many of them come from guesses that are made before anything is evaluated.
const GUESSES: usize = 24;

/// How many instants of the clock are tried.
const INSTANTS: usize = 8;

/// How many parameters are tried as they are declared.
const DEFAULTS: usize = 8;

/// How many sets of changes are evaluated, where nothing else is said.
const TRIES: usize = 10_000;

/// How remedies are tried.
#[derive(Clone, Copy)]
pub struct Trial<'t> {
    /// The engine that evaluates the changed input.
    pub engine: &'t dyn Engine,
    /// The limits of each evaluation.
    pub limits: Limits,
    /// The wall time for all of them.
    pub time: Duration,
    /// How many evaluations there are at most.
    pub tries: usize,
    /// Whether an undefined operation counts as false; else what depends on one is no remedy.
    pub lenient: bool,
}

impl<'t> Trial<'t> {
    /// Evaluations by an engine within a time, and no other bound that a short one reaches.
    pub fn within(engine: &'t dyn Engine, limits: Limits, time: Duration) -> Self {
        Self { engine, limits, time, tries: TRIES, lenient: false }
    }
}

/// A search for remedies.
struct Search<'s, 'a> {
    finder: &'s Finder<'a>,
    templates: &'s Templates<'s, 'a>,
    relation: RelationId,
    asked: Asked,
    trial: Trial<'s>,
    start: Instant,
    /// The rules that matter, and the facts that the model started from which they read.
    program: Rc<Program>,
    input: Database,
    seen: Set<Vec<Change>>,
    /// The limit at which the evaluation of some change ended: whether that is a remedy is not known.
    unknown: Option<String>,
    remedies: Remedies,
}

impl Finder<'_> {
    /// The smallest sets of assertions, retractions and parameters after which some fact of `relation` fits
    /// `pattern`: each is verified by an evaluation. They leave the clock alone; the instants at which it would hold by
    /// itself come beside them.
    pub fn remedies(&self, relation: RelationId, pattern: &[Option<Value>], trial: &Trial<'_>) -> Remedies {
        let asked: Asked = pattern.iter().map(|value| value.map(Value::word)).collect();
        if self.matching(relation, &asked, 1).1 > 0 {
            return Remedies::default();
        }
        self.lenient().remedies_by_rules(relation, (asked, pattern), trial)
    }

    fn remedies_by_rules(
        &self,
        relation: RelationId,
        (asked, pattern): (Asked, &[Option<Value>]),
        trial: &Trial<'_>,
    ) -> Remedies {
        let templates = Templates::new(self, relation);
        let needed = dependencies(self.context.program, relation);
        let mut search = Search {
            finder: self,
            templates: &templates,
            relation,
            asked,
            trial: *trial,
            start: Instant::now(),
            program: Rc::new(self.relevant(&needed)),
            input: self.input(&needed),
            seen: Set::default(),
            unknown: None,
            remedies: Remedies::default(),
        };
        let first = self.defaults(&needed).into_iter().chain(self.direct(relation, pattern)).collect();
        search.remedies.stopped = search.run(first).err().or(search.unknown.take());
        let mut remedies = search.remedies;
        remedies.found.iter_mut().for_each(|remedy| tell_apart(self, &mut remedy.changes));
        let unlikely = |remedy: &Remedy| remedy.changes.iter().any(|change| templates.is_unlikely(change));
        remedies
            .found
            .sort_by_cached_key(|remedy| (unlikely(remedy), remedy.changes.len(), remedy.needs_human));
        remedies
    }

    /// Parameters that have another value than declared where rules of these relations read them: each as declared, and
    /// all of them.
    fn defaults(&self, needed: &BTreeSet<RelationId>) -> Vec<Vec<Change>> {
        let program = self.context.program;
        let rules: Vec<&Rule> = program.rules.iter().filter(|rule| needed.contains(&rule.head)).collect();
        let moved = (0..).map(ParamId).zip(&program.params).filter(|(id, param)| {
            param.value != param.default && rules.iter().any(|rule| rule.reads_param(*id))
        });
        let back = moved.map(|(_, param)| Change::Set(param.name, param.value, param.default));
        let all: Vec<Change> = back.collect();
        let mut found: Vec<Vec<Change>> =
            all.iter().take(DEFAULTS).map(|change| vec![change.clone()]).collect();
        found.extend((2..=CHANGES).contains(&all.len()).then_some(all));
        found
    }

    /// Guesses that need no search: the fact itself where it is an input, a higher limit where one leaves it out.
    fn direct(&self, relation: RelationId, pattern: &[Option<Value>]) -> Option<Vec<Change>> {
        let program = self.context.program;
        let found = program.relation(relation)?;
        if found.kind == Kind::Input {
            let values: Option<Vec<Value>> = pattern.iter().copied().collect();
            return Some(vec![Change::Assert(Fact::new(found.name, values?), vec![false; pattern.len()])]);
        }
        let answer = self.why_not(relation, pattern);
        answer.attempts.iter().find_map(|attempt| {
            let Failure::Limit { rank, .. } = attempt.failure else { return None };
            let rule = program.rules.iter().find(|rule| rule.id == attempt.rule)?;
            let ExprKind::Param(param) = rule.limit.as_ref()?.count.kind else { return None };
            let param = program.params.get(param.0 as usize)?;
            Some(vec![Change::Set(param.name, param.value, Value::Int(i64::try_from(rank).ok()?))])
        })
    }

    /// The facts of some relations that the model started from: inputs, and facts of derived relations that were given.
    fn input(&self, needed: &BTreeSet<RelationId>) -> Database {
        let mut database = Database::new(self.context.program);
        for relation in needed.iter().copied() {
            let extent = self.context.store.extent(relation).or_broken(HELD);
            let asserted = *extent.rounds.first().or_broken(HELD);
            extent.rows.iter().take(asserted).for_each(|row| database.push(relation, row));
        }
        database
    }

    /// The program with the strata alone that derive some relations.
    fn relevant(&self, needed: &BTreeSet<RelationId>) -> Program {
        let mut program = self.context.program.clone();
        program.strata.retain(|stratum| stratum.relations.iter().any(|derived| needed.contains(derived)));
        program
    }
}

impl Search<'_, '_> {
    /// Looks for remedies; ends early with what stopped it, in words.
    fn run(&mut self, mut first: VecDeque<Vec<Change>>) -> Result<(), String> {
        let wants = wants_of(&self.asked);
        let at = (self.finder, self.templates);
        let (mut ideas, instants) = Ideas::towards(at, self.relation, wants, (CHANGES, &[]));
        if let Some(model) = self.finder.model().filter(|_| !self.trial.lenient) {
            ideas.extend(Ideas::against_doubts(at, &model.undefined, (CHANGES, &[])));
        }
        self.wait_for(&instants);
        let types = self.finder.context.types(self.relation).iter();
        let asked = types.zip(&self.asked).filter_map(|(ty, word)| Some(Value::from_word(*ty, (*word)?)));
        let mut repairs = Repairs::new(asked);
        repairs.add((&[], 0), ideas, CHANGES);
        let finder = self.finder;
        let until = self.start + self.trial.time / 2;
        let mut guesses = Abduction::new((finder, self.templates), self.relation, &self.asked, until);
        let (mut guessed, mut last) = (0, (0, 0));
        while self.remedies.found.len() < HANDFUL {
            if last.0 != self.remedies.found.len() {
                last = (self.remedies.found.len(), self.remedies.tried);
            }
            if last.0 > 0 && self.remedies.tried > last.1 + PATIENCE {
                return Err(self.stopped());
            }
            // What takes two changes more than another remedy is of no interest.
            let best = self.least_found();
            if first.is_empty()
                && best.is_some_and(|best| repairs.least().is_none_or(|total| total > best + 1))
            {
                return Ok(());
            }
            let single = !first.is_empty() || repairs.least().is_some_and(|total| total <= 1);
            let from_guess = if single || guessed >= GUESSES { None } else { guesses.turn() };
            guessed += usize::from(from_guess.is_some());
            let guess = first.pop_front().or(from_guess).map(|changes| (changes, 1));
            let next = || repairs.next().map(|(changes, step)| (changes.to_vec(), step));
            let Some((mut changes, step)) = guess.or_else(next) else {
                if guesses.goes_on() && guessed < GUESSES {
                    continue;
                }
                let stopped = guesses.stopped() && guessed < GUESSES;
                return if stopped {
                    Err(String::from("stopped searching after too many candidates"))
                } else {
                    Ok(())
                };
            };
            changes.sort();
            changes.dedup();
            if let Some(model) = self.attempt(changes.clone())? {
                self.go_on((&changes, step), &model, &mut repairs);
            }
        }
        Err(self.stopped())
    }

    /// How many changes the smallest remedy has that was found.
    fn least_found(&self) -> Option<usize> {
        self.remedies.found.iter().map(|remedy| remedy.changes.len()).min()
    }

    /// What is said where the search was ended.
    fn stopped(&self) -> String {
        format!("stopped searching after {} evaluations", self.remedies.tried)
    }

    /// The same where that was for want of time.
    fn late(&self) -> String {
        let time = Value::Duration(i64::try_from(self.trial.time.as_micros()).unwrap_or(i64::MAX));
        format!("{}, within {time}", self.stopped())
    }

    /// Evaluates a set of changes; the model where it is no remedy and new.
    fn attempt(&mut self, changes: Vec<Change>) -> Result<Option<(Rc<Program>, Model)>, String> {
        let larger = self.remedies.found.iter().any(|known| self.covers(&changes, &known.changes));
        let may_be_made = changes.iter().all(|change| self.finder.may_be_made(change));
        if larger || !may_be_made || !self.seen.insert(changes.clone()) {
            return Ok(None);
        }
        if self.remedies.tried >= self.trial.tries || self.start.elapsed() >= self.trial.time {
            return Err(self.late());
        }
        let Some((program, model)) = self.changed(&changes) else { return Ok(None) };
        if self.certain(&program, &model).is_empty() {
            return Ok(Some((program, model)));
        }
        let derives = self.hits(&program, &model);
        let (changes, derives) = self.smallest(changes, derives);
        if !self.remedies.found.iter().any(|known| self.covers(&changes, &known.changes)) {
            let mut found = std::mem::take(&mut self.remedies.found);
            found.retain(|known| !self.covers(&known.changes, &changes));
            self.remedies.found = found;
            let by: Vec<Vec<Symbol>> = changes.iter().map(|change| self.finder.needs(change)).collect();
            let mut needs = by.concat();
            needs.sort();
            needs.dedup();
            self.remedies.found.push(Remedy { changes, needs_human: !needs.is_empty(), needs, by, derives });
        }
        Ok(None)
    }

    /// The same without the changes that aren't needed.
    fn smallest(&mut self, mut changes: Vec<Change>, mut derives: Vec<Fact>) -> (Vec<Change>, Vec<Fact>) {
        let mut at = 0;
        while at < changes.len() && changes.len() > 1 {
            let mut fewer = changes.clone();
            if makes_room(&fewer.remove(at), &fewer) {
                at += 1;
                continue;
            }
            let still = self.changed(&fewer).map(|(program, model)| self.certain(&program, &model));
            let still = still.unwrap_or_default();
            if still.is_empty() {
                at += 1;
            } else {
                (changes, derives) = (fewer, still);
            }
        }
        (changes, derives)
    }

    /// Adds the sets that go on from one that was tried, as its model suggests.
    fn go_on(
        &self,
        (changes, step): (&[Change], usize),
        (program, model): &(Rc<Program>, Model),
        repairs: &mut Repairs,
    ) {
        // What takes two changes more than another remedy is of no interest.
        let most = self.least_found().map_or(CHANGES, |least| CHANGES.min(least + 1));
        if changes.len() >= most {
            return;
        }
        let finder = Finder::new(program, model, self.finder.sources(), &NoOrigins);
        let at = (&finder, self.templates);
        let ideas = if self.hits(program, model).is_empty() {
            Ideas::towards(at, self.relation, wants_of(&self.asked), (CHANGES, changes)).0
        } else {
            Ideas::against_doubts(at, &model.undefined, (CHANGES, changes))
        };
        repairs.add((changes, step), ideas, CHANGES);
    }

    /// Whether `changes` hold all of `known`: a parameter set to whatever value, a fact with whatever new id.
    fn covers(&self, changes: &[Change], known: &[Change]) -> bool {
        known.iter().all(|one| {
            changes.iter().any(|other| match (one, other) {
                (Change::Set(name, ..), Change::Set(other, ..)) => name == other,
                (Change::Assert(one, any), Change::Assert(other, _)) => self.is_like((one, any), other),
                _ => one == other,
            })
        })
    }

    /// Whether two made-up facts are the same but for an id that no fact has, amounts and times, and what may be anything.
    fn is_like(&self, (one, any): (&Fact, &[bool]), other: &Fact) -> bool {
        let id = self.program.find(one.relation).filter(|id| self.templates.has_id(*id));
        let is_new = |fact: &Fact| id.is_some_and(|id| fill::conflict(self.finder, id, fact).is_none());
        let both_new = is_new(one) && is_new(other);
        // Of two amounts or times that both do, the first that was found is the nearer one.
        let alike = |(at, (one, other)): (usize, (&Value, &Value))| {
            let measures = matches!(one, Value::Float(_) | Value::Time(_) | Value::Duration(_));
            let open = any.get(at) == Some(&true);
            one == other || open || (at == 0 && both_new) || (measures && one.ty() == other.ty())
        };
        one.relation == other.relation && one.values.iter().zip(&other.values).enumerate().all(alike)
    }

    /// Tries instants of the clock at which nothing else would have to change.
    fn wait_for(&mut self, instants: &[Want]) {
        let Some(now) = self.program.find(Symbol::new("now")) else { return };
        let current =
            self.input.rows(now).and_then(|rows| rows.iter().next()?.first().map(|word| word.as_int()));
        let Some(current) = current else { return };
        for want in instants.iter().take(INSTANTS) {
            let (limit, at) = match *want {
                Want::Is(word) | Want::Than("<=" | ">=", word) => (word.as_int(), word.as_int()),
                Want::Than("<", word) => (word.as_int(), word.as_int().saturating_sub(1)),
                Want::Than(">", word) => (word.as_int(), word.as_int().saturating_add(1)),
                _ => continue,
            };
            let readable = literal::parse_time(&literal::time_text(at)).is_some_and(|read| read == at);
            let mut input = self.input.clone();
            if let (Some(rows), true) = (input.relations.get_mut(now.0 as usize), readable) {
                *rows = hence_engine::Rows::new(rows.arity());
                rows.push(&[Word::from_int(at)]);
            }
            let Some(model) = self.evaluate(&Rc::clone(&self.program), input) else { continue };
            let moment = Moment { at: limit, later: at > current };
            if !self.certain(&Rc::clone(&self.program), &model).is_empty()
                && !self.remedies.instants.contains(&moment)
            {
                self.remedies.instants.push(moment);
            }
        }
        self.remedies.instants.sort_by_key(|moment| moment.at.abs_diff(current));
    }

    /// The rules and their model after some changes.
    fn changed(&mut self, changes: &[Change]) -> Option<(Rc<Program>, Model)> {
        let (mut program, mut database) = (Rc::clone(&self.program), self.input.clone());
        changes.iter().for_each(|change| apply(&mut program, &mut database, change));
        let model = self.evaluate(&program, database)?;
        Some((program, model))
    }

    /// The model of changed input, in no more than the time that is left; `None` where it takes more, or reaches another
    /// limit, as it may where a change closes a circle.
    fn evaluate(&mut self, program: &Program, input: Database) -> Option<Model> {
        self.remedies.tried += 1;
        let left = self.trial.time.saturating_sub(self.start.elapsed());
        let time = self.trial.limits.time.map_or(left, |time| time.min(left));
        let limits = Limits { time: Some(time), ..self.trial.limits };
        let evaluated = self.trial.engine.evaluate(program, input, &limits);
        if let Err(reached) = &evaluated {
            self.unknown = Some(match reached.bound {
                Bound::Time(_) => self.late(),
                bound => format!("{bound} was reached while trying a change"),
            });
        }
        evaluated.ok()
    }

    /// The first facts of a model that are asked for and follow certainly: where an operation is undefined on which they
    /// may depend, a second evaluation tells.
    fn certain(&mut self, program: &Program, model: &Model) -> Vec<Fact> {
        let hits = self.hits(program, model);
        let heads: BTreeSet<RelationId> =
            model.undefined.iter().map(|undefined| program[undefined.rule].head).collect();
        let concerned = heads.iter().any(|head| program.dependents(*head).contains(&self.relation));
        if hits.is_empty() || self.trial.lenient || !concerned {
            return hits;
        }
        let of = unknown(program, heads);
        let mut input = Database::new(&of.program);
        for (relation, extent) in (0..).map(RelationId).zip(&model.relations) {
            let given = *extent.rounds.first().or_broken(HELD);
            extent.rows.iter().take(given).for_each(|row| input.push(relation, row));
        }
        let evaluated = self.evaluate(&of.program, input);
        evaluated.map(|model| self.hits(&of.program, &model)).unwrap_or_default()
    }

    /// The first facts of a model that are asked for.
    fn hits(&self, program: &Program, model: &Model) -> Vec<Fact> {
        let relation = self.relation;
        let extent = model.extent(relation).or_broken(HELD);
        let fits = |row: &&[Word]| {
            row.iter().zip(&self.asked).all(|(word, asked)| asked.is_none_or(|asked| asked == *word))
        };
        let context = &self.finder.context;
        let fact = |row| Fact::new(program[relation].name, context.values(relation, row));
        let mut facts: Vec<Fact> = extent.rows.iter().filter(fits).map(fact).collect();
        facts.sort();
        facts.truncate(SHOWN);
        facts
    }
}

/// Whether a change retracts a fact in whose place another one with its id is asserted.
fn makes_room(change: &Change, others: &[Change]) -> bool {
    let Change::Retract(gone) = change else { return false };
    others.iter().any(|other| match other {
        Change::Assert(fact, _) => {
            fact.relation == gone.relation
                && fact.values.len() > 1
                && fact.values.first() == gone.values.first()
        }
        _ => false,
    })
}

fn apply(program: &mut Rc<Program>, database: &mut Database, change: &Change) {
    match change {
        Change::Set(name, _, value) => {
            let param = Rc::make_mut(program).params.iter_mut().find(|param| param.name == *name);
            param.or_broken(KNOWN).value = *value;
        }
        Change::Assert(fact, _) => {
            let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
            database.push(program.find(fact.relation).or_broken(KNOWN), &row);
        }
        Change::Retract(fact) => {
            let row: Vec<Word> = fact.values.iter().map(|value| value.word()).collect();
            let relation = program.find(fact.relation).or_broken(KNOWN);
            let rows = database.relations.get_mut(relation.0 as usize).or_broken(KNOWN);
            let mut kept = hence_engine::Rows::new(rows.arity());
            rows.iter().filter(|other| *other != row).for_each(|other| kept.push(other));
            *rows = kept;
        }
    }
}
