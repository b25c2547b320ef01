//! The facts of the shapes: seeded, the same on every machine.

use std::collections::{BTreeMap, BTreeSet};

use crate::random::Random;

/// The facts of one relation, row by row in one vector.
pub struct Facts {
    pub relation: &'static str,
    pub width: usize,
    pub words: Vec<u64>,
}

impl Facts {
    /// The rows.
    pub fn rows<const N: usize>(&self) -> impl Iterator<Item = [u64; N]> {
        assert_eq!(self.width, N, "{} has other columns", self.relation);
        self.words.as_chunks::<N>().0.iter().copied()
    }
}

/// The facts of a shape; `quick` for a smoke run.
pub fn facts(shape: &str, quick: bool) -> Vec<Facts> {
    let pick = |full: u32, small: u32| if quick { small } else { full };
    match shape {
        "clique4" => vec![pairs("e", ascending(skewed(1101, pick(60_000, 3_000), pick(400_000, 12_000))))],
        "path4" => vec![pairs("e", uniform(1102, pick(3_000, 300), pick(24_000, 1_500)))],
        "diamond" => vec![pairs("e", skewed(1103, pick(40_000, 2_000), pick(120_000, 4_000)))],
        "cycle4" => vec![pairs("e", skewed(1104, pick(20_000, 2_000), pick(60_000, 4_000)))],
        "cspa" => cspa(pick(3_000, 800)),
        "csda" => csda(pick(120, 20), pick(2_000, 200)),
        "context" => context(pick(2_000, 100)),
        "borrow" => borrow(pick(3_000, 400)),
        "names" => names(pick(30_000, 1_000)),
        "wide" => vec![wide(1109, "a", pick(400_000, 10_000)), wide(1110, "b", pick(400_000, 10_000))],
        "groups" => groups(pick(2_000_000, 20_000)),
        "university" => university(pick(400, 10)),
        "dense" => vec![pairs("e", uniform(1113, pick(2_500, 200), pick(120_000, 4_000)))],
        "sparse" => vec![pairs("e", spread(uniform(1114, pick(1_500, 200), pick(3_000, 400))))],
        "deep" => deep(pick(300_000, 5_000)),
        "steps" => steps(pick(20_000, 500)),
        "virtual" => virtual_calls(pick(40_000, 1_000)),
        "star" => star(pick(2_000_000, 20_000)),
        "movies" => movies(pick(1_000_000, 20_000)),
        "best" => best(pick(2_000_000, 20_000)),
        "intervals" => intervals(pick(8_000, 400)),
        "reach" => reach(pick(800_000, 2_000)),
        "moved" => moved(pick(800, 60), pick(20_000, 400)),
        other => panic!("there is no shape `{other}`"),
    }
}

fn table<const N: usize>(relation: &'static str, rows: impl IntoIterator<Item = [u32; N]>) -> Facts {
    Facts { relation, width: N, words: rows.into_iter().flatten().map(u64::from).collect() }
}

fn pairs(relation: &'static str, rows: Vec<[u64; 2]>) -> Facts {
    Facts { relation, width: 2, words: rows.concat() }
}

/// So many distinct edges without loops, whose ends `node` draws.
fn edges(random: &mut Random, count: u32, mut node: impl FnMut(&mut Random) -> u32) -> Vec<[u64; 2]> {
    let mut set = BTreeSet::new();
    while set.len() < count as usize {
        let (from, to) = (node(random), node(random));
        if from != to {
            set.insert([u64::from(from), u64::from(to)]);
        }
    }
    let mut list: Vec<_> = set.into_iter().collect();
    random.shuffle(&mut list);
    list
}

fn uniform(seed: u32, nodes: u32, count: u32) -> Vec<[u64; 2]> {
    edges(&mut Random::new(seed), count, |random| random.below(nodes))
}

/// Few nodes have most of the edges.
fn skewed(seed: u32, nodes: u32, count: u32) -> Vec<[u64; 2]> {
    edges(&mut Random::new(seed), count, |random| below_skewed(random, nodes))
}

fn below_skewed(random: &mut Random, count: u32) -> u32 {
    (f64::from(count) * random.unit().powi(3)) as u32
}

/// Each edge from the smaller to the larger, once.
fn ascending(edges: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
    let set: BTreeSet<_> = edges.into_iter().map(|[a, b]| [a.min(b), a.max(b)]).collect();
    set.into_iter().collect()
}

