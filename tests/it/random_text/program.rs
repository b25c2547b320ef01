//! A random program: relations in groups, each of which reads the groups before it, and the rules that derive them.

use hence_core::value::Type;

use super::dice::Dice;
use super::expr::{TYPES, literal};
use super::rule;

/// A program as text in pieces that can be left out one by one.
#[derive(Clone)]
pub(super) struct Text {
    /// Declarations, a line each.
    pub(super) declarations: Vec<String>,
    pub(super) rules: Vec<RuleText>,
    /// Facts of inputs.
    pub(super) facts: Vec<String>,
}

/// A rule in pieces.
#[derive(Clone)]
pub(super) struct RuleText {
    pub(super) head: String,
    pub(super) body: Vec<String>,
    pub(super) limit: Option<String>,
}

impl RuleText {
    fn text(&self) -> String {
        let body = if self.body.is_empty() { String::new() } else { format!(" :- {}", self.body.join(", ")) };
        let limit = self.limit.as_ref().map(|limit| format!(" {limit}")).unwrap_or_default();
        format!("{}{body}{limit}.\n", self.head)
    }
}

impl Text {
    pub(super) fn rules(&self) -> String {
        let declarations: String = self.declarations.iter().map(|line| format!("{line}\n")).collect();
        declarations + &self.rules.iter().map(RuleText::text).collect::<String>()
    }

    pub(super) fn facts(&self) -> String {
        self.facts.iter().map(|fact| format!("{fact}.\n")).collect()
    }

    /// The program as a case of the corpus.
    pub(super) fn case(&self) -> String {
        self.rules() + &self.facts().lines().map(|line| format!("#> {line}\n")).collect::<String>()
    }
}

/// A relation that rules may read.
#[derive(Clone)]
pub(super) struct Relation {
    pub(super) name: String,
    pub(super) types: Vec<Type>,
    /// Those of one group may read one another positively; inputs are group 0.
    pub(super) group: usize,
}

/// The type as it is declared; all names are of one closed set.
fn declared(ty: Type) -> &'static str {
    if ty == Type::Name { "color" } else { ty.keyword() }
}

impl Relation {
    fn declaration(&self, keyword: &str) -> String {
        let columns: Vec<String> = self
            .types
            .iter()
            .enumerate()
            .map(|(at, ty)| format!("{}: {}", column(at), declared(*ty)))
            .collect();
        format!("{keyword} {}({}).", self.name, columns.join(", "))
    }
}

/// The name of a column by its place.
pub(super) fn column(at: usize) -> String {
    format!("k{at}")
}

/// The program of a seed.
pub(super) fn random(seed: u64) -> Text {
    let mut dice = Dice::new(seed);
    let mut relations = Vec::new();
    let mut text = Text { declarations: Vec::new(), rules: Vec::new(), facts: Vec::new() };
    text.declarations.push(String::from("type color = /red | /green | /blue."));
    text.declarations.push(String::from("param param_i: int = 2."));
    text.declarations.push(String::from("param param_f: float = 0.5."));
    for at in 0..2 + dice.below(2) {
        let input = relation(&mut dice, format!("in{at}"), 0);
        text.declarations.push(input.declaration("input"));
        for _ in 0..dice.below(6) {
            let values: Vec<String> = input.types.iter().map(|ty| literal(&mut dice, *ty)).collect();
            text.facts.push(format!("{}({})", input.name, values.join(", ")));
        }
        relations.push(input);
    }
    let groups = 2 + dice.below(3);
    for group in 1..=groups {
        let first = relations.len();
        for at in 0..1 + dice.below(2) {
            let derived = relation(&mut dice, format!("r{group}_{at}"), group);
            let keyword = if group == groups { "decision" } else { "relation" };
            text.declarations.push(derived.declaration(keyword));
            relations.push(derived);
        }
        for head in first..relations.len() {
            for _ in 0..1 + dice.below(3) {
                let rule = rule::random(&mut dice, &relations, head);
                text.rules.push(rule);
            }
        }
    }
    dice.shuffle(&mut text.rules);
    text
}

fn relation(dice: &mut Dice, name: String, group: usize) -> Relation {
    let count = dice.pick(&[0, 1, 1, 2, 2, 2, 3, 3]);
    let types = (0..count).map(|_| if dice.chance(40) { Type::Int } else { dice.pick(&TYPES) }).collect();
    Relation { name, types, group }
}
