//! ascent: the same rules as macros. It takes no texts here: those of `names` are numbers.
#![allow(clippy::all, unused, missing_docs, non_snake_case, reason = "code that the macro writes")]

use ascent::aggregators::{count, max, sum};
use ascent::ascent;

use super::Sum;
use super::generate::Facts;

/// A program of `relation`s, its input and rules, and a function that runs it over facts.
macro_rules! shape {
    ($run:ident, $name:ident, [$($input:ident: $width:literal),*], {$($rules:tt)*}) => {
        ascent! { struct $name; $($rules)* }

        /// All results of the shape.
        pub fn $run(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
            let mut program = $name::default();
            $(program.$input = super::rows::<$width>(facts, stringify!($input)).map(Into::into).collect();)*
            move || {
                program.run();
                Box::new(move || Sum::of(&program.out))
            }
        }
    };
}

shape!(clique4, Clique4, [e: 2], {
    relation e(u32, u32);
    relation out(u32, u32, u32, u32);
    out(a, b, c, d) <-- e(a, b), e(a, c), e(b, c), e(a, d), e(b, d), e(c, d);
});
shape!(path4, Path4, [e: 2], {
    relation e(u32, u32);
    relation out(u32, u32);
    out(a, f) <-- e(a, b), e(b, c), e(c, d), e(d, f);
});
shape!(diamond, Diamond, [e: 2], {
    relation e(u32, u32);
    relation out(u32, u32, u32, u32);
    out(a, b, c, d) <-- e(a, b), e(a, c), if b < c, e(b, d), e(c, d);
});
shape!(cycle4, Cycle4, [e: 2], {
    relation e(u32, u32);
    relation out(u32, u32);
    out(a, c) <-- e(a, b), e(b, c), e(c, d), e(d, a);
});
shape!(cspa, Cspa, [assign: 2, deref: 2], {
    relation assign(u32, u32);
    relation deref(u32, u32);
    relation flow(u32, u32);
    relation alias(u32, u32);
    relation out(u32, u32);
    flow(y, x) <-- assign(y, x);
    flow(x, y) <-- flow(x, z), flow(z, y);
    flow(x, y) <-- assign(x, z), out(z, y);
    flow(x, x) <-- assign(x, _);
    flow(x, x) <-- assign(_, x);
    out(x, w) <-- deref(y, x), alias(y, z), deref(z, w);
    out(x, x) <-- assign(_, x);
    out(x, x) <-- assign(x, _);
    alias(x, y) <-- flow(z, x), flow(z, y);
    alias(x, y) <-- flow(z, x), out(z, w), flow(w, y);
});
shape!(csda, Csda, [arc: 2, null: 2], {
    relation arc(u32, u32);
    relation null(u32, u32);
    relation out(u32, u32);
    out(x, y) <-- null(x, y);
    out(x, y) <-- out(x, z), arc(z, y);
});
shape!(borrow, Borrow, [edge: 2, live: 2, outlives: 3, loan: 3, kill: 2, touch: 2], {
    relation edge(u32, u32);
    relation live(u32, u32);
    relation outlives(u32, u32, u32);
    relation loan(u32, u32, u32);
    relation kill(u32, u32);
    relation touch(u32, u32);
    relation subset(u32, u32, u32);
    relation holds(u32, u32, u32);
    relation out(u32, u32);
    subset(o, r, p) <-- outlives(o, r, p);
    subset(o, s, p) <-- subset(o, r, p), subset(r, s, p), if o != s;
    subset(o, r, q) <-- subset(o, r, p), edge(p, q), live(o, q), live(r, q);
    holds(o, l, p) <-- loan(o, l, p);
    holds(r, l, p) <-- holds(o, l, p), subset(o, r, p);
    holds(o, l, q) <-- holds(o, l, p), edge(p, q), !kill(l, p), live(o, q);
    out(l, p) <-- touch(l, p), holds(o, l, p), live(o, p);
});
shape!(names, Names, [within: 2, member: 2, grant: 3, inside: 2, deny: 3], {
    relation within(u32, u32);
    relation member(u32, u32);
    relation grant(u32, u32, u32);
    relation inside(u32, u32);
    relation deny(u32, u32, u32);
    relation belongs(u32, u32);
    relation reaches(u32, u32, u32);
    relation out(u32, u32, u32);
    belongs(p, g) <-- member(p, g);
    belongs(p, g) <-- belongs(p, h), within(h, g);
    reaches(g, a, f) <-- grant(g, a, f);
    reaches(g, a, f) <-- reaches(g, a, x), inside(f, x);
    out(p, a, f) <-- belongs(p, g), reaches(g, a, f), !deny(p, a, f);
});
shape!(wide, Wide, [a: 10, b: 10], {
    relation a(u32, u32, u32, u32, u32, u32, u32, u32, u32, u32);
    relation b(u32, u32, u32, u32, u32, u32, u32, u32, u32, u32);
    relation out(u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32, u32);
    out(k, l, c, d, e, f, g, h, i, j, m, n) <--
        a(k, l, c, d, e, f, g, h, i, j), b(k, l, m, n, _, _, _, _, _, _), if d != n;
});
shape!(groups, Sales, [sale: 4, back: 1], {
    relation sale(u32, u32, u32, u32);
    relation back(u32);
    relation net(u32, u32, u32, u32);
    relation pair(u32, u32);
    relation one(u32);
    relation kept(u32, u32, u64, u64, u32);
    relation shop(u32, u64, u64);
    relation out(u32, u32);
    net(s, i, p, id) <-- sale(id, s, i, p), !back(id);
    pair(s, i) <-- net(s, i, _, _);
    one(s) <-- net(s, _, _, _);
    kept(s, i, n as u64, t, m) <-- pair(s, i), agg n = count() in net(s, i, _, _),
        agg t = total(p) in net(s, i, p, _), agg m = max(p) in net(s, i, p, _);
    shop(s, n as u64, t) <-- one(s), agg n = count() in net(s, _, _, _), agg t = total(p) in net(s, _, p, _);
    out(s, i) <-- kept(s, i, n, t, _), shop(s, m, all), if t * m > all * n;
});
shape!(university, University, [type_: 2, sub: 2, works: 2, unit: 2, takes: 2, teaches: 2, advisor: 2, degree: 2], {
    relation type_(u32, u32);
    relation sub(u32, u32);
    relation works(u32, u32);
    relation unit(u32, u32);
    relation takes(u32, u32);
    relation teaches(u32, u32);
    relation advisor(u32, u32);
    relation degree(u32, u32);
    relation is(u32, u32);
    relation part(u32, u32);
    relation member(u32, u32);
    relation close(u32, u32, u32);
    relation out(u32, u32);
    is(x, c) <-- type_(x, c);
    is(x, d) <-- is(x, c), sub(c, d);
    part(x, y) <-- unit(x, y);
    part(x, z) <-- part(x, y), unit(y, z);
    member(x, y) <-- works(x, y);
    member(x, z) <-- member(x, y), part(y, z);
    close(x, y, c) <-- is(x, 2), advisor(x, y), teaches(y, c), takes(x, c);
    out(x, u) <-- is(x, 1), member(x, u), degree(x, u);
});
shape!(dense, Dense, [e: 2], {
    relation e(u32, u32);
    relation out(u32, u32);
    out(x, y) <-- e(x, y);
    out(x, z) <-- out(x, y), e(y, z);
});
shape!(deep, Deep, [e: 2, begin: 1], {
    relation e(u32, u32);
    relation begin(u32);
    relation out(u32);
    out(x) <-- begin(x);
    out(y) <-- out(x), e(x, y);
});
shape!(moved, Moved, [edge: 2, part: 2, gone: 2, set: 2], {
    relation edge(u32, u32);
    relation part(u32, u32);
    relation gone(u32, u32);
    relation set(u32, u32);
    relation within(u32, u32);
    relation assigned(u32, u32);
    relation out(u32, u32);
    within(parent, child) <-- part(child, parent);
    within(above, child) <-- within(parent, child), part(parent, above);
    assigned(path, p) <-- set(path, p);
    assigned(child, p) <-- set(path, p), within(path, child);
    out(path, p) <-- gone(path, p);
    out(path, q) <-- out(path, p), edge(p, q), !assigned(path, q);
});
shape!(steps, Steps, [e: 3, begin: 1], {
    relation e(u32, u32, u32);
    relation begin(u32);
    relation out(u32, u32);
    out(x, 0) <-- begin(x);
    out(y, d + w) <-- out(x, d), e(x, y, w), if d + w <= 400;
});

