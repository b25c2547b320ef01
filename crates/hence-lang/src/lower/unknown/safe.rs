//! Bodies whose variables lost the literal that bound them: what then binds them, and in which order.

use std::collections::BTreeSet;

use crate::builtins::expr::VarId;
use crate::builtins::term::Variable;
use crate::ir::Literal;
use crate::lower::body::{equal, make, read};

/// Makes a body safe in which each variable is bound by something. In `Y = X + 1, q(X, Y)`, where nothing but `q` binds
/// `X` any more, the computation becomes a test: `q(X, Y), Y = X + 1`.
pub(super) fn make_safe(mut body: Vec<Literal>, variables: &mut Vec<Variable>) -> Vec<Literal> {
    while let Some(computed) = stuck(&body) {
        body = body.into_iter().flat_map(|literal| loosened(literal, &computed, variables)).collect();
    }
    body
}

/// The computed variables of the first positive atom that no order can match, if there is one.
fn stuck(body: &[Literal]) -> Option<BTreeSet<VarId>> {
    let computed: BTreeSet<VarId> = body.iter().filter_map(Literal::computed).collect();
    let (mut bound, mut open) = (BTreeSet::new(), body.iter().collect::<Vec<_>>());
    loop {
        let before = open.len();
        open.retain(|literal| {
            let ready = literal.can_follow(&bound, &computed);
            if ready {
                bound.extend(literal.binds());
            }
            !ready
        });
        if open.is_empty() || open.len() == before {
            break;
        }
    }
    let atom = open.into_iter().find_map(Literal::positive)?;
    Some(atom.vars().filter(|var| computed.contains(var) && !bound.contains(var)).collect())
}

/// A literal that computes one of the variables as one that tests it.
fn loosened(literal: Literal, computed: &BTreeSet<VarId>, variables: &mut Vec<Variable>) -> Vec<Literal> {
    match literal {
        Literal::Bind { var, expr, span } if computed.contains(&var) => {
            vec![equal(read(var, expr.ty, span), expr, span)]
        }
        Literal::Each { var, generator, args, span } if computed.contains(&var) => {
            let ty = generator.element();
            let element = make(variables, ty);
            let test = equal(read(var, ty, span), read(element, ty, span), span);
            vec![Literal::Each { var: element, generator, args, span }, test]
        }
        other => vec![other],
    }
}
