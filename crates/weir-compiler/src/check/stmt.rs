//! Checks statements.

use weir_syntax::{Diagnostic, Span, ast};

use super::scope::Symbol;
use super::{Checker, Place};
use crate::hir::{
    self, ApplyResult, Block, Expr, ExprKind, IfLink, ItemKind, Stmt, StmtKind, Type, TypeId, Types, VarKind,
};

impl Checker<'_> {
    /// Checks a block in a new scope.
    pub(super) fn block(&mut self, block: &ast::Block) -> Block {
        let annotations = self.annotations(&block.annotations, ItemKind::Block, block.span);
        let stmts = self.in_scope(|c| c.statements(&block.statements));
        Block { stmts, annotations }
    }

    /// Checks statements in the current scope.
    pub(super) fn statements(&mut self, written: &[ast::Stmt]) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        for stmt in written {
            self.statement(stmt, &mut stmts);
        }
        self.check_reachable(&stmts);
        stmts
    }

    /// Checks a statement and appends it after the statements that its expressions need first.
    fn statement(&mut self, stmt: &ast::Stmt, into: &mut Vec<Stmt>) {
        let checked = self.statement_kind(stmt);
        into.append(&mut self.context.before);
        if let Some(kind) = checked {
            into.push(Stmt { kind, span: stmt.span });
        }
    }

    /// Checks a body, which may be a single statement without braces.
    pub(super) fn body(&mut self, stmt: &ast::Stmt) -> Block {
        match &stmt.kind {
            ast::StmtKind::Block(block) => self.block(block),
            _ => {
                let stmts = self.in_scope(|c| c.statements(std::slice::from_ref(stmt)));
                Block { stmts, annotations: hir::Annotations::default() }
            }
        }
    }

    /// Returns `None` for statements without effect and for invalid ones.
    fn statement_kind(&mut self, stmt: &ast::Stmt) -> Option<StmtKind> {
        let span = stmt.span;
        let in_parser = self.context.place == Place::ParserState;
        Some(match &stmt.kind {
            ast::StmtKind::Empty => return None,
            ast::StmtKind::Block(block) => StmtKind::Block(self.block(block)),
            ast::StmtKind::Declaration(declaration) => return self.local_declaration(declaration),
            ast::StmtKind::Assign(assign) => return self.assignment(assign),
            ast::StmtKind::Call(call) => return self.call_statement(call),
            ast::StmtKind::DirectApplication(direct) => {
                let target = self.resolve_with_wildcards(&direct.ty);
                let call = self.direct_application(target, direct.ty.span, &direct.args, span);
                return self.effect_stmt(call);
            }
            ast::StmtKind::If(chain) => {
                let mut links = Vec::new();
                for link in &chain.links {
                    let condition = self.condition(&link.condition);
                    let then = self.body(&link.then);
                    links.push(IfLink { condition, then, span: link.span });
                }
                let otherwise = chain.otherwise.as_ref().map(|otherwise| self.body(otherwise));
                StmtKind::If { links, otherwise }
            }
            ast::StmtKind::Switch(_) if in_parser => {
                self.misplaced_statement("switch", span);
                return None;
            }
            ast::StmtKind::Switch(switch) => return self.switch(switch),
            ast::StmtKind::For(written) => return Some(self.for_loop(written, span)),
            ast::StmtKind::ForIn(written) => return self.for_in_loop(written, span),
            ast::StmtKind::Return(_) if in_parser => {
                self.misplaced_statement("return", span);
                return None;
            }
            ast::StmtKind::Return(value) => return self.return_statement(value.as_deref(), span),
            ast::StmtKind::Exit => {
                if matches!(self.context.place, Place::ParserState | Place::Function) {
                    self.misplaced_statement("exit", span);
                    return None;
                }
                StmtKind::Exit
            }
            ast::StmtKind::Break | ast::StmtKind::Continue => {
                let is_break = matches!(stmt.kind, ast::StmtKind::Break);
                if self.context.loops == 0 {
                    let word = if is_break { "break" } else { "continue" };
                    let diagnostic =
                        Diagnostic::error("misplaced-statement", format!("`{word}` outside a loop"))
                            .primary(span, "not inside a loop");
                    self.report(diagnostic);
                    return None;
                }
                if is_break { StmtKind::Break } else { StmtKind::Continue }
            }
        })
    }

    fn local_declaration(&mut self, declaration: &ast::Declaration) -> Option<StmtKind> {
        let name = declaration.name.as_ref()?;
        match &declaration.kind {
            ast::DeclKind::Variable(variable) => {
                let (var, init) = self.variable(declaration, name, variable)?;
                Some(StmtKind::Declare { var, init })
            }
            ast::DeclKind::Constant(constant) => {
                self.constant(declaration, name, constant, Some("constant"));
                None
            }
            ast::DeclKind::Instantiation(instance) => {
                // An instantiation is always an error among statements. Check its parts anyway, to
                // report the errors inside them.
                self.instantiation(declaration, name, instance, None);
                None
            }
            _ => {
                let diagnostic =
                    Diagnostic::error("misplaced-declaration", format!("`{name}` cannot be declared here"))
                        .primary(
                            name.span,
                            "only variables and constants can be declared in a statement block",
                        );
                self.report(diagnostic);
                self.declare(name, Symbol::Poison, None);
                None
            }
        }
    }

    /// Checks and declares `T x = e;` of a block or statement list.
    pub(super) fn variable(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        variable: &ast::VariableDecl,
    ) -> Option<(hir::VarId, Option<Expr>)> {
        let ty = self.variable_type(&variable.ty);
        let init = variable.init.as_ref();
        let init = self.for_type(&variable.ty, ty, |c| init.map(|init| c.expr_of_type(init, ty)));
        if ty == Types::POISON {
            self.declare(name, Symbol::Poison, None);
            return None;
        }
        let annotations = self.annotations_of(declaration, ItemKind::Variable);
        let hir_name = self.hir_name(name);
        let var = self.program.vars.push(hir::Var { name: hir_name, ty, kind: VarKind::Local, annotations });
        self.record_var_alias(var, &variable.ty);
        self.declare(name, Symbol::Var(var), Some("variable"));
        Some((var, init))
    }

    pub(super) fn variable_type(&mut self, written: &ast::TypeRef) -> TypeId {
        let ty = self.resolve_type(written);
        if self.is_value_type(ty) {
            return ty;
        }
        let message = format!("a variable cannot have type {}", self.show(ty));
        let mut diagnostic = Diagnostic::error("bad-variable-type", message)
            .primary(written.span, "this type has no run-time values");
        match &self.program.types[ty] {
            Type::Int => diagnostic = diagnostic.note("give it a width, as in `bit<32>` or `int<32>`"),
            Type::Extern { .. } | Type::Parser { .. } | Type::Control { .. } | Type::Package { .. } => {
                diagnostic = diagnostic.note("use parentheses to declare an instance: `T(...) name;`");
            }
            _ => {}
        }
        self.report(diagnostic);
        Types::POISON
    }

    /// Checks an assignment.
    fn assignment(&mut self, assign: &ast::AssignStmt) -> Option<StmtKind> {
        let target = self.expr(&assign.target, None);
        // The parser has already reported targets that can never be assigned to, such as calls.
        let is_place = matches!(
            assign.target.kind,
            ast::ExprKind::Name(_)
                | ast::ExprKind::Member(_)
                | ast::ExprKind::Index(_)
                | ast::ExprKind::Slice(_)
                | ast::ExprKind::PlusSlice(_)
        );
        if target.ty == Types::POISON || !is_place {
            self.expr(&assign.value, None);
            return None;
        }
        let Some(op) = assign.op else {
            let value = self.for_place(&target, |c| c.expr_of_type(&assign.value, target.ty));
            if !self.assignable(&target) || value.ty == Types::POISON {
                return None;
            }
            return Some(StmtKind::Assign { target, value });
        };
        let value = self.expr(&assign.value, Some(target.ty));
        if !self.assignable(&target) || value.ty == Types::POISON {
            return None;
        }
        let target = self.evaluated_once(target);
        let ty = target.ty;
        let value = self.compound(op, assign.op_span, target.clone(), value);
        let value = self.coerce(value, ty);
        (value.ty != Types::POISON).then_some(StmtKind::Assign { target, value })
    }

    /// Returns whether a value can be assigned to an expression; reports why not.
    fn assignable(&mut self, target: &Expr) -> bool {
        if !self.writable(target, "assigned to") {
            return false;
        }
        if self.is_value_type(target.ty) {
            return true;
        }
        let message = format!("a value of type {} cannot be assigned to", self.show(target.ty));
        self.report(
            Diagnostic::error("not-assignable", message)
                .primary(target.span, "this type has no run-time values"),
        );
        false
    }

    /// Returns the place with its impure indices stored in fresh variables, so that it can be
    /// evaluated twice.
    fn evaluated_once(&mut self, place: Expr) -> Expr {
        let (ty, span) = (place.ty, place.span);
        let inner = |c: &mut Self, base: Box<Expr>| Box::new(c.evaluated_once(*base));
        let kind = match place.kind {
            ExprKind::Field { base, field } => ExprKind::Field { base: inner(self, base), field },
            ExprKind::TupleElement { base, index } => {
                ExprKind::TupleElement { base: inner(self, base), index }
            }
            ExprKind::Slice { base, high, low } => ExprKind::Slice { base: inner(self, base), high, low },
            ExprKind::Index { base, index } => {
                ExprKind::Index { base: inner(self, base), index: Box::new(self.save_value(*index)) }
            }
            ExprKind::IndexedSlice { base, low, width } => ExprKind::IndexedSlice {
                base: inner(self, base),
                low: Box::new(self.save_value(*low)),
                width,
            },
            other => other,
        };
        Expr { kind, ty, span }
    }

    fn save_value(&mut self, value: Expr) -> Expr {
        if !matches!(self.program.types[value.ty], Type::Bits { .. }) || is_pure(&value) {
            return value;
        }
        let (ty, span) = (value.ty, value.span);
        let name = hir::Name { text: "$index".to_owned(), span };
        let annotations = hir::Annotations::default();
        let var = self.program.vars.push(hir::Var { name, ty, kind: VarKind::Local, annotations });
        self.context.before.push(Stmt { kind: StmtKind::Declare { var, init: Some(value) }, span });
        Expr { kind: ExprKind::Var(var), ty, span }
    }

    fn call_statement(&mut self, call: &ast::Expr) -> Option<StmtKind> {
        let checked = self.expr(call, None);
        self.effect_stmt(checked)
    }

    /// Converts an expression that is evaluated for its effect to a statement.
    fn effect_stmt(&mut self, expr: Expr) -> Option<StmtKind> {
        match expr.kind {
            ExprKind::Call(call) => Some(StmtKind::Call(*call)),
            ExprKind::Apply {
                table,
                result: ApplyResult::Nothing | ApplyResult::Hit | ApplyResult::Miss,
            } => Some(StmtKind::ApplyTable(table)),
            ExprKind::Poison => None,
            _ => {
                let diagnostic = Diagnostic::warning("no-effect", "this statement has no effect")
                    .primary(expr.span, "the value of this expression is not used");
                self.report(diagnostic);
                None
            }
        }
    }

    fn return_statement(&mut self, value: Option<&ast::Expr>, span: Span) -> Option<StmtKind> {
        let wanted = self.context.return_type;
        match value {
            None if wanted == Types::VOID || wanted == Types::POISON => Some(StmtKind::Return(None)),
            None => {
                let message = format!("missing return value: this function returns {}", self.show(wanted));
                self.report(Diagnostic::error("missing-return", message).primary(span, "expected a value"));
                None
            }
            Some(value) if wanted == Types::VOID => {
                let message = if self.context.place == Place::Function {
                    "this function returns nothing"
                } else {
                    "`return` with a value is allowed only in functions"
                };
                self.expr(value, None);
                let diagnostic = Diagnostic::error("unexpected-return-value", message)
                    .primary(value.span, "remove this value");
                self.report(diagnostic);
                None
            }
            Some(value) => {
                let value = self.expr_of_type(value, wanted);
                Some(StmtKind::Return(Some(value)))
            }
        }
    }
}

/// Returns whether evaluating an expression twice is equivalent to evaluating it once.
fn is_pure(expr: &Expr) -> bool {
    if matches!(
        expr.kind,
        ExprKind::Call(_) | ExprKind::Apply { .. } | ExprKind::StackNext(_) | ExprKind::StackLast(_)
    ) {
        return false;
    }
    let mut pure = true;
    expr.operands(|operand| pure = pure && is_pure(operand));
    pure
}
