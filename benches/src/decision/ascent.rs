//! ascent: everything anew for each request, as a program of it runs once.
#![allow(clippy::all, unused, reason = "code that the macro writes")]

use ascent::ascent;

use super::{Decide, Out, Policy, mask};

ascent! {
    struct Program;
    relation level(u32);
    relation level_req(u32, u32, i32);
    relation tool_risk(u32, u32);
    relation tool_kind(u32, u32);
    relation safe_tool(u32);
    relation banned(u32);
    relation depends(u32, u32);
    relation needs_role(u32, u32);
    relation metric(u32, i32);
    relation ran(u32, u32);
    relation role(u32);
    relation requested(u32);
    relation incident(u32, u32);
    relation has_metric(u32);
    relation fails(u32, u32);
    relation level_fail(u32);
    relation level_ok(u32);
    relation eligible(u32);
    relation outranked(u32);
    relation granted(u32);
    relation failed_tool(u32);
    relation blocked(u32);
    relation safe(u32);
    relation denied(u32);
    relation needs_any(u32);
    relation role_ok(u32);
    relation allow(u32);
    relation approval(u32);
    relation not_all();
    relation autonomous();
    has_metric(m) <-- metric(m, _);
    fails(l, m) <-- level_req(l, m, min), metric(m, v), if v < min;
    fails(l, m) <-- level_req(l, m, _), !has_metric(m);
    level_fail(l) <-- fails(l, _);
    level_ok(l) <-- level(l), !level_fail(l);
    eligible(0);
    eligible(l + 1) <-- eligible(l), level_ok(l + 1);
    outranked(l) <-- eligible(l), eligible(k), if k > l;
    granted(l) <-- eligible(l), !outranked(l);
    failed_tool(t) <-- ran(t, 0);
    blocked(t) <-- banned(t);
    blocked(t) <-- blocked(u), depends(t, u);
    safe(t) <-- requested(t), safe_tool(t);
    safe(t) <-- requested(t), tool_risk(t, r), granted(l), if r <= l;
    denied(t) <-- requested(t), blocked(t);
    denied(t) <-- requested(t), tool_kind(t, k), incident(k, s), if *s >= 3;
    denied(t) <-- requested(t), failed_tool(t), tool_risk(t, r), if *r >= 4;
    needs_any(t) <-- needs_role(t, _);
    role_ok(t) <-- requested(t), !needs_any(t);
    role_ok(t) <-- requested(t), needs_role(t, r), role(r);
    allow(t) <-- safe(t), role_ok(t), !denied(t);
    approval(t) <-- requested(t), !allow(t), !denied(t);
    not_all() <-- requested(t), !allow(t);
    autonomous() <-- granted(l), if *l >= 2, !not_all();
}

fn ones(values: &[u32]) -> Vec<(u32,)> {
    values.iter().map(|&value| (value,)).collect()
}

fn tools(rows: &[(u32,)]) -> u64 {
    mask(rows.iter().map(|row| row.0))
}

pub fn start(policy: &Policy) -> Decide {
    let policy = policy.clone();
    Box::new(move |request| {
        let mut program = Program {
            level: ones(&policy.level),
            level_req: policy.level_req.clone(),
            tool_risk: policy.tool_risk.clone(),
            tool_kind: policy.tool_kind.clone(),
            safe_tool: ones(&policy.safe_tool),
            banned: ones(&policy.banned),
            depends: policy.depends.clone(),
            needs_role: policy.needs_role.clone(),
            metric: request.metric.clone(),
            ran: request.run.clone(),
            role: ones(&request.role),
            requested: ones(&request.requested),
            incident: request.incident.clone(),
            ..Program::default()
        };
        program.run();
        Out {
            granted: program.granted[0].0,
            allow: tools(&program.allow),
            denied: tools(&program.denied),
            approval: tools(&program.approval),
            autonomous: !program.autonomous.is_empty(),
        }
    })
}
