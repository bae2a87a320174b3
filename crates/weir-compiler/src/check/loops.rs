//! Checks loops.

use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::scope::Symbol;
use crate::hir::{self, ItemKind, StmtKind, Type, Types, VarKind};

impl Checker<'_> {
    pub(super) fn for_loop(&mut self, written: &ast::ForStmt, span: Span) -> StmtKind {
        self.annotations(&written.annotations, ItemKind::Loop, span);
        self.in_scope(|c| {
            let init = c.statements(&written.init);
            let condition = c.condition(&written.condition);
            let update = c.statements(&written.update);
            c.context.loops += 1;
            let body = c.body(&written.body);
            c.context.loops -= 1;
            StmtKind::For { init, condition, update, body }
        })
    }

    pub(super) fn for_in_loop(&mut self, written: &ast::ForInStmt, span: Span) -> Option<StmtKind> {
        self.annotations(&written.annotations, ItemKind::Loop, span);
        let ty = self.variable_type(&written.ty);
        let over = match &written.collection {
            ast::ForCollection::Range(low, high) => {
                Ok((self.expr_of_type(low, ty), self.expr_of_type(high, ty)))
            }
            ast::ForCollection::Expr(collection) => {
                let list = self.program.types.intern(Type::List(ty));
                Err(self.expr(collection, Some(list)))
            }
        };
        let element = match &over {
            Ok(_) => ty,
            Err(collection) => match self.program.types[collection.ty] {
                Type::List(element) | Type::Stack { element, .. } => element,
                Type::Poison => Types::POISON,
                _ => {
                    let message = format!("{} cannot be iterated over", self.show(collection.ty));
                    let diagnostic = Diagnostic::error("type-mismatch", message)
                        .primary(collection.span, "expected a list, array, header stack or range");
                    self.report(diagnostic);
                    Types::POISON
                }
            },
        };
        if element != ty && element != Types::POISON && ty != Types::POISON {
            let message = format!("the elements are of type {}, not {}", self.show(element), self.show(ty));
            self.report(
                Diagnostic::error("type-mismatch", message)
                    .primary(written.ty.span, "expected the type of the elements"),
            );
        }
        let annotations =
            self.annotations(&written.variable_annotations, ItemKind::Variable, written.variable.span);
        self.record_deprecated(&written.variable, &annotations, written.variable.span);
        let name = self.hir_name(&written.variable);
        let var = self.program.vars.push(hir::Var { name, ty, kind: VarKind::Local, annotations });
        let body = self.in_scope(|c| {
            let symbol = if ty == Types::POISON { Symbol::Poison } else { Symbol::Var(var) };
            c.declare(&written.variable, symbol, None);
            c.context.loops += 1;
            let body = c.body(&written.body);
            c.context.loops -= 1;
            body
        });
        if let (Ok((low, _)), false) = (&over, ty == Types::POISON)
            && low.ty != Types::POISON
            && !matches!(self.program.types[ty], Type::Bits { .. })
        {
            let message = format!("the bounds of a range must be numbers, not {}", self.show(ty));
            self.report(Diagnostic::error("type-mismatch", message).primary(written.ty.span, "not a number"));
            return None;
        }
        Some(match over {
            Ok((low, high)) => StmtKind::ForRange { var, low, high, body },
            Err(collection) => StmtKind::ForEach { var, collection, body },
        })
    }
}