/// Numbers of 60 bits for those of nodes.
fn spread(edges: Vec<[u64; 2]>) -> Vec<[u64; 2]> {
    let wide = |node: u64| (node + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 4;
    edges.into_iter().map(|edge| edge.map(wide)).collect()
}

/// Assignments within functions, seldom from one to another, and dereferences.
fn cspa(variables: u32) -> Vec<Facts> {
    let mut random = Random::new(1105);
    let near = |random: &mut Random, at: u32| {
        let function = at / 40 * 40;
        if random.unit() < 0.01 { random.below(variables) } else { function + random.below(40) }
    };
    let mut assign = BTreeSet::new();
    for _ in 0..variables {
        let x = random.below(variables);
        assign.insert([x, near(&mut random, x)]);
    }
    let mut deref = BTreeSet::new();
    for _ in 0..variables / 2 {
        let pointer = random.below(variables);
        deref.insert([pointer, near(&mut random, pointer)]);
    }
    vec![table("assign", assign), table("deref", deref)]
}

/// Functions, each a chain of statements with branches, and nulls that come up in them.
fn csda(functions: u32, statements: u32) -> Vec<Facts> {
    let mut random = Random::new(1106);
    let (mut arc, mut null) = (BTreeSet::new(), BTreeSet::new());
    for function in 0..functions {
        let first = function * statements;
        for at in 0..statements - 1 {
            arc.insert([first + at, first + at + 1]);
            if random.unit() < 0.2 {
                arc.insert([first + at, first + (at + 2 + random.below(6)).min(statements - 1)]);
            }
        }
        for _ in 0..statements / 50 {
            let at = first + random.below(statements / 2);
            null.insert([at, at]);
        }
    }
    vec![table("arc", arc), table("null", null)]
}

/// Modules of methods that call each other, so that what there is to find grows with them and no faster.
fn context(methods: u32) -> Vec<Facts> {
    const VARIABLES: u32 = 6;
    const FIELDS: u32 = 40;
    const MODULE: u32 = 10;
    const TYPES: u32 = 4;
    const NAMES: u32 = 6;
    let mut random = Random::new(1107);
    let variable = |random: &mut Random, method: u32| method * VARIABLES + random.below(VARIABLES);
    let (mut alloc, mut of_type) = (vec![], vec![]);
    let (mut moves, mut load, mut store) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut call, mut actual, mut formal) = (vec![], vec![], vec![]);
    for method in 0..methods {
        formal.extend([[method, method * VARIABLES], [method, method * VARIABLES + 1]]);
        for _ in 0..2 {
            let object = alloc.len() as u32;
            alloc.push([variable(&mut random, method), object, method]);
            of_type.push([object, method / MODULE * TYPES + random.below(TYPES)]);
        }
        for _ in 0..9 {
            moves.insert([variable(&mut random, method), variable(&mut random, method)]);
        }
        for _ in 0..2 {
            let field = random.below(FIELDS);
            load.insert([variable(&mut random, method), variable(&mut random, method), field]);
            store.insert([variable(&mut random, method), field, variable(&mut random, method)]);
        }
        for _ in 0..3 {
            let site = 1 + call.len() as u32;
            call.push([site, variable(&mut random, method), random.below(NAMES), method]);
            actual.push([site, variable(&mut random, method)]);
        }
    }
    let mut has = vec![];
    for of in 0..methods / MODULE * TYPES {
        for name in 0..NAMES {
            if random.unit() < 0.8 {
                has.push([of, name, of / TYPES * MODULE + random.below(MODULE)]);
            }
        }
    }
    vec![
        table("alloc", alloc),
        table("type", of_type),
        table("move", moves),
        table("load", load),
        table("store", store),
        table("call", call),
        table("actual", actual),
        table("formal", formal),
        table("has", has),
        table("begin", (0..methods / MODULE).map(|module| [module * MODULE])),
    ]
}

