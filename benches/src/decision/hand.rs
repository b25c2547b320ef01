//! The rules by hand, on bits: the floor, and what all answers are compared with.

use super::{Decide, Out, Policy, Request, mask};

pub fn start(policy: &Policy) -> Decide {
    let policy = policy.clone();
    Box::new(move |request| decide(&policy, request))
}

fn granted(policy: &Policy, request: &Request) -> u32 {
    let mut metrics = [-1; 10];
    request.metric.iter().for_each(|&(metric, value)| metrics[metric as usize] = value);
    let short = policy.level_req.iter().filter(|(_, metric, least)| metrics[*metric as usize] < *least);
    let failing = mask(short.map(|row| row.0));
    let mut level = 0;
    while policy.level.contains(&(level + 1)) && failing >> (level + 1) & 1 == 0 {
        level += 1;
    }
    level
}

fn blocked(policy: &Policy) -> u64 {
    let mut blocked = mask(policy.banned.iter().copied());
    loop {
        let before = blocked;
        for &(tool, on) in &policy.depends {
            blocked |= (blocked >> on & 1) << tool;
        }
        if blocked == before {
            return blocked;
        }
    }
}

fn decide(policy: &Policy, request: &Request) -> Out {
    let granted = granted(policy, request);
    let requested = mask(request.requested.iter().copied());
    let failed = mask(request.run.iter().filter(|run| run.1 == 0).map(|run| run.0));
    let severe = mask(request.incident.iter().filter(|incident| incident.1 >= 3).map(|incident| incident.0));
    let roles = mask(request.role.iter().copied());
    let mut safe = mask(policy.safe_tool.iter().copied()) & requested;
    let mut denied = blocked(policy) & requested;
    for &(tool, risk) in &policy.tool_risk {
        let bit = requested & 1 << tool;
        safe |= if risk <= granted { bit } else { 0 };
        denied |= if risk >= 4 { bit & failed } else { 0 };
    }
    for &(tool, kind) in &policy.tool_kind {
        denied |= if severe >> kind & 1 == 1 { requested & 1 << tool } else { 0 };
    }
    let (mut needs, mut has) = (0, 0);
    for &(tool, role) in &policy.needs_role {
        needs |= 1 << tool;
        has |= (roles >> role & 1) << tool;
    }
    let allow = safe & requested & (!needs | has) & !denied;
    let approval = requested & !allow & !denied;
    Out { granted, allow, denied, approval, autonomous: granted >= 2 && requested & !allow == 0 }
}
