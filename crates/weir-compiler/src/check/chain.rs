//! Checks chains of binary operators. A chain of many operands, such as a long sum, becomes a tree
//! of small height, because all later stages are recursive.

use weir_syntax::{Span, ast};

use super::Checker;
use super::constant::{evaluate, literal};
use super::operator::{Operation, make, operator};
use crate::hir::{BinaryOp, Expr, ExprKind, Type, TypeId, Types};

/// Operands of operators that may be grouped in any way, each with the operator before it. (The
/// operator of the first operand in a sum is `+`.)
pub(super) type Terms = Vec<(BinaryOp, Expr)>;

impl Checker<'_> {
    /// Checks a chain of operators. `wanted` is a hint for its type.
    pub(super) fn chain(&mut self, written: &ast::ChainExpr, wanted: Option<TypeId>, span: Span) -> Expr {
        let mut hints = Vec::with_capacity(written.links.len());
        let mut wanted = wanted;
        for link in written.links.iter().rev() {
            wanted = self.operand_hint(operator(link.op), wanted);
            hints.push(wanted);
        }
        let mut left = self.expr(&written.first, wanted);
        for run in written.runs() {
            let rest = hints.len() - run.len();
            // Parentheses around the chain belong to the chain, not to its last operator.
            let whole = if rest == 0 { Some(span) } else { None };
            left = self.group_chain(left, run, hints.drain(rest..).rev(), whole);
        }
        left
    }

    /// Returns the type that the operands of an operator are likely to have. The expected type of
    /// the result applies only if the operands have the same type as the result.
    fn operand_hint(&self, op: BinaryOp, wanted: Option<TypeId>) -> Option<TypeId> {
        match op {
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => Some(Types::BOOL),
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => None,
            BinaryOp::Concat | BinaryOp::Shl | BinaryOp::Shr => None,
            _ => wanted.filter(|&ty| !matches!(self.program.types[ty], Type::Bool)),
        }
    }

    /// Checks operators whose operands may be grouped in any way. `whole` is the place of the
    /// result, if it differs from the last operator's.
    fn group_chain(
        &mut self,
        first: Expr,
        links: &[ast::ChainLink],
        hints: impl Iterator<Item = Option<TypeId>>,
        whole: Option<Span>,
    ) -> Expr {
        let (mut ty, mut span) = (first.ty, first.span);
        let mut terms = Terms::from([(BinaryOp::Add, first)]);
        for (position, (link, hint)) in links.iter().zip(hints).enumerate() {
            let is_last = position + 1 == links.len();
            let place = whole.filter(|_| is_last).unwrap_or(link.span);
            let op = operator(link.op);
            let compared = matches!(op, BinaryOp::Eq | BinaryOp::Ne) && ty != Types::POISON;
            let right = self.expr(&link.operand, if compared { Some(ty) } else { hint });
            if ty == Types::POISON || right.ty == Types::POISON {
                terms = Terms::from([(op, self.poison_expr(place))]);
                ty = Types::POISON;
                continue;
            }
            // A number without a width gets the width of the other operand.
            if ty == Types::INT && right.ty != ty {
                terms = self.group_terms(terms).map(|whole| (op, whole)).into_iter().collect();
            }
            let left = match &terms[..] {
                [_] => terms.pop().map_or_else(|| self.poison_expr(span), |(_, only)| only),
                _ => placeholder(op, ty, span),
            };
            let operation = Operation { symbol: link.op.symbol(), op_span: link.op_span, span: place };
            let mut joined = self.operation(op, left, right, operation);
            (ty, span) = (joined.ty, place);
            if !is_last {
                joined = self.folded_constant(joined);
            }
            match joined.kind {
                ExprKind::Binary(op, left, right) => {
                    if terms.is_empty() {
                        terms.push((if op == BinaryOp::Sub { BinaryOp::Add } else { op }, *left));
                    }
                    terms.push((op, *right));
                }
                _ => terms = Terms::from([(op, joined)]),
            }
        }
        let joined = match terms.len() {
            // The type of a comparison differs from the type of its operands.
            2 => terms.into_iter().reduce(|(_, left), (op, right)| (op, make(op, left, right, ty, span))),
            _ => self.group_terms(terms).map(|whole| (BinaryOp::Add, whole)),
        };
        joined.map_or_else(|| self.poison_expr(span), |(_, joined)| Expr { span, ..joined })
    }

    /// Replaces a constant without a width by its value, so that the value is not computed again
    /// for each further operand.
    fn folded_constant(&self, joined: Expr) -> Expr {
        if joined.ty != Types::INT {
            return joined;
        }
        match evaluate(&self.program, &joined) {
            Some(value) => literal(&self.program, value, joined),
            None => joined,
        }
    }

    /// Joins all terms to a tree; `None` if there are no terms.
    fn group_terms(&mut self, terms: Terms) -> Option<Expr> {
        let count = terms.len();
        let whole = group(&mut terms.into_iter(), count, &mut |op, left, right| {
            let span = left.span.to(right.span);
            let ty = match (op, &self.program.types[left.ty], &self.program.types[right.ty]) {
                (BinaryOp::Concat, &Type::Bits { signed, width: high }, &Type::Bits { width: low, .. }) => {
                    self.bits_type(signed, u64::from(high) + u64::from(low), span)
                }
                _ => left.ty,
            };
            Some(make(op, left, right, ty, span))
        });
        whole.map(|(_, whole)| whole)
    }
}

/// Returns a placeholder for operands that are joined later. It has their type and place.
fn placeholder(op: BinaryOp, ty: TypeId, span: Span) -> Expr {
    let operand = || Expr { kind: ExprKind::Poison, ty, span };
    make(op, operand(), operand(), ty, span)
}

/// Joins `count` terms to one term, in groups of bounded height. The operator of the result is that
/// before the first term. Returns `None` if there are fewer terms, or if `join` fails.
pub(super) fn group(
    terms: &mut impl Iterator<Item = (BinaryOp, Expr)>,
    count: usize,
    join: &mut impl FnMut(BinaryOp, Expr, Expr) -> Option<Expr>,
) -> Option<(BinaryOp, Expr)> {
    if count > ast::ChainExpr::GROUP {
        let left = group(terms, count / 2, join)?;
        let right = group(terms, count - count / 2, join)?;
        return join_groups(left, right, join);
    }
    let mut left = terms.next()?;
    for right in terms.by_ref().take(count.saturating_sub(1)) {
        left = join_groups(left, right, join)?;
    }
    Some(left)
}

/// Joins two groups. In a sum, the first term of each group is added within the group: `a - (b -
/// c)` is the same as `a - b + c`.
fn join_groups(
    (first, left): (BinaryOp, Expr),
    (op, right): (BinaryOp, Expr),
    join: &mut impl FnMut(BinaryOp, Expr, Expr) -> Option<Expr>,
) -> Option<(BinaryOp, Expr)> {
    let between = match op {
        BinaryOp::Add | BinaryOp::Sub if op == first => BinaryOp::Add,
        BinaryOp::Add | BinaryOp::Sub => BinaryOp::Sub,
        op => op,
    };
    Some((first, join(between, left, right)?))
}
