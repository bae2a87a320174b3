//! Statements.

use weir_ir as ir;
use weir_ir::{Block, StmtKind};

use super::value::Value;
use super::{ATOMIC, Lowered, Lowerer};
use crate::hir;

impl Lowerer<'_> {
    /// Lowers the statements of a block. After an error, the remaining statements are still
    /// checked.
    pub(super) fn block(&mut self, block: &hir::Block) -> Lowered<()> {
        self.out.atomic |= block.annotations.contains(ATOMIC);
        self.statements(&block.stmts)
    }

    /// Lowers statements in order.
    pub(super) fn statements(&mut self, stmts: &[hir::Stmt]) -> Lowered<()> {
        let mut result = Ok(());
        for stmt in stmts {
            if self.is_unreachable() || self.is_too_large() {
                break;
            }
            let lowered = self.statement(stmt);
            if lowered.is_err() {
                result = lowered;
            }
        }
        result
    }

    /// Lowers a block to a separate list of statements.
    pub(super) fn nested_block(&mut self, block: &hir::Block) -> Lowered<Block> {
        self.collect(|this| this.block(block)).map(|((), stmts)| Block(stmts))
    }

    fn statement(&mut self, stmt: &hir::Stmt) -> Lowered<()> {
        self.count_code(1, stmt.span)?;
        let loc = self.loc(stmt.span);
        let outer = std::mem::replace(&mut self.cx.loc, loc);
        let result = self.statement_kind(stmt);
        self.cx.loc = outer;
        result
    }

    fn statement_kind(&mut self, stmt: &hir::Stmt) -> Lowered<()> {
        use hir::StmtKind as Kind;
        match &stmt.kind {
            Kind::Declare { var, init } => self.declare_local(*var, init.as_ref()),
            Kind::Assign { target, value } => {
                let place = self.place(target)?;
                let value = self.value(value)?;
                self.assign(&place, value, target.ty)
            }
            Kind::Call(call) => self.call(call, None).map(|_| ()),
            Kind::ApplyTable(table) => self.apply_table(*table, None, None, stmt.span),
            Kind::If { links, otherwise } => self.if_chain(links, otherwise.as_ref(), stmt),
            Kind::SwitchAction { table, cases, default } => {
                self.switch_action(*table, cases, default.as_ref(), stmt.span)
            }
            Kind::SwitchValue { subject, cases, default } => {
                self.switch_value(subject, cases, default.as_ref())
            }
            Kind::For { init, condition, update, body } => self.for_loop(init, condition, update, body),
            Kind::ForRange { var, low, high, body } => self.for_range(*var, low, high, body),
            Kind::ForEach { var, collection, body } => self.for_each(*var, collection, body),
            Kind::Break => {
                self.leave_loop(StmtKind::Break);
                Ok(())
            }
            Kind::Continue => {
                self.leave_loop(StmtKind::Continue);
                Ok(())
            }
            Kind::Return(value) => self.return_statement(value.as_ref()),
            Kind::Exit => {
                self.exit();
                Ok(())
            }
            Kind::Block(block) => self.block(block),
        }
    }

    /// Lowers the declaration of a variable. Storage is static, so the variable is reset where the
    /// code may run more than once.
    pub(super) fn declare_local(&mut self, var: hir::VarId, init: Option<&hir::Expr>) -> Lowered<()> {
        let declaration = &self.hir.vars[var];
        let outer = self.cx.loc;
        if !outer.is_some() {
            self.cx.loc = self.loc(declaration.name.span);
        }
        let lowered = self.initialise(var, init);
        self.cx.loc = outer;
        lowered
    }

    /// Lowers the declaration of a variable with its initializer.
    fn initialise(&mut self, var: hir::VarId, init: Option<&hir::Expr>) -> Lowered<()> {
        // The initializer may refer to an outer variable, but never to this one.
        let value = init.map(|init| self.value(init)).transpose()?;
        let store = self.declare(var)?;
        match value {
            Some(value) => self.store(&store, value),
            None => {
                if !self.cx.once {
                    self.reset_store(&store);
                }
                Ok(())
            }
        }
    }

    fn return_statement(&mut self, value: Option<&hir::Expr>) -> Lowered<()> {
        if let Some(expr) = value {
            let value = self.value(expr)?;
            if let Some(result) = self.cx.result.clone() {
                self.store(&result, value)?;
            } else if !matches!(value, Value::Nothing) {
                return self.unsupported(expr.span, "`return` with a value outside of a function");
            }
        }
        self.emit(StmtKind::Return);
        Ok(())
    }

    /// Lowers `body` as code that may run more than once.
    pub(super) fn repeatable_code<T>(&mut self, body: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        let once = std::mem::replace(&mut self.cx.once, false);
        let result = body(self);
        self.cx.once = once;
        result
    }

    /// Emits the assignment of `value` to the variable `var`.
    pub(super) fn set(&mut self, var: ir::VarId, value: ir::Expr) {
        self.emit(StmtKind::Assign(ir::Place::Var(var), value));
    }
}
