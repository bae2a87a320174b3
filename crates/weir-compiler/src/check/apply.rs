//! Checks `apply` of tables, parsers and controls.

use super::Checker;
use super::args::{Constant, Invocation};
use super::infer::Bindings;
use super::restrict::CalleeKind;
use crate::hir::{ApplyResult, Call, Callee, Expr, ExprKind, Type, Types};
use weir_syntax::{Span, ast};

impl Checker<'_> {
    pub(super) fn call_table(
        &mut self,
        table: crate::hir::TableId,
        name: &ast::Name,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        if name.as_str() != "apply" {
            let ty = self.program.types.intern(Type::Table(table));
            self.no_method(ty, name, &["apply"]);
            return self.poison_expr(span);
        }
        if !self.no_arguments(name, args, span) || !self.may_call(CalleeKind::Table, span) {
            return self.poison_expr(span);
        }
        let ty = self.program.types.intern(Type::ApplyResult(table));
        Expr { kind: ExprKind::Apply { table, result: ApplyResult::Nothing }, ty, span }
    }

    /// Checks `instance.apply(…)` of a parser or control.
    pub(super) fn apply_block(&mut self, object: Expr, args: &[ast::Argument], span: Span) -> Expr {
        let Some((is_parser, params, type_params, type_args)) = self.block_params(object.ty) else {
            return self.poison_expr(span);
        };
        let called = if is_parser { CalleeKind::Parser } else { CalleeKind::Control };
        if !self.may_call(called, span) {
            return self.poison_expr(span);
        }
        let (name, declared) = match &self.program.types[object.ty] {
            Type::Parser { decl, .. } => {
                (self.program.parsers[*decl].name.text.clone(), self.program.parsers[*decl].name.span)
            }
            Type::Control { decl, .. } => {
                (self.program.controls[*decl].name.text.clone(), self.program.controls[*decl].name.span)
            }
            Type::BlockType { decl, .. } => {
                let block = &self.program.block_types[*decl];
                (block.name.text.clone(), block.name.span)
            }
            _ => return self.poison_expr(span),
        };
        let checked = self.arguments(Invocation {
            name: &format!("{name}.apply"),
            declared,
            params: &params,
            object: (&type_params, &type_args),
            bindings: Bindings::new(&[]),
            args,
            result: Types::VOID,
            wanted: None,
            span,
            constant: Constant::Directionless,
        });
        let Some((args, _)) = checked else { return self.poison_expr(span) };
        let callee = if is_parser { Callee::ApplyParser(object) } else { Callee::ApplyControl(object) };
        let call = Call { callee, type_args: Vec::new(), args, span };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: Types::VOID, span }
    }
}
