//! datafrog: joins called by hand, its leapfrog join where a body closes a circle.

use datafrog::{Iteration, Relation, RelationLeaper};

use super::generate::Facts;
use super::{Row, Sum, rows};

type Pair = (u32, u32);
type Four = (u32, u32, u32, u32);

/// What a relation is made of; sorting it is part of an evaluation.
fn pairs(facts: &[Facts], name: &str) -> Vec<Pair> {
    rows::<2>(facts, name).map(Pair::from).collect()
}

fn sum<R: Row + Copy + Ord + 'static>(rows: Relation<R>) -> Box<dyn FnOnce() -> Sum> {
    Box::new(move || Sum::of(&rows))
}

/// Triangles, then the fourth corner as what all three have.
pub fn clique4(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
    let edges = pairs(facts, "e");
    move || {
        let e: Relation<Pair> = edges.into();
        let leapers = (e.extend_with(|&(a, _): &Pair| a), e.extend_with(|&(_, b): &Pair| b));
        let triangles: Relation<(u32, u32, u32)> =
            Relation::from_leapjoin(&e, leapers, |&(a, b), &c| (a, b, c));
        let leapers = (
            e.extend_with(|&(a, _, _): &(u32, u32, u32)| a),
            e.extend_with(|&(_, b, _): &(u32, u32, u32)| b),
            e.extend_with(|&(_, _, c): &(u32, u32, u32)| c),
        );
        let all: Relation<Four> = Relation::from_leapjoin(&triangles, leapers, |&(a, b, c), &d| (a, b, c, d));
        sum(all)
    }
}

/// Pairs of edges from the same node, then what both middles have.
pub fn diamond(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
    let edges = pairs(facts, "e");
    move || {
        let e: Relation<Pair> = edges.into();
        let mut forks: Vec<(u32, u32, u32)> = Vec::new();
        for same in e.chunk_by(|left, right| left.0 == right.0) {
            for (at, (a, b)) in same.iter().enumerate() {
                forks.extend(same[at + 1..].iter().map(|(_, c)| (*a, *b, *c)));
            }
        }
        let forks: Relation<(u32, u32, u32)> = forks.into();
        let leapers = (
            e.extend_with(|&(_, b, _): &(u32, u32, u32)| b),
            e.extend_with(|&(_, _, c): &(u32, u32, u32)| c),
        );
        let all: Relation<Four> = Relation::from_leapjoin(&forks, leapers, |&(a, b, c), &d| (a, b, c, d));
        sum(all)
    }
}

/// Two steps, joined with themselves.
pub fn cycle4(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
    let edges = pairs(facts, "e");
    move || {
        let e: Relation<Pair> = edges.into();
        let back: Relation<Pair> = e.iter().map(|&(a, b)| (b, a)).collect();
        let two: Relation<(Pair, ())> = Relation::from_join(&back, &e, |_, &a, &c| ((a, c), ()));
        let turned: Relation<(Pair, ())> = two.iter().map(|&((a, c), ())| ((c, a), ())).collect();
        sum(Relation::from_join(&two, &turned, |&(a, c), &(), &()| (a, c)))
    }
}

/// A step at a time.
pub fn path4(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
    let edges = pairs(facts, "e");
    move || {
        let e: Relation<Pair> = edges.into();
        let mut ends: Relation<Pair> = e.iter().map(|&(a, b)| (b, a)).collect();
        for _ in 0..2 {
            ends = Relation::from_join(&ends, &e, |_, &a, &c| (c, a));
        }
        sum(Relation::from_join(&ends, &e, |_, &a, &c| (a, c)))
    }
}

fn closure(edges: Vec<Pair>) -> Relation<Pair> {
    let mut iteration = Iteration::new();
    let out = iteration.variable::<Pair>("out");
    out.insert(edges.iter().map(|&(a, b)| (b, a)).collect());
    let e: Relation<Pair> = edges.into();
    while iteration.changed() {
        out.from_join(&out, &e, |_, &a, &c| (c, a));
    }
    out.complete().iter().map(|&(c, a)| (a, c)).collect()
}

/// The closure of a dense graph.
pub fn dense(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
    let edges = pairs(facts, "e");
    move || sum(closure(edges))
}

/// Facts by where the null is.
pub fn csda(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
    let (arc, null) = (pairs(facts, "arc"), pairs(facts, "null"));
    move || {
        let (arc, null): (Relation<Pair>, Relation<Pair>) = (arc.into(), null.into());
        let mut iteration = Iteration::new();
        let out = iteration.variable::<Pair>("out");
        out.insert(null.iter().map(|&(x, y)| (y, x)).collect());
        while iteration.changed() {
            out.from_join(&out, &arc, |_, &x, &y| (y, x));
        }
        let out: Relation<Pair> = out.complete().iter().map(|&(y, x)| (x, y)).collect();
        sum(out)
    }
}

/// A fact a round.
pub fn deep(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
    let edges = pairs(facts, "e");
    let begin: Vec<(u32, ())> = rows::<1>(facts, "begin").map(|[x]| (x, ())).collect();
    move || {
        let e: Relation<Pair> = edges.into();
        let mut iteration = Iteration::new();
        let out = iteration.variable::<(u32, ())>("out");
        out.insert(begin.into());
        while iteration.changed() {
            out.from_join(&out, &e, |_, &(), &y| (y, ()));
        }
        let out: Relation<(u32,)> = out.complete().iter().map(|&(x, ())| (x,)).collect();
        sum(out)
    }
}

/// Every index a variable of its own.
pub fn cspa(facts: &[Facts]) -> impl FnOnce() -> Box<dyn FnOnce() -> Sum> + use<> {
    let (assign, deref) = (pairs(facts, "assign"), pairs(facts, "deref"));
    move || {
        let (assign, deref): (Relation<Pair>, Relation<Pair>) = (assign.into(), deref.into());
        let mut iteration = Iteration::new();
        let flow = iteration.variable::<Pair>("flow");
        let flow_back = iteration.variable::<Pair>("flow by end");
        let alias = iteration.variable::<Pair>("alias");
        let out = iteration.variable::<Pair>("out");
        let from = iteration.variable::<Pair>("one side dereferenced");
        let through = iteration.variable::<Pair>("flow, then alias");
        let assign_back: Relation<Pair> = assign.iter().map(|&(y, x)| (x, y)).collect();
        let ends = || assign.iter().flat_map(|&(y, x)| [(x, x), (y, y)]);
        flow.insert(assign.iter().copied().chain(ends()).collect());
        out.insert(ends().collect());
        while iteration.changed() {
            flow_back.from_map(&flow, |&(x, y)| (y, x));
            flow.from_join(&flow_back, &flow, |_, &x, &y| (x, y));
            flow.from_join(&out, &assign_back, |_, &y, &x| (x, y));
            from.from_join(&alias, &deref, |_, &z, &x| (z, x));
            out.from_join(&from, &deref, |_, &x, &w| (x, w));
            alias.from_join(&flow, &flow, |_, &x, &y| (x, y));
            through.from_join(&flow, &out, |_, &x, &w| (w, x));
            alias.from_join(&through, &flow, |_, &x, &y| (x, y));
        }
        sum(out.complete())
    }
}
