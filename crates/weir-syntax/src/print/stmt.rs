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
            self.write("\n");
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
            self.write(";");
        }
    }

    fn stmt_without_semicolon(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Empty => {}
            StmtKind::Block(block) => self.block(block),
            StmtKind::Declaration(declaration) => self.declaration_without_semicolon(declaration),
            StmtKind::Assign(assign) => {
                self.expr(&assign.target);
                self.write(" ");
                self.write(assign.op.map_or("", BinaryOp::symbol));
                self.write("= ");
                self.expr(&assign.value);
            }
            StmtKind::Call(call) => self.expr(call),
            StmtKind::DirectApplication(direct) => {
                self.ty(&direct.ty);
                self.write(".apply");
                self.arguments(&direct.args);
            }
            StmtKind::If(chain) => self.if_chain(chain),
            StmtKind::Switch(switch) => self.switch(switch),
            StmtKind::For(for_loop) => {
                self.annotations(&for_loop.annotations);
                self.write("for (");
                self.separated(&for_loop.init, Printer::stmt_without_semicolon);
                self.write("; ");
                self.expr(&for_loop.condition);
                self.write("; ");
                self.separated(&for_loop.update, Printer::stmt_without_semicolon);
                self.write(") ");
                self.stmt(&for_loop.body);
            }
            StmtKind::ForIn(for_in) => {
                self.annotations(&for_in.annotations);
                self.write("for (");
                self.annotations(&for_in.variable_annotations);
                self.ty(&for_in.ty);
                self.write(" ");
                self.write(&for_in.variable.text);
                self.write(" in ");
                match &for_in.collection {
                    ForCollection::Expr(expr) => self.expr(expr),
                    ForCollection::Range(first, last) => self.range(first, "..", last),
                }
                self.write(") ");
                self.stmt(&for_in.body);
            }
            StmtKind::Return(None) => self.write("return"),
            StmtKind::Return(Some(value)) => {
                self.write("return ");
                self.expr(value);
            }
            StmtKind::Exit => self.write("exit"),
            StmtKind::Break => self.write("break"),
            StmtKind::Continue => self.write("continue"),
        }
    }

    fn if_chain(&mut self, chain: &IfStmt) {
        for (number, link) in chain.links.iter().enumerate() {
            self.write(if number == 0 { "if (" } else { " else if (" });
            self.expr(&link.condition);
            self.write(") ");
            self.stmt(&link.then);
        }
        if let Some(otherwise) = &chain.otherwise {
            self.write(" else ");
            self.stmt(otherwise);
        }
    }

    fn switch(&mut self, switch: &SwitchStmt) {
        self.write("switch (");
        self.expr(&switch.subject);
        self.write(") ");
        self.open();
        for case in &switch.cases {
            self.indent();
            match &case.label {
                SwitchLabel::Default => self.write("default"),
                SwitchLabel::Expr(expr) => self.expr(expr),
            }
            self.write(":");
            if let Some(block) = &case.block {
                self.write(" ");
                self.block(block);
            }
            self.write("\n");
        }
        self.close();
    }

    pub(super) fn state(&mut self, state: &ParserState) {
        self.indent();
        self.annotations(&state.annotations);
        self.write("state ");
        self.write(&state.name.text);
        self.write(" ");
        self.open();
        self.statements(&state.statements);
        if let Some(transition) = &state.transition {
            self.indent();
            self.write("transition ");
            match &transition.kind {
                TransitionKind::Direct(name) => {
                    self.write(&name.text);
                    self.write(";");
                }
                TransitionKind::Select(select) => self.select(select),
            }
            self.write("\n");
        }
        self.close();
        self.write("\n");
    }

    fn select(&mut self, select: &SelectExpr) {
        self.write("select(");
        self.expr_list(&select.keys);
        self.write(") ");
        self.open();
        for case in &select.cases {
            self.indent();
            self.keyset(&case.keyset);
            self.write(": ");
            self.write(&case.state.text);
            self.write(";\n");
        }
        self.close();
    }

    pub(super) fn keyset(&mut self, keyset: &Keyset) {
        match &keyset.kind {
            KeysetKind::Default => self.write("default"),
            KeysetKind::DontCare => self.write("_"),
            KeysetKind::Value(value) => self.expr(value),
            KeysetKind::Mask(value, mask) => self.range(value, "&&&", mask),
            KeysetKind::Range(first, last) => self.range(first, "..", last),
            KeysetKind::Tuple(sets) => {
                self.write("(");
                self.separated(sets, Printer::keyset);
                self.write(")");
            }
        }
    }

    fn range(&mut self, first: &Expr, between: &str, last: &Expr) {
        self.expr(first);
        self.write(" ");
        self.write(between);
        self.write(" ");
        self.expr(last);
    }
}
