//! Checks calls: functions, actions, methods, built-in operations, `apply` and constructors.

use weir_syntax::{Diagnostic, Span, ast};

use super::args::{Constant, Invocation};
use super::infer::Bindings;
use super::method::size_measure;
use super::overload::{Overloads, callable_params, callable_span};
use super::restrict::CalleeKind;
use super::scope::{Callable, Symbol, TypeSymbol};
use super::types::Resolved;
use super::{Checker, Place};
use crate::hir::{Call, Callee, Expr, ExprKind, RecordKind, Type, TypeId, Types};

impl Checker<'_> {
    /// Checks a call, whatever it calls.
    pub(super) fn call(&mut self, call: &ast::CallExpr, wanted: Option<TypeId>, span: Span) -> Expr {
        match &call.callee.kind {
            ast::ExprKind::Name(path) => self.call_by_name(path, call, wanted, span),
            ast::ExprKind::Type(ty) => {
                let target = self.resolve_with_wildcards(ty);
                self.construct_expr(target, call, wanted, span)
            }
            ast::ExprKind::Member(member) => self.call_member(member, call, wanted, span),
            ast::ExprKind::Malformed => self.poison_expr(span),
            _ => {
                let diagnostic = Diagnostic::error("not-callable", "this expression cannot be called")
                    .primary(call.callee.span, "expected a function, action or method");
                self.report(diagnostic);
                self.poison_expr(span)
            }
        }
    }

    pub(super) fn call_by_name(
        &mut self,
        path: &ast::PathName,
        call: &ast::CallExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let name = &path.name;
        let resolved = self.resolve_name(name, path.global);
        match resolved {
            Some((Symbol::Callables(list), _)) => self.call_callable(name, &list, call, wanted, span),
            Some((Symbol::Type(symbol), _)) => {
                let target = match symbol {
                    _ if !call.type_args.is_empty() => {
                        let args = call.type_args.iter().map(|arg| self.type_argument(arg)).collect();
                        Resolved::Open { symbol, args }
                    }
                    symbol if self.type_params(symbol).is_empty() => {
                        Resolved::Complete(self.apply_type(symbol, Vec::new()))
                    }
                    symbol => Resolved::Open { symbol, args: Vec::new() },
                };
                self.construct_expr(target, call, wanted, span)
            }
            Some((Symbol::Poison, _)) => self.poison_expr(span),
            Some((Symbol::Table(_), declared)) => {
                let diagnostic =
                    Diagnostic::error("not-callable", format!("table `{name}` cannot be called"))
                        .primary(name.span, "tables are applied, not called")
                        .secondary(declared, "declared here")
                        .suggest(format!("apply it: `{name}.apply()`"), name.span.after(), ".apply");
                self.report(diagnostic);
                self.poison_expr(span)
            }
            Some((_, declared)) => {
                let diagnostic = Diagnostic::error("not-callable", format!("`{name}` cannot be called"))
                    .primary(name.span, "expected a function or action")
                    .secondary(declared, "declared here");
                self.report(diagnostic);
                self.poison_expr(span)
            }
            None => {
                if let Some(declared) = self.enclosing_declaration(name.as_str()) {
                    let diagnostic = Diagnostic::error("recursion", format!("`{name}` calls itself"))
                        .primary(name.span, "P4 does not allow recursion")
                        .secondary(declared, "declared here");
                    self.report(diagnostic);
                } else {
                    let callable = |symbol: &Symbol| matches!(symbol, Symbol::Callables(_));
                    self.unknown_name("unknown-name", "function or action", name, callable);
                }
                self.poison_expr(span)
            }
        }
    }

    pub(super) fn call_callable(
        &mut self,
        name: &ast::Name,
        list: &[Callable],
        call: &ast::CallExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let Some(chosen) = self.choose(name, Overloads::Callables(list), &call.args, span) else {
            return self.poison_expr(span);
        };
        let callable = list[chosen];
        let declared = callable_span(&self.program, callable);
        let candidate = callable_params(&self.program, callable).to_vec();
        let (type_params, result, callee, called, constant) = match callable {
            Callable::Function(id) => {
                let function = &self.program.functions[id];
                let (params, result) = (function.type_params.clone(), function.return_type);
                (params, result, Callee::Function(id), CalleeKind::Function, Constant::Directionless)
            }
            Callable::Extern(id) => {
                let function = &self.program.extern_functions[id].0;
                let (params, result) = (function.type_params.clone(), function.return_type);
                (params, result, Callee::ExternFunction(id), CalleeKind::Extern, Constant::Directionless)
            }
            Callable::Action(id) => {
                (Vec::new(), Types::VOID, Callee::Action(id), CalleeKind::Action, Constant::None)
            }
        };
        let static_assert = matches!(callee, Callee::ExternFunction(_)) && name.as_str() == "static_assert";
        let factory = matches!(self.program.types[result], Type::Extern { .. });
        if !static_assert && !factory && !self.may_call(called, span) {
            return self.poison_expr(span);
        }
        if name.as_str() == "verify"
            && matches!(callee, Callee::ExternFunction(_))
            && matches!(self.context.place, Place::ControlApply | Place::ControlLocals | Place::Action)
        {
            let diagnostic = Diagnostic::error("misplaced-call", "`verify` can be called only in a parser")
                .primary(span, "called outside a parser");
            self.report(diagnostic);
            return self.poison_expr(span);
        }
        let Some(bindings) = self.explicit_type_args(name, &type_params, &call.type_args, declared, span)
        else {
            return self.poison_expr(span);
        };
        let checked = self.arguments(Invocation {
            name: name.as_str(),
            declared,
            params: &candidate,
            object: (&[], &[]),
            bindings,
            args: &call.args,
            result,
            wanted,
            span,
            constant,
        });
        let Some((args, type_args)) = checked else { return self.poison_expr(span) };
        self.warn_if_deprecated(name, declared);
        let ty = self.program.types.substitute(result, &type_params, &type_args);
        let call = Call { callee, type_args, args, span };
        if static_assert {
            self.check_static_assert(&call);
        }
        Expr { kind: ExprKind::Call(Box::new(call)), ty, span }
    }

    pub(super) fn check_static_assert(&mut self, call: &Call) {
        let value = |arg: &crate::hir::Arg| match &arg.value {
            crate::hir::ArgValue::Expr(expr) => super::constant::evaluate(&self.program, expr),
            _ => None,
        };
        let condition = call.args.first().and_then(value);
        let message = call.args.get(1).and_then(value);
        let diagnostic = match condition {
            Some(super::constant::Value::Bool(true)) => return,
            Some(_) => {
                let text = match message {
                    Some(super::constant::Value::String(text)) => format!("static assertion failed: {text}"),
                    _ => "static assertion failed".to_owned(),
                };
                Diagnostic::error("static-assert", text).primary(call.span, "the condition is false")
            }
            None => Diagnostic::error(
                "not-constant",
                "the condition of a static assertion must be known at compile time",
            )
            .primary(call.span, "value not known at compile time"),
        };
        self.report(diagnostic);
    }

    pub(super) fn explicit_type_args(
        &mut self,
        name: &ast::Name,
        params: &[crate::hir::TypeVarId],
        written: &[ast::TypeRef],
        declared: Span,
        span: Span,
    ) -> Option<Bindings> {
        let mut bindings = Bindings::new(params);
        if written.is_empty() {
            return Some(bindings);
        }
        let wanted = self.named_type_params(params);
        if written.len() != wanted {
            let message = format!("`{name}` takes {wanted} type arguments, but {} were given", written.len());
            let diagnostic = Diagnostic::error("type-argument-count", message)
                .primary(span, "wrong number of type arguments")
                .secondary(declared, "declared here");
            self.report(diagnostic);
            return None;
        }
        for (slot, arg) in bindings.types.iter_mut().zip(written) {
            *slot = self.type_argument(arg);
            if *slot == Some(Types::POISON) {
                return None;
            }
        }
        Some(bindings)
    }

    pub(super) fn call_member(
        &mut self,
        member: &ast::MemberExpr,
        call: &ast::CallExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let name = &member.member;
        if let Some(symbol) = self.as_type_name(&member.base) {
            return self.call_type_member(member, symbol, call, span);
        }
        if let ast::ExprKind::Name(path) = &member.base.kind
            && let Some(Symbol::Table(_)) =
                self.scopes.resolve_unmarked(path.name.as_str()).map(|found| &found.symbol)
            && let Some((Symbol::Table(table), _)) = self.resolve_name(&path.name, path.global)
        {
            return self.call_table(table, name, &call.args, span);
        }
        if self.applies_later_table(member) {
            let _ = self.may_call(CalleeKind::Table, span);
            return self.poison_expr(span);
        }
        let measure = size_measure(name.as_str());
        // The operand of a size method is not evaluated (P4_16 section 9), so an index may be past
        // the end.
        let outer = std::mem::replace(&mut self.measuring, measure.is_some());
        let base = self.expr(&member.base, None);
        self.measuring = outer;
        if base.ty == Types::POISON {
            return self.poison_expr(span);
        }
        match (self.program.types[base.ty].clone(), measure) {
            (Type::Extern { decl, args }, _) => self.call_method(base, decl, &args, name, call, wanted, span),
            (_, Some(measure)) => self.size_expr(base.ty, measure, name, &call.args, span),
            (ty, None) => self.call_built_in(base, &ty, name, call, span),
        }
    }

    /// Returns whether an action applies a name that its control declares later. It can only be a
    /// table, and declaring it elsewhere would not help.
    fn applies_later_table(&mut self, member: &ast::MemberExpr) -> bool {
        let ast::ExprKind::Name(path) = &member.base.kind else { return false };
        let name = path.name.as_str();
        let is_later_table = self.context.place == Place::Action
            && member.member.as_str() == "apply"
            && self.scopes.resolve_unmarked(name).is_none()
            && self.later_here.contains_key(name);
        if is_later_table {
            self.used_before_declaration.insert(name.to_owned());
        }
        is_later_table
    }

    /// Checks a call of a method that the language defines for values of type `ty`.
    fn call_built_in(
        &mut self,
        base: Expr,
        ty: &Type,
        name: &ast::Name,
        call: &ast::CallExpr,
        span: Span,
    ) -> Expr {
        match ty {
            Type::Parser { .. } | Type::Control { .. } | Type::BlockType { .. }
                if name.as_str() == "apply" =>
            {
                self.apply_block(base, &call.args, span)
            }
            Type::Record { .. } if self.record_kind(base.ty) != Some(RecordKind::Struct) => {
                self.header_method(base, name, &call.args, span)
            }
            Type::Stack { .. } => self.stack_method(base, name, &call.args, span),
            _ => {
                self.no_method(base.ty, name, &[]);
                self.poison_expr(span)
            }
        }
    }

    pub(super) fn call_type_member(
        &mut self,
        member: &ast::MemberExpr,
        symbol: TypeSymbol,
        call: &ast::CallExpr,
        span: Span,
    ) -> Expr {
        if let ast::ExprKind::Name(path) = &member.base.kind {
            self.resolve_name(&path.name, path.global);
        }
        let name = &member.member;
        if name.as_str() == "apply" {
            let target = if self.type_params(symbol).is_empty() {
                Resolved::Complete(self.apply_type(symbol, Vec::new()))
            } else {
                Resolved::Open { symbol, args: Vec::new() }
            };
            return self.direct_application(target, member.base.span, &call.args, span);
        }
        match (size_measure(name.as_str()), symbol) {
            (Some(measure), TypeSymbol::Plain(ty)) => self.size_expr(ty, measure, name, &call.args, span),
            (_, TypeSymbol::Plain(ty))
                if matches!(self.program.types[ty], Type::Enum(_))
                    && size_measure(name.as_str()).is_none() =>
            {
                let member = self.member(member, span);
                if member.ty != Types::POISON {
                    let diagnostic = Diagnostic::error("not-callable", "an enum member cannot be called")
                        .primary(span, "not a function");
                    self.report(diagnostic);
                }
                self.poison_expr(span)
            }
            _ => {
                let message = format!("method `{name}` cannot be called on a type");
                let diagnostic = Diagnostic::error("unknown-method", message)
                    .primary(name.span, "expected an instance before the `.`")
                    .note("declare an instance of the type and call the method on it");
                self.report(diagnostic);
                self.poison_expr(span)
            }
        }
    }
}
