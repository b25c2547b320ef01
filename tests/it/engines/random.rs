//! Random programs through both engines: typed and stratified, with recursion, negation, aggregates, limits,
//! generators, arithmetic and operations without a result.

use std::time::Instant;

use hence_core::schema::RelationId;
use hence_core::value::{Type, Value, Word};
use hence_engine::{Database, Limits, Threads};
use hence_lang::builtins::expr::{Expr, ExprKind};
use hence_lang::builtins::generator::Generator;
use hence_lang::ir::{Literal, Program, Term, invariants};

use super::build::{Build, Clause, any, constant, float, text};
use super::check::compare;
use super::shrink::shrink;

/// A small generator of random numbers (splitmix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

const TYPES: [Type; 8] =
    [Type::Int, Type::Int, Type::Int, Type::Int, Type::String, Type::Float, Type::Bool, Type::Duration];

/// A row of a relation, of the values that random programs use.
pub(crate) fn row(random: &mut Random, program: &Program, relation: RelationId) -> Vec<Word> {
    let types = program.relations[relation.0 as usize].types();
    types.map(|ty| value(random, ty).word()).collect()
}

fn value(random: &mut Random, ty: Type) -> Value {
    match ty {
        Type::Int if random.chance(1) => Value::Int(random.pick(&[i64::MAX, i64::MIN])),
        Type::Int => Value::Int(random.below(6) as i64 - 1),
        Type::Float => random.pick(&[float(0.0), float(-1.5), float(2.0), float(1e308)]),
        Type::Bool => Value::Bool(random.chance(50)),
        Type::Duration => Value::Duration(random.below(3) as i64),
        Type::Time => Value::Time(random.below(3) as i64),
        Type::String | Type::Name => text(random.pick(&["b", "a b", "", "7", "c"])),
    }
}

/// A relation that rules may read, and the layer in which it is derived (0 for inputs).
#[derive(Clone)]
struct Known {
    id: RelationId,
    layer: usize,
    types: Vec<Type>,
}

struct Maker {
    random: Random,
    /// Whether the program is all about joins and recursion over small ints.
    dense: bool,
    build: Build,
    relations: Vec<Known>,
    params: Vec<Expr>,
}

/// A random program and its input.
pub(crate) fn program(seed: u64) -> (Program, Database) {
    let mut random = Random::new(seed);
    let dense = random.chance(40);
    let mut maker =
        Maker { random, dense, build: Build::default(), relations: Vec::new(), params: Vec::new() };
    maker.declare();
    let rules = 1 + maker.random.below(7);
    let derived: Vec<Known> = maker.relations.iter().filter(|known| known.layer > 0).cloned().collect();
    for _ in 0..rules {
        let head = maker.random.pick(&derived);
        maker.rule(&head);
    }
    for _ in 0..maker.random.below(3) {
        let relation = maker.random.pick(&derived);
        let row: Vec<Value> = relation.types.iter().map(|ty| value(&mut maker.random, *ty)).collect();
        maker.build.fact(relation.id, &row);
    }
    let program = std::mem::take(&mut maker.build).finish();
    let input = maker.input(&program);
    (program, input)
}

impl Maker {
    fn declare(&mut self) {
        let (inputs, derived) = (1 + self.random.below(3), 1 + self.random.below(5));
        for at in 0..inputs + derived {
            let layers = if self.dense { 2 } else { 3 };
            let layer = if at < inputs { 0 } else { 1 + self.random.below(layers) };
            let types: Vec<Type> = match self.dense {
                true => vec![Type::Int; self.random.pick(&[1, 2, 2, 2, 3])],
                false => (0..self.random.below(4)).map(|_| self.random.pick(&TYPES)).collect(),
            };
            let id = match layer {
                0 => self.build.input(&format!("i{at}"), &types),
                _ => self.build.derived(&format!("d{at}"), &types),
            };
            self.relations.push(Known { id, layer, types });
        }
        let value = Value::Int(self.random.below(4) as i64);
        self.params.push(self.build.param("limit", value));
    }

    fn input(&mut self, program: &Program) -> Database {
        let mut input = Database::new(program);
        for relation in self.relations.clone() {
            let most = if relation.layer == 0 { if self.dense { 14 } else { 9 } } else { 2 };
            for _ in 0..self.random.below(most) {
                let row: Vec<_> =
                    relation.types.iter().map(|ty| value(&mut self.random, *ty).word()).collect();
                input.push(relation.id, &row);
            }
        }
        input
    }