fn borrow(points: u32) -> Vec<Facts> {
    const SPAN: u32 = 60;
    let mut random = Random::new(1108);
    let origins = points / 6;
    let mut edge: BTreeSet<[u32; 2]> = (1..points).map(|at| [at - 1, at]).collect();
    for _ in 0..points / 20 {
        let from = random.below(points);
        edge.insert([from, (from + 2 + random.below(30)).min(points - 1)]);
    }
    let begins: Vec<u32> = (0..origins).map(|_| random.below(points)).collect();
    let mut live = BTreeSet::new();
    for (origin, begin) in (0..).zip(&begins) {
        let end = (begin + SPAN / 2 + random.below(SPAN)).min(points - 1);
        live.extend((*begin..=end).map(|at| [origin, at]));
    }
    let (mut outlives, mut loan) = (BTreeSet::new(), vec![]);
    let (mut kill, mut touch) = (vec![], vec![]);
    let mut by_begin: Vec<u32> = (0..origins).collect();
    by_begin.sort_by_key(|origin| begins[*origin as usize]);
    for (at, origin) in by_begin.iter().enumerate() {
        let begin = begins[*origin as usize];
        loan.push([*origin, *origin, begin]);
        for _ in 0..2 {
            let other = by_begin[at.saturating_sub(1 + random.below(12) as usize)];
            outlives.insert([other, *origin, begin]);
        }
        touch.extend((0..20).map(|_| [*origin, (begin + random.below(2 * SPAN)).min(points - 1)]));
        kill.push([*origin, (begin + random.below(2 * SPAN)).min(points - 1)]);
    }
    vec![
        table("edge", edge),
        table("live", live),
        table("outlives", outlives),
        table("loan", loan),
        table("kill", kill),
        table("touch", touch),
    ]
}

fn names(people: u32) -> Vec<Facts> {
    let mut random = Random::new(1111);
    let (groups, folders, actions) = (people / 10, people / 5, 4);
    let (group_0, folder_0, action_0) = (people, people + groups, people + groups + folders);
    let within = (1..groups).map(|group| [group_0 + group, group_0 + random.below(group.div_ceil(2))]);
    let within: Vec<_> = within.collect();
    let member: BTreeSet<_> =
        (0..2 * people).map(|_| [random.below(people), group_0 + random.below(groups)]).collect();
    let inside: Vec<_> = (1..folders)
        .map(|folder| [folder_0 + folder, folder_0 + folder - 1 - random.below(folder.min(40))])
        .collect();
    let grant: BTreeSet<_> = (0..groups)
        .map(|_| {
            let folder = folders - 1 - random.below(folders / 20);
            [group_0 + random.below(groups), action_0 + random.below(actions), folder_0 + folder]
        })
        .collect();
    let deny: BTreeSet<_> = (0..people)
        .map(|_| [random.below(people), action_0 + random.below(actions), folder_0 + random.below(folders)])
        .collect();
    vec![
        table("within", within),
        table("member", member),
        table("inside", inside),
        table("grant", grant),
        table("deny", deny),
    ]
}

fn wide(seed: u32, relation: &'static str, rows: u32) -> Facts {
    let mut random = Random::new(seed);
    let row = |at: u32| {
        let mut row = [0; 10];
        (row[0], row[1]) = (random.below(rows / 20), random.below(8));
        row.iter_mut().skip(2).for_each(|word| *word = random.below(1_000));
        row[9] = at;
        row
    };
    table(relation, (0..rows).map(row).collect::<Vec<_>>())
}

fn groups(sales: u32) -> Vec<Facts> {
    let mut random = Random::new(1112);
    let sale = (0..sales).map(|at| {
        [at, below_skewed(&mut random, 50), below_skewed(&mut random, 40_000), 1 + random.below(500)]
    });
    let sale: Vec<_> = sale.collect();
    let back: BTreeSet<_> = (0..sales / 8).map(|_| [random.below(sales)]).collect();
    vec![table("sale", sale), table("back", back)]
}

