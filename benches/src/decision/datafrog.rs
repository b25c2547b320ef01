//! datafrog: strata written by hand; the two recursive rules are its iterations, the rest joins of relations. What the
//! policy alone gives is kept from request to request.

use datafrog::{Iteration, Relation};

use super::{Decide, Out, Policy, Request, mask};

type Set = Relation<(u32, ())>;
type Pairs = Relation<(u32, u32)>;

fn relation<T: Ord>(rows: impl Iterator<Item = T>) -> Relation<T> {
    rows.collect()
}

fn set(values: &[u32]) -> Set {
    relation(values.iter().map(|&value| (value, ())))
}

/// datafrog 2.0.1's own `Relation::from_antijoin` returns nothing, always.
fn without<V, T: Ord>(
    rows: &Relation<(u32, V)>,
    keys: &Relation<u32>,
    of: impl Fn(u32, &V) -> T,
) -> Relation<T>
where
    (u32, V): Ord,
{
    relation(rows.iter().filter(|row| keys.binary_search(&row.0).is_err()).map(|row| of(row.0, &row.1)))
}

/// The policy, by what is joined.
struct Kept {
    level: Set,
    level_req: Relation<(u32, (u32, i32))>,
    tool_risk: Pairs,
    tool_kind: Pairs,
    safe_tool: Set,
    banned: Set,
    depended_on_by: Pairs,
    needs_role: Pairs,
    needs_any: Relation<u32>,
}

pub fn start(policy: &Policy) -> Decide {
    let kept = Kept {
        level: set(&policy.level),
        level_req: relation(policy.level_req.iter().map(|&(level, metric, least)| (metric, (level, least)))),
        tool_risk: policy.tool_risk.clone().into(),
        tool_kind: policy.tool_kind.clone().into(),
        safe_tool: set(&policy.safe_tool),
        banned: set(&policy.banned),
        depended_on_by: relation(policy.depends.iter().map(|&(tool, on)| (on, tool))),
        needs_role: policy.needs_role.clone().into(),
        needs_any: relation(policy.needs_role.iter().map(|row| row.0)),
    };
    Box::new(move |request| decide(&kept, request))
}

impl Kept {
    fn granted(&self, request: &Request) -> u32 {
        let metric = relation(request.metric.iter().copied());
        let known = relation(metric.iter().map(|row| row.0));
        let short = Relation::from_join(&self.level_req, &metric, |_, &(level, least), &value| {
            (level, value < least)
        });
        let unknown = without(&self.level_req, &known, |_, &(level, _)| (level, true));
        let failing = relation(short.iter().chain(unknown.iter()).filter(|row| row.1).map(|row| row.0));
        let level_ok = without(&self.level, &failing, |level, ()| (level, ()));
        let mut iteration = Iteration::new();
        // The level after an eligible one.
        let next = iteration.variable::<(u32, ())>("next");
        next.extend([(1, ())]);
        while iteration.changed() {
            next.from_join(&next, &level_ok, |&level, (), ()| (level + 1, ()));
        }
        next.complete().iter().map(|row| row.0 - 1).max().unwrap()
    }

    fn blocked(&self) -> Set {
        let mut iteration = Iteration::new();
        let blocked = iteration.variable::<(u32, ())>("blocked");
        blocked.insert(self.banned.clone());
        while iteration.changed() {
            blocked.from_join(&blocked, &self.depended_on_by, |_, (), &tool| (tool, ()));
        }
        blocked.complete()
    }

    fn denied(&self, requested: &Set, request: &Request) -> Relation<u32> {
        let failed = relation(request.run.iter().filter(|run| run.1 == 0).map(|run| (run.0, ())));
        let severe = relation(request.incident.iter().filter(|row| row.1 >= 3).map(|row| (row.0, ())));
        let blocked = Relation::from_join(requested, &self.blocked(), |&tool, (), ()| tool);
        let kinds: Pairs = Relation::from_join(requested, &self.tool_kind, |&tool, (), &kind| (kind, tool));
        let struck = Relation::from_join(&kinds, &severe, |_, &tool, ()| tool);
        let failing: Set = Relation::from_join(requested, &failed, |&tool, (), ()| (tool, ()));
        let risks = Relation::from_join(&failing, &self.tool_risk, |&tool, (), &risk| (tool, risk));
        let risky = relation(risks.iter().filter(|row| row.1 >= 4).map(|row| row.0));
        blocked.merge(struck).merge(risky)
    }
}

fn decide(kept: &Kept, request: &Request) -> Out {
    let requested = set(&request.requested);
    let granted = kept.granted(request);
    let denied = kept.denied(&requested, request);
    let always = Relation::from_join(&requested, &kept.safe_tool, |&tool, (), ()| (tool, ()));
    let risks = Relation::from_join(&requested, &kept.tool_risk, |&tool, (), &risk| (tool, risk));
    let safe = always.merge(relation(risks.iter().filter(|row| row.1 <= granted).map(|row| (row.0, ()))));
    let free = without(&requested, &kept.needs_any, |tool, ()| (tool, ()));
    let needed: Pairs = Relation::from_join(&requested, &kept.needs_role, |&tool, (), &role| (role, tool));
    let held = Relation::from_join(&needed, &set(&request.role), |_, &tool, ()| (tool, ()));
    let candidates: Set = Relation::from_join(&safe, &free.merge(held), |&tool, (), ()| (tool, ()));
    let allow = without(&candidates, &denied, |tool, ()| tool);
    let rest: Set = without(&requested, &allow, |tool, ()| (tool, ()));
    let approval = without(&rest, &denied, |tool, ()| tool);
    let tools = |tools: &Relation<u32>| mask(tools.iter().copied());
    Out {
        granted,
        allow: tools(&allow),
        denied: tools(&denied),
        approval: tools(&approval),
        autonomous: granted >= 2 && rest.is_empty(),
    }
}
