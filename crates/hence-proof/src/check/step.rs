//! One step: an assertion, a clause of a rule file, or a rule with its bindings and premises.

use serde_json::{Map, Value as Json};

use hence_core::schema::Kind;
use hence_core::span::Span;
use hence_core::value::Word;
use hence_lang::builtins::term::Format;
use hence_lang::builtins::term::Term;
use hence_lang::ir::Rule;

use super::read::{self, Head};
use super::{Checker, Verdict, words};

/// A step in JSON.
pub(super) type StepJson = Map<String, Json>;

/// Whether a rule derives the step.
pub(super) fn is_rule(step: &StepJson) -> bool {
    step.get("by").and_then(Json::as_str) == Some("rule")
}

/// Who asserted a fact is a text, how surely is a strength: neither without the other. Proofs of before have none.
fn authorship(origin: &StepJson) -> Verdict {
    let author = origin.get("author").unwrap_or(&Json::Null);
    match (author, origin.get("strength")) {
        (Json::Null, None | Some(Json::Null)) | (Json::String(_), None) => Ok(()),
        (Json::String(_), Some(Json::String(strength)))
            if matches!(strength.as_str(), "claimed" | "signed") =>
        {
            Ok(())
        }
        (Json::String(_), Some(other)) => Err(format!("`strength` is {other}: expected claimed or signed")),
        (author, _) => Err(format!("`author` is {author}: expected a string, and a strength with it")),
    }
}

