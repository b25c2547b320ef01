//! A random program: relations in groups, each of which reads the groups before it, and the rules that derive them.

use hence_core::value::Type;

use super::dice::Dice;
use super::expr::{TYPES, literal};
use super::rule;

/// A program as text in pieces that can be left out one by one.
#[derive(Clone, Default)]
pub(crate) struct Text {
    /// Declarations, a line each.
    pub(super) declarations: Vec<String>,
    pub(super) rules: Vec<RuleText>,
    /// Facts of inputs.
    pub(super) facts: Vec<String>,
    /// Facts of relations that rules derive, as an engine may be given them too; no fact file may hold them.
    pub(super) asserted: Vec<String>,
}

/// A rule in pieces.
#[derive(Clone)]
pub(crate) struct RuleText {
    pub(super) head: String,
    pub(super) body: Vec<String>,
    pub(super) limit: Option<String>,
    /// An aggregate whose groups may come from the recursion that it is in, and what stands for it where they may not.
    pub(super) spare: Option<(String, String)>,
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

    /// The program without the rules on these lines of its text, counted from 1.
    pub(crate) fn without_lines(mut self, lines: &[usize]) -> Self {
        let first = self.declarations.len() + 1;
        let rules = std::mem::take(&mut self.rules).into_iter().enumerate();
        self.rules = rules.filter(|(at, _)| !lines.contains(&(first + at))).map(|(_, rule)| rule).collect();
        self
    }

    pub(super) fn facts(&self) -> String {
        self.facts.iter().map(|fact| format!("{fact}.\n")).collect()
    }

    /// The program without aggregates whose groups come from their recursion, where one of them is refused.
    fn without_refused_groups(mut self) -> Self {
        let spare = self.rules.iter().any(|rule| rule.spare.is_some());
        if spare && super::check(&self.rules()).is_err_and(|faults| faults.contains("E501")) {
            for rule in &mut self.rules {
                if let Some((aggregate, instead)) = &rule.spare {
                    let place = rule.body.iter().position(|literal| literal == aggregate).unwrap();
                    rule.body[place].clone_from(instead);
                }
            }
        }
        self
    }

    /// The program as a case of the corpus, which has no way to assert what rules derive.
    pub(crate) fn case(&self) -> String {
        let facts: String = self.facts().lines().map(|line| format!("#> {line}\n")).collect();
        let asserted = self.asserted.iter().map(|fact| format!("# and given to the engine: {fact}.\n"));
        self.rules() + &facts + &asserted.collect::<String>()
    }
}

/// A relation that rules may read.
#[derive(Clone)]
pub(super) struct Relation {
    pub(super) name: String,
    pub(super) types: Vec<Type>,
    /// Those of one group may read one another positively; inputs that no rule feeds are group 0.
    pub(super) group: usize,
    /// Whether it is an input that rules feed.
    pub(super) fed: bool,
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
pub(crate) fn random(seed: u64) -> Text {
    let mut dice = Dice::new(seed);
    let dense = dice.chance(40);
    let feeds = Dice::new(seed ^ 0xfeed);
    let mut maker = Maker { dice, feeds, dense, relations: Vec::new(), text: Text::default() };
    maker.declarations();
    maker.rules();
    maker.text.without_refused_groups()
}

/// A program on its way.
struct Maker {
    dice: Dice,
    /// Says which relations are inputs that rules feed.
    feeds: Dice,
    /// Whether it is all about joins and recursion over small ints.
    dense: bool,
    relations: Vec<Relation>,
    text: Text,
}

impl Maker {
    fn declarations(&mut self) {
        self.text.declarations.push(String::from("type color = /red | /green | /blue."));
        self.text.declarations.push(format!("param param_i: int = {}.", self.dice.below(4)));
        self.text.declarations.push(String::from("param param_f: float = 0.5."));
        self.text.declarations.push(String::from("param param_l: [int] = [1, 2, -1]."));
        self.text.declarations.push(String::from("param param_s: [string] = [\"a\", \"b\", \"red\"]."));
        let (inputs, most) =
            if self.dense { (1 + self.dice.below(3), 14) } else { (2 + self.dice.below(2), 8) };
        for at in 0..inputs {
            self.relation(format!("in{at}"), 0, "input");
            for _ in 0..self.dice.below(most) {
                let fact = self.fact(at);
                self.text.facts.push(fact);
            }
        }
        let groups = if self.dense { 2 } else { 2 + self.dice.below(3) };
        for group in 1..=groups {
            for at in 0..1 + self.dice.below(if self.dense { 3 } else { 2 }) {
                let keyword = if group == groups { "decision" } else { "relation" };
                self.relation(format!("r{group}_{at}"), group, keyword);
            }
        }
    }

    fn relation(&mut self, name: String, group: usize, keyword: &str) {
        let dice = &mut self.dice;
        let types = if self.dense {
            vec![Type::Int; dice.pick(&[1, 2, 2, 2, 3])]
        } else {
            let count = dice.pick(&[0, 1, 1, 2, 2, 2, 3, 3]);
            (0..count).map(|_| if dice.chance(40) { Type::Int } else { dice.pick(&TYPES) }).collect()
        };
        let fed = group > 0 && self.feeds.chance(15);
        let keyword = if fed { "input" } else { keyword };
        let relation = Relation { name, types, group, fed };
        self.text.declarations.push(relation.declaration(keyword));
        self.relations.push(relation);
    }

    fn fact(&mut self, relation: usize) -> String {
        let relation = &self.relations[relation];
        let values: Vec<String> = relation.types.iter().map(|ty| literal(&mut self.dice, *ty)).collect();
        format!("{}({})", relation.name, values.join(", "))
    }

    fn rules(&mut self) {
        let inputs = self.relations.iter().filter(|relation| relation.group == 0).count();
        for head in inputs..self.relations.len() {
            for _ in 0..self.dice.pick(&[0, 1, 1, 2, 2, 3]) {
                let mut rule = rule::random(&mut self.dice, &self.relations, head, self.dense);
                if self.relations[head].fed {
                    rule.head = format!("feed {}", rule.head);
                }
                self.text.rules.push(rule);
            }
            if self.dice.chance(25) {
                let fact = self.fact(head);
                if self.relations[head].fed {
                    self.text.facts.push(fact);
                } else {
                    self.text.rules.push(RuleText { head: fact, body: Vec::new(), limit: None, spare: None });
                }
            }
            if self.dice.chance(25) {
                let fact = self.fact(head);
                let fed = self.relations[head].fed;
                if fed { &mut self.text.facts } else { &mut self.text.asserted }.push(fact);
            }
        }
        self.dice.shuffle(&mut self.text.rules);
    }
}