    fn rule(&mut self, head: &Known) {
        let kind = self.random.below(10);
        let strict = kind < 4;
        let mut scope = Scope { clause: Clause::new(head.id), vars: Vec::new() };
        for _ in 0..1 + self.random.below(5) {
            self.literal(&mut scope, head.layer, strict);
        }
        for at in (1..scope.clause.body.len()).rev() {
            let other = self.random.below(at + 1);
            scope.clause.body.swap(at, other);
        }
        match kind {
            0 | 1 => self.aggregate_head(&mut scope, head),
            2 | 3 => self.limited_head(&mut scope, head),
            _ => self.plain_head(&mut scope, head),
        }
        self.build.rule(scope.clause);
    }

    fn literal(&mut self, scope: &mut Scope, layer: usize, strict: bool) {
        let kinds = if self.dense && self.random.chance(80) { 6 } else { 12 };
        match self.random.below(kinds) {
            0..=4 => self.atom(scope, layer, strict),
            5 => self.negation(scope, layer),
            6 | 7 => {
                let ty = self.random.pick(&TYPES);
                let expr = self.expr(scope, ty, 2);
                let var = scope.fresh(ty);
                scope.clause = scope.clause.clone().bind(&var, expr);
                scope.vars.push(var);
            }
            8..=10 => {
                let test = self.condition(scope, 2);
                scope.clause = scope.clause.clone().test(test);
            }
            _ => self.generator(scope),
        }
    }

    fn readable(&mut self, layer: usize, strict: bool) -> Option<Known> {
        let fits = |known: &&Known| known.layer < layer || (!strict && known.layer == layer);
        let all: Vec<Known> = self.relations.iter().filter(fits).cloned().collect();
        (!all.is_empty()).then(|| self.random.pick(&all))
    }

    fn atom(&mut self, scope: &mut Scope, layer: usize, strict: bool) {
        let Some(relation) = self.readable(layer, strict) else { return };
        let mut fresh = Vec::new();
        let args: Vec<Expr> =
            relation.types.iter().map(|ty| self.arg(scope, &mut fresh, *ty, true)).collect();
        scope.vars.extend(fresh);
        scope.clause = scope.clause.clone().atom(relation.id, &args.iter().collect::<Vec<_>>());
    }

    fn negation(&mut self, scope: &mut Scope, layer: usize) {
        let Some(relation) = self.readable(layer, true) else { return };
        let args: Vec<Expr> =
            relation.types.iter().map(|ty| self.arg(scope, &mut Vec::new(), *ty, false)).collect();
        scope.clause = scope.clause.clone().not(relation.id, &args.iter().collect::<Vec<_>>());
    }

    fn arg(&mut self, scope: &mut Scope, fresh: &mut Vec<Expr>, ty: Type, binds: bool) -> Expr {
        let known: Vec<Expr> = scope.vars.iter().chain(&*fresh).filter(|var| var.ty == ty).cloned().collect();
        match self.random.below(10) {
            0 => any(),
            1 | 2 if self.dense && !known.is_empty() => self.random.pick(&known),
            1 if ty == Type::Int => self.random.pick(&self.params.clone()),
            1 | 2 => constant(value(&mut self.random, ty)),
            3..=5 if binds => {
                let var = scope.fresh(ty);
                fresh.push(var.clone());
                var
            }
            _ if !known.is_empty() => self.random.pick(&known),
            _ => any(),
        }
    }

    fn generator(&mut self, scope: &mut Scope) {
        let (generator, args) = match self.random.below(3) {
            0 => (Generator::Words, vec![self.expr(scope, Type::String, 1)]),
            1 => {
                let (text, separator) = (self.expr(scope, Type::String, 1), constant(text(" ")));
                (Generator::Split, vec![text, separator])
            }
            _ => {
                let end = constant(Value::Int(self.random.below(4) as i64));
                let start = self.expr(scope, Type::Int, 1);
                let start = self.build.call("max", &[&start, &constant(Value::Int(-2))]);
                (Generator::Range, vec![start, end])
            }
        };
        let var = scope.fresh(generator.element());
        scope.clause = scope.clause.clone().each(&var, generator, &args.iter().collect::<Vec<_>>());
        scope.vars.push(var);
    }

    fn plain_head(&mut self, scope: &mut Scope, head: &Known) {
        let terms: Vec<Expr> = head.types.iter().map(|ty| self.head_term(scope, *ty)).collect();
        scope.clause = scope.clause.clone().head(&terms.iter().collect::<Vec<_>>());
    }

