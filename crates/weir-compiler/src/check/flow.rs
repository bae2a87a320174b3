//! Analyzes control flow: missing returns and unreachable code.

use weir_syntax::{Diagnostic, ast};

use super::Checker;
use crate::hir::{Block, Stmt, StmtKind};

impl Checker<'_> {
    /// Reports a function that has a return value but can end without `return`.
    pub(super) fn check_returns(&mut self, body: &Block, name: &ast::Name) {
        if block_leaves(body) || self.diagnostics_inside(body) {
            return;
        }
        let diagnostic =
            Diagnostic::error("missing-return", format!("`{name}` does not return a value on every path"))
                .primary(name.span, "some paths have no `return`");
        self.report(diagnostic);
    }

    /// Returns whether the body may lack its `return` only because invalid statements were dropped
    /// from it.
    fn diagnostics_inside(&self, body: &Block) -> bool {
        body.stmts.is_empty() && self.diagnostics.has_errors()
    }

    /// Warns about unreachable statements.
    pub(super) fn check_reachable(&mut self, stmts: &[Stmt]) {
        let Some(end) = stmts.iter().position(leaves) else { return };
        if let Some(next) = stmts.get(end + 1) {
            let diagnostic = Diagnostic::warning("unreachable-code", "unreachable statement")
                .primary(next.span, "")
                .secondary(stmts[end].span, "any code after this statement is unreachable")
                .note("remove the unreachable code, or make the exit conditional");
            self.report(diagnostic);
        }
    }
}

/// Returns whether control flow never reaches the end of the block.
fn block_leaves(block: &Block) -> bool {
    block.stmts.iter().any(leaves)
}

/// Returns whether a statement always leaves the statements after it.
fn leaves(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Exit | StmtKind::Break | StmtKind::Continue => true,
        StmtKind::Block(block) => block_leaves(block),
        StmtKind::If { links, otherwise } => {
            links.iter().all(|link| block_leaves(&link.then)) && otherwise.as_ref().is_some_and(block_leaves)
        }
        StmtKind::SwitchAction { cases, default, .. } => {
            cases.iter().all(|case| block_leaves(&case.body)) && default.as_ref().is_some_and(block_leaves)
        }
        StmtKind::SwitchValue { cases, default, .. } => {
            cases.iter().all(|case| block_leaves(&case.body)) && default.as_ref().is_some_and(block_leaves)
        }
        _ => false,
    }
}
