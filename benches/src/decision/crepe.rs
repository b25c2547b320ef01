//! crepe: everything anew for each request, as its programs take their input by value.

use super::{Decide, Out, Policy, mask};

crepe::crepe! {
    @input struct Level(u32);
    @input struct LevelReq(u32, u32, i32);
    @input struct ToolRisk(u32, u32);
    @input struct ToolKind(u32, u32);
    @input struct SafeTool(u32);
    @input struct Banned(u32);
    @input struct Depends(u32, u32);
    @input struct NeedsRole(u32, u32);
    @input struct Metric(u32, i32);
    @input struct Run(u32, u32);
    @input struct Role(u32);
    @input struct Requested(u32);
    @input struct Incident(u32, u32);
    struct HasMetric(u32);
    struct Fails(u32, u32);
    struct LevelFail(u32);
    struct LevelOk(u32);
    struct Eligible(u32);
    struct Outranked(u32);
    struct FailedTool(u32);
    struct Blocked(u32);
    struct Safe(u32);
    struct NeedsAny(u32);
    struct RoleOk(u32);
    struct NotAll(u32);
    @output struct Granted(u32);
    @output struct Denied(u32);
    @output struct Allow(u32);
    @output struct Approval(u32);
    @output struct Autonomous(u32);
    HasMetric(m) <- Metric(m, _);
    Fails(l, m) <- LevelReq(l, m, min), Metric(m, v), (v < min);
    Fails(l, m) <- LevelReq(l, m, _), !HasMetric(m);
    LevelFail(l) <- Fails(l, _);
    LevelOk(l) <- Level(l), !LevelFail(l);
    Eligible(0);
    Eligible(n) <- Eligible(l), let n = l + 1, LevelOk(n);
    Outranked(l) <- Eligible(l), Eligible(k), (k > l);
    Granted(l) <- Eligible(l), !Outranked(l);
    FailedTool(t) <- Run(t, 0);
    Blocked(t) <- Banned(t);
    Blocked(t) <- Blocked(u), Depends(t, u);
    Safe(t) <- Requested(t), SafeTool(t);
    Safe(t) <- Requested(t), ToolRisk(t, r), Granted(l), (r <= l);
    Denied(t) <- Requested(t), Blocked(t);
    Denied(t) <- Requested(t), ToolKind(t, k), Incident(k, s), (s >= 3);
    Denied(t) <- Requested(t), FailedTool(t), ToolRisk(t, r), (r >= 4);
    NeedsAny(t) <- NeedsRole(t, _);
    RoleOk(t) <- Requested(t), !NeedsAny(t);
    RoleOk(t) <- Requested(t), NeedsRole(t, r), Role(r);
    Allow(t) <- Safe(t), RoleOk(t), !Denied(t);
    Approval(t) <- Requested(t), !Allow(t), !Denied(t);
    NotAll(1) <- Requested(t), !Allow(t);
    Autonomous(1) <- Granted(l), (l >= 2), !NotAll(1);
}

pub fn start(policy: &Policy) -> Decide {
    let p = policy.clone();
    Box::new(move |r| {
        let mut c = Crepe::new();
        c.extend(p.level.iter().map(|&a| Level(a)));
        c.extend(p.level_req.iter().map(|&(a, b, d)| LevelReq(a, b, d)));
        c.extend(p.tool_risk.iter().map(|&(a, b)| ToolRisk(a, b)));
        c.extend(p.tool_kind.iter().map(|&(a, b)| ToolKind(a, b)));
        c.extend(p.safe_tool.iter().map(|&a| SafeTool(a)));
        c.extend(p.banned.iter().map(|&a| Banned(a)));
        c.extend(p.depends.iter().map(|&(a, b)| Depends(a, b)));
        c.extend(p.needs_role.iter().map(|&(a, b)| NeedsRole(a, b)));
        c.extend(r.metric.iter().map(|&(a, b)| Metric(a, b)));
        c.extend(r.run.iter().map(|&(a, b)| Run(a, b)));
        c.extend(r.role.iter().map(|&a| Role(a)));
        c.extend(r.requested.iter().map(|&a| Requested(a)));
        c.extend(r.incident.iter().map(|&(a, b)| Incident(a, b)));
        let (granted, denied, allow, approval, autonomous) = c.run_with_hasher::<ahash::RandomState>();
        Out {
            granted: granted.into_iter().next().unwrap().0,
            allow: mask(allow.into_iter().map(|x| x.0)),
            denied: mask(denied.into_iter().map(|x| x.0)),
            approval: mask(approval.into_iter().map(|x| x.0)),
            autonomous: !autonomous.is_empty(),
        }
    })
}