    /// A term of a head; arithmetic is mostly kept small, so that most recursions end.
    fn head_term(&mut self, scope: &Scope, ty: Type) -> Expr {
        let depth = if self.random.chance(60) { 0 } else { 2 };
        let expr = self.expr(scope, ty, depth);
        let bounded = matches!(expr.kind, ExprKind::Call(..)) && self.random.chance(95);
        match ty {
            Type::Int if bounded => self.build.call("%", &[&expr, &constant(Value::Int(4))]),
            Type::Float if bounded => self.build.call("%", &[&expr, &constant(float(3.0))]),
            Type::String if bounded => {
                let (start, length) = (constant(Value::Int(0)), constant(Value::Int(2)));
                self.build.call("substring", &[&expr, &start, &length])
            }
            _ => expr,
        }
    }

    fn aggregate_head(&mut self, scope: &mut Scope, head: &Known) {
        for ty in &head.types {
            let term = match self.random.chance(55) {
                true => self.aggregate(scope, *ty),
                false => Term::Expr(self.head_term(scope, *ty)),
            };
            scope.clause = scope.clause.clone().term(term);
        }
    }

    fn aggregate(&mut self, scope: &Scope, ty: Type) -> Term {
        let mut choices = vec!["min", "max", "arg_max", "arg_min"];
        choices.extend_from_slice(match ty {
            Type::Int => &["count", "count_distinct", "sum"],
            Type::Float => &["sum", "mean", "stddev", "median", "percentile"],
            Type::Duration => &["sum", "mean", "median"],
            Type::Bool => &["any", "all"],
            Type::String => &["join"],
            Type::Name | Type::Time => &[],
        });
        let name = self.random.pick(&choices);
        let args = match name {
            "count" => Vec::new(),
            "count_distinct" => vec![self.any_expr(scope)],
            "arg_max" | "arg_min" => vec![self.expr(scope, ty, 1), self.any_expr(scope)],
            "percentile" => vec![self.expr(scope, ty, 1), constant(float(0.5))],
            "join" => vec![self.expr(scope, ty, 1), constant(text(","))],
            _ => vec![self.expr(scope, ty, 1)],
        };
        let name = if name == "count_distinct" { "count" } else { name };
        self.build.aggregate(name, &args.iter().collect::<Vec<_>>())
    }

    fn limited_head(&mut self, scope: &mut Scope, head: &Known) {
        self.plain_head(scope, head);
        let ranked = head.types.iter().position(|ty| *ty == Type::Int).filter(|_| self.random.chance(60));
        let rank = ranked.map(|column| {
            let rank = scope.fresh(Type::Int);
            scope.clause.terms[column] = Term::Expr(rank.clone());
            rank
        });
        let per: Vec<Expr> = scope.vars.iter().filter(|_| self.random.chance(30)).cloned().collect();
        let keys: Vec<(Expr, bool)> =
            (0..1 + self.random.below(2)).map(|_| (self.any_expr(scope), self.random.chance(50))).collect();
        let count = if self.random.chance(90) {
            self.random.pick(&[constant(Value::Int(1)), constant(Value::Int(2)), self.params[0].clone()])
        } else {
            self.build.call("/", &[&constant(Value::Int(2)), &self.params[0].clone()])
        };
        let by: Vec<(&Expr, bool)> = keys.iter().map(|(key, descending)| (key, *descending)).collect();
        let clause = scope.clause.clone();
        scope.clause = clause.limit(count, &per.iter().collect::<Vec<_>>(), &by, rank.as_ref());
    }

    fn any_expr(&mut self, scope: &Scope) -> Expr {
        let ty = self.random.pick(&TYPES);
        self.expr(scope, ty, 1)
    }

