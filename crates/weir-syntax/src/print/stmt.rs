//! Statements and parser states.

use super::Printer;
use crate::ast::*;

impl Printer {
    /// Prints `{ … }` with one statement per line, without newline at the end.
    pub(super) fn block(&mut self, block: &Block) {
        self.annotations(&block.annotations);
        self.open();
        self.statements(&block.statements);
        self.close();
    }

    fn statements(&mut self, list: &[Stmt]) {
        for statement in list {
            self.indent();
            self.stmt(statement);
            self.put("\n");
        }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        self.stmt_without_semicolon(stmt);
        let has_no_semicolon = matches!(
            stmt.kind,
            StmtKind::Block(_)
                | StmtKind::If(_)
                | StmtKind::Switch(_)
                | StmtKind::For(_)
                | StmtKind::ForIn(_)
        );
        if !has_no_semicolon {
            self.put(";");
        }
    }

    fn stmt_without_semicolon(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Block(block) => self.block(block),
            StmtKind::Declaration(declaration) => self.declaration_without_semicolon(declaration),
            StmtKind::Assign(assign) => {
                self.expr(&assign.target);
                self.put(" ");
                self.put(assign.op.map_or("", BinaryOp::symbol));
                self.put("= ");
                self.expr(&assign.value);
            }
            StmtKind::Call(call) => self.expr(call),
            StmtKind::DirectApplication(direct) => {
                self.ty(&direct.ty);
                self.put(".apply");
                self.arguments(&direct.args);
            }
            StmtKind::If(chain) => self.if_chain(chain),
            StmtKind::Switch(switch) => self.switch(switch),
            StmtKind::For(for_loop) => {
                self.annotations(&for_loop.annotations);
                self.put("for (");
                self.separated(&for_loop.init, Printer::stmt_without_semicolon);
                self.put("; ");
                self.expr(&for_loop.condition);
                self.put("; ");
                self.separated(&for_loop.update, Printer::stmt_without_semicolon);
                self.put(") ");
                self.stmt(&for_loop.body);
            }
            StmtKind::ForIn(for_in) => {
                self.annotations(&for_in.annotations);
                self.put("for (");
                self.annotations(&for_in.variable_annotations);
                self.ty(&for_in.ty);
                self.put(" ");
                self.put(&for_in.variable.text);
                self.put(" in ");
                match &for_in.collection {
                    ForCollection::Expr(expr) => self.expr(expr),
                    ForCollection::Range(first, last) => self.range(first, "..", last),
                }
                self.put(") ");
                self.stmt(&for_in.body);
            }
            StmtKind::Return(None) => self.put("return"),
            StmtKind::Return(Some(value)) => {
                self.put("return ");
                self.expr(value);
            }
            StmtKind::Exit => self.put("exit"),
            StmtKind::Break => self.put("break"),
            StmtKind::Continue => self.put("continue"),
        }
    }

    fn if_chain(&mut self, chain: &IfStmt) {
        for (number, link) in chain.links.iter().enumerate() {
            self.put(if number == 0 { "if (" } else { " else if (" });
            self.expr(&link.condition);
            self.put(") ");
            self.stmt(&link.then);
        }
        if let Some(otherwise) = &chain.otherwise {
            self.put(" else ");
            self.stmt(otherwise);
        }
    }

    fn switch(&mut self, switch: &SwitchStmt) {
        self.put("switch (");
        self.expr(&switch.subject);
        self.put(") ");
        self.open();
        for case in &switch.cases {
            self.indent();
            match &case.label {
                SwitchLabel::Default => self.put("default"),
                SwitchLabel::Expr(expr) => self.expr(expr),
            }
            self.put(":");
            if let Some(block) = &case.block {
                self.put(" ");
                self.block(block);
            }
            self.put("\n");
        }
        self.close();
    }

    pub(super) fn state(&mut self, state: &ParserState) {
        self.indent();
        self.annotations(&state.annotations);
        self.put("state ");
        self.put(&state.name.text);
        self.put(" ");
        self.open();
        self.statements(&state.statements);
        if let Some(transition) = &state.transition {
            self.indent();
            self.put("transition ");
            match &transition.kind {
                TransitionKind::Direct(name) => {
                    self.put(&name.text);
                    self.put(";");
                }
                TransitionKind::Select(select) => self.select(select),
            }
            self.put("\n");
        }
        self.close();
        self.put("\n");
    }

    fn select(&mut self, select: &SelectExpr) {
        self.put("select(");
        self.expr_list(&select.keys);
        self.put(") ");
        self.open();
        for case in &select.cases {
            self.indent();
            self.keyset(&case.keyset);
            self.put(": ");
            self.put(&case.state.text);
            self.put(";\n");
        }
        self.close();
    }

    pub(super) fn keyset(&mut self, keyset: &Keyset) {
        match &keyset.kind {
            KeysetKind::Default => self.put("default"),
            KeysetKind::DontCare => self.put("_"),
            KeysetKind::Value(value) => self.expr(value),
            KeysetKind::Mask(value, mask) => self.range(value, "&&&", mask),
            KeysetKind::Range(first, last) => self.range(first, "..", last),
            KeysetKind::Tuple(sets) => {
                self.put("(");
                self.separated(sets, Printer::keyset);
                self.put(")");
            }
        }
    }

    fn range(&mut self, first: &Expr, between: &str, last: &Expr) {
        self.expr(first);
        self.put(" ");
        self.put(between);
        self.put(" ");
        self.expr(last);
    }
}