/// The sum of numbers, in 64 bits.
fn total<'a>(numbers: impl Iterator<Item = (&'a u32,)>) -> impl Iterator<Item = u64> {
    std::iter::once(numbers.map(|(number,)| u64::from(*number)).sum())
}

ascent! {
    struct Sparse;
    relation e(u64, u64);
    relation out(u64, u64);
    out(x, y) <-- e(x, y);
    out(x, z) <-- out(x, y), e(y, z);
}

/// All results of the shape whose numbers have 60 bits.
pub fn sparse(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
    let mut program = Sparse::default();
    program.e = facts[0].rows::<2>().map(Into::into).collect();
    move || {
        program.run();
        Box::new(move || {
            let mut sum = Sum::default();
            program.out.iter().for_each(|(x, y)| sum.add([*x, *y]));
            sum
        })
    }
}

shape!(star, Star, [sale: 4, item: 2, place: 2], {
    relation sale(u32, u32, u32, u32);
    relation item(u32, u32);
    relation place(u32, u32);
    relation out(u32, u32, u32);
    out(id, g, r) <-- sale(id, i, p, price), if *price > 9500, item(i, g), place(p, r);
});
shape!(intervals, Intervals, [point: 2, span: 3, event: 3], {
    relation point(u32, u32);
    relation span(u32, u32, u32);
    relation event(u32, u32, u32);
    relation out(u32, u32, u32);
    out(0, p, s) <-- point(p, at), span(s, from, to), if from <= at && at < to;
    out(1, s, t) <-- span(s, from, to), span(t, begins, ends), if s < t && from < ends && begins < to;
    out(2, a, b) <-- event(a, user, at), event(b, user, later), if at < later && later - at < 60;
});
shape!(movies, Movies, [cast: 3, word: 2, info: 3], {
    relation cast(u32, u32, u32);
    relation word(u32, u32);
    relation info(u32, u32, u32);
    relation out(u32, u32);
    out(k, m) <-- info(m, 5, v), cast(p, m, 3), cast(p, n, 4), if m != n, info(n, 5, v), word(m, k), word(n, k);
});

