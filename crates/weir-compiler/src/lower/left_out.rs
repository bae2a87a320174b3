//! Tables that a control does not have, because constants decide against each application.
//!
//! Two tables of a control may have the same control-plane name if an argument of the constructor
//! decides which of them is applied.

use weir_ir as ir;

use super::context::Binding;
use super::scan::{self, Node};
use super::{Lowered, Lowerer, fold, names};
use crate::hir::{self, ExprKind, Local, StmtKind};

impl Lowerer<'_> {
    /// Lowers the local declarations of a control, without tables that it cannot apply if other
    /// tables have their names.
    pub(super) fn control_locals(&mut self, control: &hir::Control) -> Lowered<()> {
        let left_out = self.left_out(control);
        if left_out.is_empty() {
            return self.locals(&control.locals);
        }
        let is_kept = |local: &&Local| !matches!(local, Local::Table(table) if left_out.contains(table));
        let kept: Vec<Local> = control.locals.iter().filter(is_kept).cloned().collect();
        self.locals(&kept)
    }

    fn left_out(&mut self, control: &hir::Control) -> Vec<hir::TableId> {
        let tables: Vec<(hir::TableId, String)> = control
            .locals
            .iter()
            .filter_map(|local| match local {
                Local::Table(id) => {
                    let table = &self.hir.tables[*id];
                    Some((*id, names::control_plane("", &table.name.text, &table.annotations)))
                }
                _ => None,
            })
            .collect();
        let is_shared = |name: &str| tables.iter().filter(|(_, other)| other == name).count() > 1;
        let shared = tables.iter().filter(|(_, name)| is_shared(name));
        shared.map(|(id, _)| *id).filter(|id| !self.may_apply(&control.body.stmts, *id)).collect()
    }

    /// Returns whether constants allow statements to apply a table.
    fn may_apply(&mut self, stmts: &[hir::Stmt], table: hir::TableId) -> bool {
        stmts.iter().any(|stmt| match &stmt.kind {
            StmtKind::Block(block) => self.may_apply(&block.stmts, table),
            StmtKind::If { links, otherwise } => {
                for link in links {
                    if applies(&link.condition, table) {
                        return true;
                    }
                    match self.decided(&link.condition) {
                        Some(false) => {}
                        Some(true) => return self.may_apply(&link.then.stmts, table),
                        None if self.may_apply(&link.then.stmts, table) => return true,
                        None => {}
                    }
                }
                otherwise.as_ref().is_some_and(|block| self.may_apply(&block.stmts, table))
            }
            _ => mentions(stmt, table),
        })
    }

    /// Returns the value of a condition that literals and arguments of the constructor decide.
    fn decided(&mut self, condition: &hir::Expr) -> Option<bool> {
        let mut is_constant = true;
        scan::expressions(condition, &mut |expr| {
            is_constant &= match expr.kind {
                ExprKind::Var(var) => matches!(self.binding(var), Some(Binding::Value(_))),
                ExprKind::Bool(_)
                | ExprKind::Int(_)
                | ExprKind::Const(_)
                | ExprKind::EnumMember { .. }
                | ExprKind::Unary(..)
                | ExprKind::Binary(..)
                | ExprKind::Cast { .. } => true,
                _ => false,
            };
        });
        if !is_constant {
            return None;
        }
        let (value, stmts): (ir::Expr, _) = self.collect(|this| this.scalar(condition)).ok()?;
        fold::as_bool(&value).filter(|_| stmts.is_empty())
    }
}

/// Returns whether evaluating an expression applies a table.
fn applies(expr: &hir::Expr, table: hir::TableId) -> bool {
    let mut found = false;
    scan::expressions(expr, &mut |expr| {
        found |= matches!(expr.kind, ExprKind::Apply { table: applied, .. } if applied == table);
    });
    found
}

/// Returns whether a statement contains an application of a table.
fn mentions(stmt: &hir::Stmt, table: hir::TableId) -> bool {
    let mut found = false;
    scan::statements(std::slice::from_ref(stmt), &mut |node| {
        found |= match node {
            Node::Apply(applied) => applied == table,
            Node::Stmt(stmt) => match stmt.kind {
                StmtKind::ApplyTable(applied) | StmtKind::SwitchAction { table: applied, .. } => {
                    applied == table
                }
                _ => false,
            },
            Node::Call(_) => false,
        };
    });
    found
}