/// Universities of 15 departments each, with professors, students, courses and groups.
fn university(universities: u32) -> Vec<Facts> {
    const DEPARTMENTS: u32 = 15;
    const PROFESSORS: u32 = 25;
    const COURSES: u32 = 50;
    const STUDENTS: u32 = 200;
    const GROUPS: u32 = 10;
    let mut random = Random::new(1115);
    let mut next = 100 + universities;
    let mut fresh = |count: u32| {
        next += count;
        next - count
    };
    let sub = [[3, 1], [4, 1], [5, 3], [6, 3], [7, 3], [8, 4], [9, 2], [10, 2], [1, 20], [2, 20], [11, 9]];
    let (mut of_class, mut works, mut unit, mut degree) = (vec![], vec![], vec![], vec![]);
    let (mut teaches, mut takes, mut advisor) = (vec![], BTreeSet::new(), vec![]);
    for university in 100..100 + universities {
        for _ in 0..DEPARTMENTS {
            let department = fresh(1);
            unit.push([department, university]);
            let (professors, courses) = (fresh(PROFESSORS), fresh(COURSES));
            let (students, groups) = (fresh(STUDENTS), fresh(GROUPS));
            unit.extend((groups..groups + GROUPS).map(|group| [group, department]));
            for at in 0..PROFESSORS {
                of_class.push([professors + at, 5 + random.below(4)]);
                works.push([professors + at, groups + random.below(GROUPS)]);
                teaches
                    .extend([[professors + at, courses + 2 * at], [professors + at, courses + 2 * at + 1]]);
                degree.extend((0..3).map(|_| [professors + at, 100 + random.below(universities)]));
                if at % 3 == 0 {
                    degree.push([professors + at, university]);
                }
            }
            for student in students..students + STUDENTS {
                of_class.push([student, 9 + random.below(3)]);
                advisor.push([student, professors + random.below(PROFESSORS)]);
                takes.extend((0..4).map(|_| [student, courses + random.below(COURSES)]));
            }
        }
    }
    vec![
        table("type", of_class),
        table("sub", sub),
        table("works", works),
        table("unit", unit),
        table("degree", degree),
        table("teaches", teaches),
        table("takes", takes),
        table("advisor", advisor),
    ]
}

/// A chain under shuffled numbers, with some edges back.
fn deep(nodes: u32) -> Vec<Facts> {
    let mut random = Random::new(1116);
    let mut ids: Vec<u32> = (0..nodes).collect();
    random.shuffle(&mut ids);
    let mut edges: BTreeSet<[u32; 2]> = ids.windows(2).map(|pair| [pair[0], pair[1]]).collect();
    for _ in 0..nodes / 4 {
        let from = random.below(nodes - 1) + 1;
        edges.insert([ids[from as usize], ids[random.below(from) as usize]]);
    }
    vec![table("e", edges), table("begin", [[ids[0]]])]
}

/// Four edges a node.
fn reach(nodes: u32) -> Vec<Facts> {
    let mut random = Random::new(1122);
    let edges: Vec<_> = (0..4 * nodes).map(|_| [random.below(nodes), random.below(nodes)]).collect();
    let begin = edges.first().map(|[from, _]| [*from]);
    vec![table("e", edges), table("begin", begin)]
}

/// Points one after the other with a few jumps, paths below one another, and where they are moved out of and assigned.
fn moved(paths: u32, points: u32) -> Vec<Facts> {
    let mut random = Random::new(1123);
    let mut edge: Vec<_> = (1..points).map(|at| [at - 1, at]).collect();
    edge.extend((0..points / 5).map(|_| [random.below(points), random.below(points)]));
    let part: Vec<_> = (1..paths).map(|child| [child, child / 3]).collect();
    let mut at =
        |count: u32| (0..count).map(|_| [random.below(paths), random.below(points)]).collect::<Vec<_>>();
    let (gone, set) = (at(2 * paths), at(64 * paths));
    vec![table("edge", edge), table("part", part), table("gone", gone), table("set", set)]
}

fn steps(nodes: u32) -> Vec<Facts> {
    let mut random = Random::new(1117);
    let edges = uniform(1118, nodes, 3 * nodes);
    let rows = edges.into_iter().map(|[x, y]| [x as u32, y as u32, 1 + random.below(9)]);
    vec![table("e", rows.collect::<Vec<_>>()), table("begin", [[0]])]
}