    /// An expression of bound variables.
    fn expr(&mut self, scope: &Scope, ty: Type, depth: usize) -> Expr {
        let known: Vec<Expr> = scope.vars.iter().filter(|var| var.ty == ty).cloned().collect();
        if depth == 0 || self.random.chance(40) {
            return match known.is_empty() || self.random.chance(15) {
                true => constant(value(&mut self.random, ty)),
                false => self.random.pick(&known),
            };
        }
        if self.random.chance(10) {
            let condition = self.condition(scope, depth - 1);
            let (then, otherwise) = (self.expr(scope, ty, depth - 1), self.expr(scope, ty, depth - 1));
            let kind = ExprKind::If(Box::new(condition), Box::new(then), Box::new(otherwise));
            return Expr { kind, ty, span: self.build.place() };
        }
        let (name, types): (&str, Vec<Type>) = match ty {
            Type::Int => match self.random.below(8) {
                0 => ("len", vec![Type::String]),
                1 => ("int", vec![Type::String]),
                2 => ("round", vec![Type::Float]),
                _ => (self.random.pick(&["+", "-", "*", "/", "%"]), vec![Type::Int; 2]),
            },
            Type::Float => match self.random.below(4) {
                0 => ("sqrt", vec![Type::Float]),
                1 => ("float", vec![Type::Int]),
                _ => (self.random.pick(&["+", "/", "*"]), vec![Type::Float; 2]),
            },
            Type::String => match self.random.below(3) {
                0 => ("string", vec![Type::Int]),
                1 => ("substring", vec![Type::String, Type::Int, Type::Int]),
                _ => ("concat", vec![Type::String, Type::String]),
            },
            Type::Bool => return self.condition(scope, depth - 1),
            _ => ("+", vec![ty; 2]),
        };
        let args: Vec<Expr> = types.iter().map(|ty| self.expr(scope, *ty, depth - 1)).collect();
        self.build.call(name, &args.iter().collect::<Vec<_>>())
    }

    fn condition(&mut self, scope: &Scope, depth: usize) -> Expr {
        if depth > 0 && self.random.chance(20) {
            let (left, right) = (self.condition(scope, depth - 1), self.condition(scope, depth - 1));
            let both = (Box::new(left), Box::new(right));
            let kind = if self.random.chance(50) {
                ExprKind::And(both.0, both.1)
            } else {
                ExprKind::Or(both.0, both.1)
            };
            return Expr { kind, ty: Type::Bool, span: self.build.place() };
        }
        let ty = self.random.pick(&TYPES);
        let (left, right) = (self.expr(scope, ty, depth), self.expr(scope, ty, depth));
        let name = self.random.pick(&["=", "!=", "<", "<=", ">", ">=", ">=", "!="]);
        self.build.call(name, &[&left, &right])
    }
}

struct Scope {
    clause: Clause,
    vars: Vec<Expr>,
}

impl Scope {
    fn fresh(&mut self, ty: Type) -> Expr {
        let name = format!("V{}", self.clause.variables.len());
        self.clause.var(&name, ty)
    }
}

/// What a random program is allowed: enough for most, little enough for the naive engine.
pub(crate) const LIMITS: Limits =
    Limits { facts: 600, iterations: 40, time: None, memory: Some(64 << 20), threads: Threads::ONE };

/// How the engines differ on a program, if they do.
pub(crate) fn difference(program: &Program, input: &Database) -> Option<String> {
    compare(program, input, &LIMITS).err()
}

fn run(seeds: std::ops::Range<u64>) {
    let (mut stopped, mut derived, mut undefined) = (0u64, 0, 0);
    let total = seeds.end - seeds.start;
    for seed in seeds {
        let (program, input) = program(seed);
        assert_eq!(invariants::broken(&program), [""; 0], "seed {seed}\n{program}");
        match compare(&program, &input, &LIMITS) {
            Ok(None) => stopped += 1,
            Ok(Some(model)) => {
                let facts: usize =
                    model.relations.iter().map(|extent| extent.rows.len() - extent.rounds[0]).sum();
                derived += u64::from(facts > 0);
                undefined += u64::from(!model.undefined.is_empty());
            }
            Err(_) => {
                let (program, input) =
                    shrink(program, input, |program, input| difference(program, input).is_some());
                let difference = difference(&program, &input).unwrap();
                panic!("seed {seed}: {difference}\n{program}\n{:?}", input.relations);
            }
        }
    }
    assert!(
        derived * 3 > total && undefined * 20 > total && stopped * 10 < total,
        "{total} programs are too plain: {derived} derive, {undefined} report, {stopped} stop at a limit"
    );
}

#[test]
fn random_programs_mean_the_same_to_both_engines() {
    run(0..3000);
}

#[test]
fn many_random_programs_mean_the_same_to_both_engines() {
    if std::env::var_os("HENCE_SLOW").is_some() {
        let start = Instant::now();
        let minutes =
            std::env::var("HENCE_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(10_u64);
        for batch in 1.. {
            run(batch * 10_000..(batch + 1) * 10_000);
            if start.elapsed().as_secs() > minutes * 60 {
                break;
            }
        }
    }
}

/// Literals of random bodies, for the shrinker's own test.
pub(crate) fn literals(program: &Program) -> usize {
    program
        .rules
        .iter()
        .flat_map(|rule| &rule.body)
        .filter(|literal| !matches!(literal, Literal::Test { .. }))
        .count()
}