ascent! {
    struct Context;
    relation alloc(u32, u32, u32);
    relation move_(u32, u32);
    relation load(u32, u32, u32);
    relation store(u32, u32, u32);
    relation call(u32, u32, u32, u32);
    relation actual(u32, u32);
    relation formal(u32, u32);
    relation type_(u32, u32);
    relation has(u32, u32, u32);
    relation begin(u32);
    relation reach(u32, u32);
    relation out(u32, u32, u32);
    relation calls(u32, u32, u32);
    relation field(u32, u32, u32);
    reach(0, m) <-- begin(m);
    reach(s, m) <-- calls(_, s, m);
    out(c, v, h) <-- reach(c, m), alloc(v, h, m);
    out(c, to, h) <-- move_(to, from), out(c, from, h);
    out(c, to, k) <-- load(to, base, f), out(c, base, h), field(h, f, k);
    field(h, f, k) <-- store(base, f, from), out(c, base, h), out(c, from, k);
    calls(c, s, m) <-- call(s, base, name, n), reach(c, n), out(c, base, h), type_(h, t), has(t, name, m);
    out(s, v, h) <-- calls(c, s, m), actual(s, w), formal(m, v), out(c, w, h);
}

/// All results of the context-sensitive shape.
pub fn context(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
    let mut program = Context::default();
    program.alloc = super::rows::<3>(facts, "alloc").map(Into::into).collect();
    program.move_ = super::rows::<2>(facts, "move").map(Into::into).collect();
    program.load = super::rows::<3>(facts, "load").map(Into::into).collect();
    program.store = super::rows::<3>(facts, "store").map(Into::into).collect();
    program.call = super::rows::<4>(facts, "call").map(Into::into).collect();
    program.actual = super::rows::<2>(facts, "actual").map(Into::into).collect();
    program.formal = super::rows::<2>(facts, "formal").map(Into::into).collect();
    program.type_ = super::rows::<2>(facts, "type").map(Into::into).collect();
    program.has = super::rows::<3>(facts, "has").map(Into::into).collect();
    program.begin = super::rows::<1>(facts, "begin").map(Into::into).collect();
    move || {
        program.run();
        Box::new(move || Sum::of(&program.out))
    }
}