/// Modules of methods of types below one another, of each of which one method begins.
fn virtual_calls(methods: u32) -> Vec<Facts> {
    const VARIABLES: u32 = 11;
    const MODULE: u32 = 25;
    const TYPES: u32 = 6;
    const SIGNATURES: u32 = 8;
    const FIELDS: u32 = 60;
    let mut random = Random::new(1117);
    let variable = |random: &mut Random, method: u32| method * VARIABLES + random.below(VARIABLES);
    let a_type = |random: &mut Random, method: u32| method / MODULE * TYPES + random.below(TYPES);
    let (mut alloc, mut of_type, mut formal) = (vec![], vec![], vec![]);
    let mut assign = BTreeSet::new();
    let [mut cast, mut load, mut store] = [const { BTreeSet::new() }; 3];
    let (mut call, mut actual) = (vec![], BTreeSet::new());
    let mut declares = BTreeMap::new();
    for method in 0..methods {
        declares.insert([a_type(&mut random, method), random.below(SIGNATURES)], method);
        formal.extend([0, 1].map(|place| [method, place, method * VARIABLES + place]));
        for _ in 0..3 {
            let object = alloc.len() as u32;
            alloc.push([variable(&mut random, method), object, method]);
            of_type.push([object, a_type(&mut random, method)]);
        }
        for _ in 0..6 {
            assign.insert([variable(&mut random, method), variable(&mut random, method)]);
        }
        cast.insert([
            variable(&mut random, method),
            variable(&mut random, method),
            a_type(&mut random, method),
        ]);
        for _ in 0..2 {
            let field = below_skewed(&mut random, FIELDS);
            load.insert([variable(&mut random, method), variable(&mut random, method), field]);
            store.insert([variable(&mut random, method), field, variable(&mut random, method)]);
        }
        for _ in 0..4 {
            let site = call.len() as u32;
            call.push([site, variable(&mut random, method), random.below(SIGNATURES), method]);
            actual.extend([0, 1].map(|place| [site, place, variable(&mut random, method)]));
        }
    }
    let types = (0..methods / MODULE * TYPES).filter(|of| of % TYPES > 0);
    let below: Vec<_> = types.map(|of| [of, of / TYPES * TYPES + random.below(of % TYPES)]).collect();
    vec![
        table("alloc", alloc),
        table("type", of_type),
        table("super", below),
        table("declares", declares.into_iter().map(|([of, signature], method)| [of, signature, method])),
        table("assign", assign),
        table("cast", cast),
        table("load", load),
        table("store", store),
        table("call", call),
        table("actual", actual),
        table("formal", formal),
        table("begin", (0..methods / MODULE).map(|module| [module * MODULE])),
    ]
}

fn star(sales: u32) -> Vec<Facts> {
    let mut random = Random::new(1118);
    let sale = (0..sales).map(|at| {
        let (item, place) = (below_skewed(&mut random, 5_000), below_skewed(&mut random, 1_000));
        [at, item, place, random.below(10_000)]
    });
    vec![
        table("sale", sale.collect::<Vec<_>>()),
        table("item", (0..5_000).map(|item| [item, item % 40])),
        table("place", (0..1_000).map(|place| [place, place % 7])),
    ]
}

fn movies(parts: u32) -> Vec<Facts> {
    let mut random = Random::new(1119);
    let (people, films) = (parts / 5, parts / 10);
    let mut some = |count: u32, of: &[u32]| -> BTreeSet<Vec<u32>> {
        (0..count).map(|_| of.iter().map(|below| below_skewed(&mut random, *below)).collect()).collect()
    };
    let three = |rows: BTreeSet<Vec<u32>>| rows.into_iter().map(|row| [row[0], row[1], row[2]]);
    let cast = three(some(parts, &[people, films, 11]));
    let word = some(parts / 5 * 2, &[films, films / 10]).into_iter().map(|row| [row[0], row[1]]);
    let info = three(some(parts / 2, &[films, 100, films / 50]));
    vec![table("cast", cast), table("word", word), table("info", info)]
}

fn best(sales: u32) -> Vec<Facts> {
    let mut random = Random::new(1120);
    let sale = (0..sales).map(|at| [at, random.below(20), random.below(sales / 3), random.below(100_000)]);
    vec![table("sale", sale.collect::<Vec<_>>())]
}

/// So many points and spans, and for each of them twenty-five events, a thousand a user.
fn intervals(count: u32) -> Vec<Facts> {
    const INSTANTS: u32 = 1_000_000;
    let mut random = Random::new(1121);
    let point: Vec<_> = (0..count).map(|p| [p, random.below(INSTANTS)]).collect();
    let span = (0..count).map(|s| {
        let begins = random.below(INSTANTS);
        [s, begins, begins + 1 + random.below(2_000)]
    });
    let span: Vec<_> = span.collect();
    let users = (count / 40).max(1);
    let event = (0..25 * count).map(|id| [id, random.below(users), random.below(INSTANTS / 10)]);
    vec![table("point", point), table("span", span), table("event", event.collect::<Vec<_>>())]
}
