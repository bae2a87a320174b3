//! `if` with its `else if` chain.
//!
//! In the IR, an `else if` is an `if` inside the `else` of another. A long chain would nest
//! statements too deeply for recursive code, so it becomes several shorter chains in a row, with a
//! variable that says whether no earlier branch was taken.

use weir_ir::{Block, Loc, StmtKind, Type};

use super::fold;
use super::{Lowered, Lowerer};
use crate::hir::{self, IfLink};

/// The maximum number of nested links of a chain. Inside a chain, the limit is half of that, down
/// to [`MIN_LINKS`]: statements nest at most 128 deep in the source, so the chains around a
/// statement nest about 2 × 128 + 2 × 128 deep.
const MAX_LINKS: usize = 128;
const MIN_LINKS: usize = 2;

impl Lowerer<'_> {
    pub(super) fn if_chain(
        &mut self,
        links: &[IfLink],
        otherwise: Option<&hir::Block>,
        stmt: &hir::Stmt,
    ) -> Lowered<()> {
        if self.needs_states(std::slice::from_ref(stmt)) {
            return self.branch_between_states(links, otherwise);
        }
        let most = MAX_LINKS.checked_shr(self.cx.chains).unwrap_or(0).max(MIN_LINKS);
        self.cx.chains += 1;
        let result = self.if_pieces(links, otherwise, most);
        self.cx.chains -= 1;
        result
    }

    fn if_pieces(
        &mut self,
        mut links: &[IfLink],
        otherwise: Option<&hir::Block>,
        most: usize,
    ) -> Lowered<()> {
        if links.len() <= most {
            return self.if_links(links, &mut |this| this.else_block(otherwise));
        }
        let untaken = self.temporary_var(Type::Bool);
        let mut piece;
        (piece, links) = links.split_at(most);
        self.without_location(|this| this.set(untaken, fold::boolean(false)));
        let mut reached = false;
        self.if_links(piece, &mut |this| {
            reached = true;
            this.without_location(|this| this.set(untaken, fold::boolean(true)));
            Ok(())
        })?;
        // A condition that is always true ends the chain.
        while reached && !links.is_empty() {
            reached = false;
            (piece, links) = links.split_at(most.min(links.len()));
            let is_last = links.is_empty();
            let ((), body) = self.collect(|this| {
                this.without_location(|this| this.set(untaken, fold::boolean(false)));
                this.if_links(piece, &mut |this| {
                    reached = true;
                    if is_last {
                        return this.else_block(otherwise);
                    }
                    this.without_location(|this| this.set(untaken, fold::boolean(true)));
                    Ok(())
                })
            })?;
            let condition = fold::var(untaken, Type::Bool);
            let kind = StmtKind::If { condition, then: Block(body), otherwise: Block::default() };
            self.without_location(|this| this.emit(kind));
        }
        Ok(())
    }

    /// Lowers links to nested statements; `last` lowers what follows if no condition is true.
    fn if_links(&mut self, links: &[IfLink], last: &mut dyn FnMut(&mut Self) -> Lowered<()>) -> Lowered<()> {
        let Some((link, later)) = links.split_first() else { return last(self) };
        let loc = self.loc(link.span);
        self.cx.loc = loc;
        let condition = self.scalar(&link.condition)?;
        match fold::as_bool(&condition) {
            Some(true) => return self.block(&link.then),
            Some(false) => return self.if_links(later, last),
            None => {}
        }
        let then = self.nested_block(&link.then);
        let otherwise = self.collect(|this| this.if_links(later, last));
        self.cx.loc = loc;
        self.emit(StmtKind::If { condition, then: then?, otherwise: Block(otherwise?.1) });
        Ok(())
    }

    pub(super) fn else_block(&mut self, block: Option<&hir::Block>) -> Lowered<()> {
        block.map_or(Ok(()), |block| self.block(block))
    }

    /// Runs `emit` for statements that have no place in the source. Traces do not show such
    /// statements.
    fn without_location(&mut self, emit: impl FnOnce(&mut Self)) {
        let loc = std::mem::replace(&mut self.cx.loc, Loc::NONE);
        emit(self);
        self.cx.loc = loc;
    }
}
