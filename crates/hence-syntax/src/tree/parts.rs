//! The parts of literals by their role: who only collects them asks here, so that a new form of literal is answered for
//! once.

use super::{Args, Atom, Expr, Literal, LiteralKind};

impl Literal {
    /// The atom, negated or not.
    pub fn atom(&self) -> Option<&Atom> {
        match &self.kind {
            LiteralKind::Atom { atom, .. } => Some(atom),
            LiteralKind::Condition(_) | LiteralKind::In(..) | LiteralKind::Aggregate(_) => None,
        }
    }

    /// The body of its own that it has, as an aggregate does.
    pub fn inner(&self) -> &[Self] {
        match &self.kind {
            LiteralKind::Aggregate(of) => &of.body,
            LiteralKind::Atom { .. } | LiteralKind::Condition(_) | LiteralKind::In(..) => &[],
        }
    }

    /// The expressions outside the body of its own, in the order of the text.
    pub fn exprs(&self) -> Box<dyn Iterator<Item = &Expr> + '_> {
        match &self.kind {
            LiteralKind::Atom { atom, .. } => atom.exprs(),
            LiteralKind::Condition(expr) => Box::new(std::iter::once(expr)),
            LiteralKind::In(left, right) => Box::new([left, right].into_iter()),
            LiteralKind::Aggregate(of) => Box::new(std::iter::once(&of.target)),
        }
    }

    /// Its expressions, then those of the body of its own with the arguments over it.
    pub fn exprs_within(&self) -> Box<dyn Iterator<Item = &Expr> + '_> {
        let args: &[Expr] = match &self.kind {
            LiteralKind::Aggregate(of) => &of.args,
            LiteralKind::Atom { .. } | LiteralKind::Condition(_) | LiteralKind::In(..) => &[],
        };
        Box::new(self.exprs().chain(args).chain(self.inner().iter().flat_map(Self::exprs_within)))
    }
}

impl Atom {
    /// The expressions in it, in order.
    pub fn exprs(&self) -> Box<dyn Iterator<Item = &Expr> + '_> {
        match &self.args {
            Args::Positional(args) => Box::new(args.iter()),
            Args::Named(args) => Box::new(args.iter().map(|(_, expr)| expr)),
        }
    }
}