impl Checker<'_> {
    /// Checks one step; gives the steps that it refers to.
    pub(super) fn step(&mut self, at: usize, step: &StepJson) -> Verdict<Vec<usize>> {
        let head = self.heads.get(at).cloned().ok_or("unknown step")?;
        match read::text(step, "by")? {
            "assertion" => self.assertion(at, step, &head).map(|()| Vec::new()),
            "clause" => self.clause(step, &head).map(|()| Vec::new()),
            "rule" => self.rule(at, step, &head),
            "cut" => self.cut(&head).map(|()| Vec::new()),
            other => Err(format!("`by` is {other:?}: expected assertion, clause, rule or cut")),
        }
    }

    fn assertion(&mut self, at: usize, step: &StepJson, head: &Head) -> Verdict {
        let origin = read::member(step, "origin")?;
        if !origin.is_null() && !origin.is_object() {
            return Err(String::from("`origin` must be an object or null"));
        }
        if let Some(origin) = origin.as_object() {
            authorship(origin)?;
        }
        self.origin(at, origin, head)?;
        let input = self.program.relation(head.relation).is_some_and(|found| found.kind == Kind::Input);
        match self.is_asserted(head.relation, &head.row) {
            Some(true) => Ok(()),
            Some(false) => Err(String::from("the fact was not asserted")),
            None if input => {
                self.trust(at, "the assertion");
                Ok(())
            }
            None => Err(String::from("a fact of a derived relation can't be asserted")),
        }
    }

    fn clause(&self, step: &StepJson, head: &Head) -> Verdict {
        let id = read::text(step, "clause")?;
        let mut facts = self.program.facts.iter().filter(|fact| fact.relation == head.relation);
        let row = |fact: &hence_lang::ir::GroundFact| {
            fact.values.iter().map(|value| value.word()).collect::<Vec<_>>()
        };
        let fact = facts.find(|fact| fact.id.as_str() == id && row(fact) == head.row);
        let fact = fact.ok_or_else(|| format!("no program fact `{id}` gives the fact"))?;
        self.place(step, fact.span)
    }

    fn cut(&self, head: &Head) -> Verdict {
        let Some(model) = self.known.model else {
            return Err(String::from("the proof is cut off here"));
        };
        let rows = model.extent(head.relation).map(|extent| &extent.rows);
        let holds = rows.is_some_and(|rows| rows.iter().any(|row| row == head.row));
        if holds { Ok(()) } else { Err(String::from("the fact does not hold")) }
    }

    /// The place must be that of the clause, where the rule texts are known.
    fn place(&self, step: &StepJson, span: Span) -> Verdict {
        let place = read::object(read::member(step, "place")?, "the place")?;
        let (file, line) = (read::text(place, "file")?, read::number(place, "line")?);
        let column = read::number(place, "column")?;
        let Some(sources) = self.known.sources else { return Ok(()) };
        let right = sources.place(span);
        let same = right.file == file && right.line == line && right.column == column;
        if same { Ok(()) } else { Err(format!("the rule is at {right}")) }
    }

    fn rule(&mut self, at: usize, step: &StepJson, head: &Head) -> Verdict<Vec<usize>> {
        let id = read::text(step, "rule")?;
        let rule =
            self.program.rules.iter().find(|rule| rule.id.as_str() == id && rule.head == head.relation);
        let rule = rule.ok_or_else(|| format!("no rule `{id}` derives this relation"))?;
        self.place(step, rule.span)?;
        let vars = read::bindings(rule, read::member(step, "bindings")?)?;
        self.sentence(rule, step, head, &vars)?;
        let premises = read::array(step, "premises")?;
        if rule.is_aggregate() {
            return self.aggregate(at, rule, head, &vars, premises);
        }
        let own = premises.len().saturating_sub(usize::from(rule.limit.is_some()));
        let (body, rest) = premises.split_at(own);
        let mut bound = vars.clone();
        if let Some(rank) = rule.limit.as_ref().and_then(|limit| limit.rank)
            && let Some(slot) = bound.get_mut(rank.0 as usize)
        {
            *slot = Some(slot.unwrap_or_default());
        }
        let words = all_bound(rule, &bound)?;
        let refers = self.body(at, rule, &words, body)?;
        self.meets(rule, head, &words)?;
        match (&rule.limit, rest) {
            (None, []) => {}
            (Some(limit), [last]) => self.limit(at, rule, limit, head, &words, last)?,
            _ => return Err(format!("rule `{id}` has {} premises", rule.body.len())),
        }
        Ok(refers)
    }

    /// Each column of the head that is no aggregate must have the value that its term has.
    pub(super) fn meets(&self, rule: &Rule, head: &Head, vars: &[Word]) -> Verdict {
        for (column, (term, word)) in rule.terms.iter().zip(&head.row).enumerate() {
            let Term::Expr(expr) = term else { continue };
            if expr.eval(vars, &self.params) != Ok(*word) {
                return Err(format!("column {} of the head has another value", column + 1));
            }
        }
        Ok(())
    }

    fn sentence(&self, rule: &Rule, step: &StepJson, head: &Head, vars: &[Option<Word>]) -> Verdict {
        let given = read::member(step, "sentence")?;
        let told = |show| words::sentence(self.program, rule, &head.row, vars, show);
        match (given.as_str(), told(Format::show)) {
            (None, None) if given.is_null() => Ok(()),
            (Some(given), Some(right)) if given == right => Ok(()),
            // As proofs had it before sentences showed floats in six digits.
            (Some(given), _) if told(Format::show_exactly).as_deref() == Some(given) => Ok(()),
            (_, Some(right)) => Err(format!("the sentence must be {right:?}")),
            (_, None) => Err(format!("rule `{}` has no sentence", rule.id)),
        }
    }

    /// The quotation of the rule must be right, where the rule texts are known.
    pub(super) fn written(&self, given: &str, span: Span) -> Verdict {
        let Some(sources) = self.known.sources else { return Ok(()) };
        let right = words::quoted(sources, span);
        if right.is_empty() || right == given { Ok(()) } else { Err(format!("the rule says {right:?}")) }
    }
}

/// The words of all variables; every one must be given.
pub(super) fn all_bound(rule: &Rule, vars: &[Option<Word>]) -> Verdict<Vec<Word>> {
    let pairs = rule.variables.iter().zip(vars);
    let word = |(variable, word): (&hence_lang::builtins::term::Variable, &Option<Word>)| {
        word.ok_or_else(|| format!("variable `{}` has no value", variable.name))
    };
    pairs.map(word).collect()
}
