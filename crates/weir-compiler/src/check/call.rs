//! Calls of everything: functions, actions, methods, built-in operations, `apply`, constructors.

use num_traits::ToPrimitive;
use weir_syntax::{Diagnostic, Span, ast};

use super::args::{Constant, Invocation};
use super::infer::Bindings;
use super::restrict::Called;
use super::scope::{Callable, Symbol, TypeSymbol, nearest};
use super::types::Resolved;
use super::{Checker, Place};
use crate::hir::{
    ApplyResult, Call, Callee, Expr, ExprKind, ExternId, Param, RecordKind, SizeMeasure, Type, TypeId, Types,
};

impl Checker<'_> {
    pub(super) fn call(&mut self, call: &ast::CallExpr, wanted: Option<TypeId>, span: Span) -> Expr {
        match &call.callee.kind {
            ast::ExprKind::Name(path) => self.call_by_name(path, call, wanted, span),
            ast::ExprKind::Type(ty) => {
                let target = self.resolve_with_holes(ty);
                self.construct_expr(target, call, wanted, span)
            }
            ast::ExprKind::Member(member) => self.call_member(member, call, wanted, span),
            ast::ExprKind::Malformed => self.poison(span),
            _ => {
                let diagnostic = Diagnostic::error("not-callable", "this cannot be called")
                    .primary(call.callee.span, "expected a function, action or method");
                self.report(diagnostic);
                self.poison(span)
            }
        }
    }

    fn call_by_name(
        &mut self,
        path: &ast::PathName,
        call: &ast::CallExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let name = &path.name;
        let found = self.scopes.resolve(name.as_str(), path.global).map(|b| (b.symbol.clone(), b.span));
        match found {
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
            Some((Symbol::Poison, _)) => self.poison(span),
            Some((Symbol::Table(_), declared)) => {
                let diagnostic =
                    Diagnostic::error("not-callable", format!("table `{name}` cannot be called"))
                        .primary(name.span, "a table is applied")
                        .secondary(declared, "declared here")
                        .suggest("apply it", name.span.after(), ".apply");
                self.report(diagnostic);
                self.poison(span)
            }
            Some((_, declared)) => {
                let diagnostic = Diagnostic::error("not-callable", format!("`{name}` cannot be called"))
                    .primary(name.span, "expected a function or action")
                    .secondary(declared, "declared here");
                self.report(diagnostic);
                self.poison(span)
            }
            None => {
                if let Some(declared) = self.enclosing_declaration(name.as_str()) {
                    let diagnostic = Diagnostic::error("recursion", format!("`{name}` calls itself"))
                        .primary(name.span, "P4 has no recursion")
                        .secondary(declared, "inside of this");
                    self.report(diagnostic);
                } else {
                    let callable = |symbol: &Symbol| matches!(symbol, Symbol::Callables(_));
                    self.unknown_name("unknown-name", "function or action", name, callable);
                }
                self.poison(span)
            }
        }
    }

    /// One of several by the arguments; reports if none or several fit.
    pub(super) fn choose(
        &mut self,
        name: &ast::Name,
        candidates: &[Vec<Param>],
        declared: &[Span],
        args: &[ast::Argument],
        span: Span,
    ) -> Option<usize> {
        if candidates.len() == 1 {
            return Some(0);
        }
        let slices: Vec<&[Param]> = candidates.iter().map(Vec::as_slice).collect();
        let fitting = self.fitting(&slices, args);
        if let [only] = fitting.as_slice() {
            return Some(*only);
        }
        let message = if fitting.is_empty() {
            format!("no `{name}` takes these arguments")
        } else {
            format!("more than one `{name}` takes these arguments")
        };
        let mut diagnostic =
            Diagnostic::error("no-overload", message).primary(span, "by number and names of the arguments");
        for (params, &declared) in candidates.iter().zip(declared) {
            diagnostic =
                diagnostic.secondary(declared, format!("`{name}({})`", self.describe_params(params)));
        }
        self.report(diagnostic);
        None
    }

    fn call_callable(
        &mut self,
        name: &ast::Name,
        list: &[Callable],
        call: &ast::CallExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let candidates: Vec<Vec<Param>> = list.iter().map(|&c| self.callable_params(c).to_vec()).collect();
        let declared: Vec<Span> = list.iter().map(|&c| self.callable_span(c)).collect();
        let Some(chosen) = self.choose(name, &candidates, &declared, &call.args, span) else {
            return self.poison(span);
        };
        let callable = list[chosen];
        let (type_params, result, callee, called, constant) = match callable {
            Callable::Function(id) => {
                let function = &self.program.functions[id];
                let (params, result) = (function.type_params.clone(), function.return_type);
                (params, result, Callee::Function(id), Called::Function, Constant::Directionless)
            }
            Callable::Extern(id) => {
                let function = &self.program.extern_functions[id].0;
                let (params, result) = (function.type_params.clone(), function.return_type);
                (params, result, Callee::ExternFunction(id), Called::Extern, Constant::Directionless)
            }
            Callable::Action(id) => {
                (Vec::new(), Types::VOID, Callee::Action(id), Called::Action, Constant::None)
            }
        };
        let static_assert = matches!(callee, Callee::ExternFunction(_)) && name.as_str() == "static_assert";
        if !static_assert && !self.may_call(called, span) {
            return self.poison(span);
        }
        if name.as_str() == "verify"
            && matches!(callee, Callee::ExternFunction(_))
            && matches!(self.context.place, Place::ControlApply | Place::ControlLocals | Place::Action)
        {
            let diagnostic = Diagnostic::error("misplaced-call", "`verify` works in parsers only")
                .primary(span, "not in a parser");
            self.report(diagnostic);
            return self.poison(span);
        }
        let Some(bindings) =
            self.explicit_type_args(name, &type_params, &call.type_args, declared[chosen], span)
        else {
            return self.poison(span);
        };
        let made = self.arguments(Invocation {
            name: name.as_str(),
            declared: declared[chosen],
            params: &candidates[chosen],
            object: (&[], &[]),
            bindings,
            args: &call.args,
            result,
            wanted,
            span,
            constant,
        });
        let Some((args, type_args)) = made else { return self.poison(span) };
        if let Callable::Extern(id) = callable {
            self.warn_deprecated(&self.program.extern_functions[id].0.clone(), name, span);
        }
        let ty = self.program.types.substitute(result, &type_params, &type_args);
        let call = Call { callee, type_args, args, span };
        if static_assert {
            self.check_static_assert(&call);
        }
        Expr { kind: ExprKind::Call(Box::new(call)), ty, span }
    }

    fn warn_deprecated(&mut self, signature: &crate::hir::Signature, name: &ast::Name, span: Span) {
        let Some(annotation) = signature.annotations.get("deprecated") else { return };
        let mut diagnostic = Diagnostic::warning("deprecated", format!("`{name}` is deprecated"))
            .primary(span, "")
            .secondary(signature.name.span, "declared here");
        if let Some(advice) = annotation.string() {
            diagnostic = diagnostic.note(advice);
        }
        self.report(diagnostic);
    }

    fn check_static_assert(&mut self, call: &Call) {
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
                Diagnostic::error("static-assert", text).primary(call.span, "this is false")
            }
            None => Diagnostic::error("not-constant", "a static assertion must be known at compile time")
                .primary(call.span, "not constant"),
        };
        self.report(diagnostic);
    }

    fn callable_span(&self, callable: Callable) -> Span {
        match callable {
            Callable::Function(id) => self.program.functions[id].name.span,
            Callable::Extern(id) => self.program.extern_functions[id].0.name.span,
            Callable::Action(id) => self.program.actions[id].name.span,
        }
    }

    fn explicit_type_args(
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
            let message = format!("`{name}` takes {wanted} type arguments, {} are given", written.len());
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

    fn call_member(
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
            && let Some(binding) = self.scopes.resolve(path.name.as_str(), path.global)
            && let Symbol::Table(table) = binding.symbol
        {
            return self.call_table(table, name, &call.args, span);
        }
        let base = self.expr(&member.base, None);
        if base.ty == Types::POISON {
            return self.poison(span);
        }
        if let Some(measure) = size_measure(name.as_str()) {
            return self.size_expr(base.ty, measure, name, &call.args, span);
        }
        match self.program.types[base.ty].clone() {
            Type::Extern { decl, args } => self.call_method(base, decl, &args, name, call, wanted, span),
            Type::Parser(_) | Type::Control(_) | Type::BlockType { .. } if name.as_str() == "apply" => {
                self.apply_block(base, &call.args, span)
            }
            Type::Record { .. } if self.record_kind(base.ty) != Some(RecordKind::Struct) => {
                self.header_method(base, name, &call.args, span)
            }
            Type::Stack { .. } => self.stack_method(base, name, &call.args, span),
            _ => {
                self.no_method(base.ty, name, &[]);
                self.poison(span)
            }
        }
    }

    fn no_method(&mut self, ty: TypeId, name: &ast::Name, known: &[&str]) {
        let message = format!("{} has no method `{name}`", self.show(ty));
        let mut diagnostic =
            Diagnostic::error("unknown-method", message).primary(name.span, "no such method");
        if let Some(near) = nearest(name.as_str(), known.iter().copied()) {
            diagnostic = diagnostic.suggest(format!("did you mean `{near}`?"), name.span, near);
        }
        self.report(diagnostic);
    }

    fn no_arguments(&mut self, name: &ast::Name, args: &[ast::Argument], span: Span) -> bool {
        if args.is_empty() {
            return true;
        }
        let message = format!("`{name}` takes no arguments");
        self.report(
            Diagnostic::error("argument-count", message).primary(span, format!("expected `{name}()`")),
        );
        false
    }

    fn call_table(
        &mut self,
        table: crate::hir::TableId,
        name: &ast::Name,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        if name.as_str() != "apply" {
            let ty = self.program.types.intern(Type::Table(table));
            self.no_method(ty, name, &["apply"]);
            return self.poison(span);
        }
        if !self.no_arguments(name, args, span) || !self.may_call(Called::Table, span) {
            return self.poison(span);
        }
        let ty = self.program.types.intern(Type::ApplyResult(table));
        Expr { kind: ExprKind::Apply { table, result: ApplyResult::Nothing }, ty, span }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one call")]
    fn call_method(
        &mut self,
        object: Expr,
        decl: ExternId,
        object_args: &[TypeId],
        name: &ast::Name,
        call: &ast::CallExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let methods = &self.program.externs[decl].methods;
        let named: Vec<usize> =
            (0..methods.len()).filter(|&index| methods[index].name.text == name.as_str()).collect();
        if named.is_empty() {
            let known: Vec<String> = methods.iter().map(|method| method.name.text.clone()).collect();
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            self.no_method(object.ty, name, &known);
            return self.poison(span);
        }
        let candidates: Vec<Vec<Param>> = named.iter().map(|&index| methods[index].params.clone()).collect();
        let declared: Vec<Span> = named.iter().map(|&index| methods[index].name.span).collect();
        let Some(chosen) = self.choose(name, &candidates, &declared, &call.args, span) else {
            return self.poison(span);
        };
        let method = named[chosen];
        let signature = self.program.externs[decl].methods[method].clone();
        if !self.may_call(Called::Extern, span) {
            return self.poison(span);
        }
        let Some(bindings) =
            self.explicit_type_args(name, &signature.type_params, &call.type_args, declared[chosen], span)
        else {
            return self.poison(span);
        };
        let object_params = self.program.externs[decl].type_params.clone();
        let made = self.arguments(Invocation {
            name: name.as_str(),
            declared: declared[chosen],
            params: &candidates[chosen],
            object: (&object_params, object_args),
            bindings,
            args: &call.args,
            result: signature.return_type,
            wanted,
            span,
            constant: Constant::Directionless,
        });
        let Some((args, type_args)) = made else { return self.poison(span) };
        if !self.check_packet_types(decl, name, &type_args, args.len(), span) {
            return self.poison(span);
        }
        self.warn_deprecated(&signature, name, span);
        let ty = self.program.types.substitute(signature.return_type, &object_params, object_args);
        let ty = self.program.types.substitute(ty, &signature.type_params, &type_args);
        let call = Call { callee: Callee::Method { object, decl, method }, type_args, args, span };
        Expr { kind: ExprKind::Call(Box::new(call)), ty, span }
    }

    /// What core.p4's packets take: headers to extract and emit, fixed widths to look ahead (P4_16 sections 13.8, 15).
    fn check_packet_types(
        &mut self,
        decl: ExternId,
        name: &ast::Name,
        type_args: &[TypeId],
        args: usize,
        span: Span,
    ) -> bool {
        let [ty] = type_args else { return true };
        let is_header = self.record_kind(*ty) == Some(RecordKind::Header);
        let variable = self.size_of(*ty, SizeMeasure::MinBits) != self.size_of(*ty, SizeMeasure::MaxBits);
        let object = self.program.externs[decl].name.text.clone();
        let expected = match (object.as_str(), name.as_str()) {
            _ if self.holds_type_variable(*ty) => return true,
            ("packet_in", "extract") if !is_header => "expected a header",
            ("packet_in", "extract") if args == 1 && variable => {
                "the header's `varbit` field needs its size as a second argument"
            }
            ("packet_in", "extract") if self.varbits(*ty) > 1 => "more than one `varbit` field",
            ("packet_in", "extract") if args == 2 && !variable => "expected a header with a `varbit` field",
            ("packet_in", "lookahead") if variable || self.size_of(*ty, SizeMeasure::MinBits).is_none() => {
                "expected a type of fixed width"
            }
            ("packet_out", "emit") if !self.emittable(*ty) => {
                "expected a header, a stack or union of headers, or a struct of those"
            }
            _ => return true,
        };
        let message = format!("`{name}` does not work on {}", self.show(*ty));
        self.report(Diagnostic::error("bad-packet-type", message).primary(span, expected));
        false
    }

    fn varbits(&mut self, ty: TypeId) -> usize {
        let fields = self.fields(ty).unwrap_or_default();
        fields.iter().filter(|(_, ty)| matches!(self.program.types[*ty], Type::Varbit { .. })).count()
    }

    fn emittable(&mut self, ty: TypeId) -> bool {
        match (self.record_kind(ty), self.program.types[ty].clone()) {
            (Some(RecordKind::Header | RecordKind::Union), _) => true,
            (Some(RecordKind::Struct), _) | (_, Type::AnonymousStruct(_)) => {
                let fields = self.fields(ty).unwrap_or_default();
                fields.into_iter().all(|(_, field)| self.emittable(field))
            }
            (_, Type::Stack { element, .. }) => self.emittable(element),
            (_, Type::Tuple(items)) => items.into_iter().all(|item| self.emittable(item)),
            _ => false,
        }
    }

    /// `instance.apply(…)` of a parser or control.
    pub(super) fn apply_block(&mut self, object: Expr, args: &[ast::Argument], span: Span) -> Expr {
        let Some((is_parser, params, type_params, type_args)) = self.block_params(object.ty) else {
            return self.poison(span);
        };
        let called = if is_parser { Called::Parser } else { Called::Control };
        if !self.may_call(called, span) {
            return self.poison(span);
        }
        let (name, declared) = match &self.program.types[object.ty] {
            Type::Parser(id) => {
                (self.program.parsers[*id].name.text.clone(), self.program.parsers[*id].name.span)
            }
            Type::Control(id) => {
                (self.program.controls[*id].name.text.clone(), self.program.controls[*id].name.span)
            }
            Type::BlockType { decl, .. } => {
                let block = &self.program.block_types[*decl];
                (block.name.text.clone(), block.name.span)
            }
            _ => return self.poison(span),
        };
        let made = self.arguments(Invocation {
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
        let Some((args, _)) = made else { return self.poison(span) };
        let callee = if is_parser { Callee::ApplyParser(object) } else { Callee::ApplyControl(object) };
        let call = Call { callee, type_args: Vec::new(), args, span };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: Types::VOID, span }
    }

    fn built_in(&self, callee: Callee, span: Span) -> Expr {
        let call = Call { callee, type_args: Vec::new(), args: Vec::new(), span };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: Types::VOID, span }
    }

    fn header_method(&mut self, base: Expr, name: &ast::Name, args: &[ast::Argument], span: Span) -> Expr {
        let is_header = self.record_kind(base.ty) == Some(RecordKind::Header);
        let known: &[&str] = if is_header { &["isValid", "setValid", "setInvalid"] } else { &["isValid"] };
        if !known.contains(&name.as_str()) {
            self.no_method(base.ty, name, known);
            return self.poison(span);
        }
        if !self.no_arguments(name, args, span) {
            return self.poison(span);
        }
        if name.as_str() == "isValid" {
            return Expr { kind: ExprKind::IsValid(Box::new(base)), ty: Types::BOOL, span };
        }
        if !self.writable(&base, "made valid or invalid") {
            return self.poison(span);
        }
        let valid = name.as_str() == "setValid";
        self.built_in(if valid { Callee::SetValid(base) } else { Callee::SetInvalid(base) }, span)
    }

    fn stack_method(&mut self, base: Expr, name: &ast::Name, args: &[ast::Argument], span: Span) -> Expr {
        let known = ["push_front", "pop_front"];
        if !known.contains(&name.as_str()) {
            self.no_method(base.ty, name, &known);
            return self.poison(span);
        }
        let value = match args {
            [ast::Argument { value: Some(value), .. }] => value,
            _ => {
                let message = format!("`{name}` takes 1 argument");
                let label = format!("expected `{name}(number)`");
                self.report(Diagnostic::error("argument-count", message).primary(span, label));
                return self.poison(span);
            }
        };
        let Some(count) = self.constant_integer(value, "count") else { return self.poison(span) };
        let Some(count) = count.to_u32().filter(|&count| count > 0) else {
            let message = format!("`{name}` moves by at least 1");
            self.report(Diagnostic::error("bad-argument", message).primary(value.span, "must be positive"));
            return self.poison(span);
        };
        if !self.writable(&base, "changed") {
            return self.poison(span);
        }
        self.built_in(
            match name.as_str() {
                "push_front" => Callee::PushFront { stack: base, count },
                _ => Callee::PopFront { stack: base, count },
            },
            span,
        )
    }

    fn call_type_member(
        &mut self,
        member: &ast::MemberExpr,
        symbol: TypeSymbol,
        call: &ast::CallExpr,
        span: Span,
    ) -> Expr {
        if let ast::ExprKind::Name(path) = &member.base.kind {
            self.scopes.resolve(path.name.as_str(), path.global);
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
                self.poison(span)
            }
            _ => {
                let message = format!("a type has no method `{name}`");
                let diagnostic = Diagnostic::error("unknown-method", message)
                    .primary(name.span, "no such method")
                    .note("methods belong to instances: declare one and call it by its name");
                self.report(diagnostic);
                self.poison(span)
            }
        }
    }

    fn size_expr(
        &mut self,
        of: TypeId,
        measure: SizeMeasure,
        name: &ast::Name,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        if !self.no_arguments(name, args, span) {
            return self.poison(span);
        }
        if let Some(size) = self.size_of(of, measure) {
            return Expr { kind: ExprKind::Int(size.into()), ty: Types::INT, span };
        }
        if self.holds_type_variable(of) {
            return Expr { kind: ExprKind::SizeOf { measure, of }, ty: Types::INT, span };
        }
        let message = format!("{} has no size", self.show(of));
        self.report(Diagnostic::error("no-size", message).primary(span, "its representation is not fixed"));
        self.poison(span)
    }

    fn holds_type_variable(&self, ty: TypeId) -> bool {
        let all: Vec<_> = self.program.type_vars.iter().map(|(id, _)| id).collect();
        self.mentions(ty, &all)
    }
}

fn size_measure(name: &str) -> Option<SizeMeasure> {
    Some(match name {
        "minSizeInBits" => SizeMeasure::MinBits,
        "minSizeInBytes" => SizeMeasure::MinBytes,
        "maxSizeInBits" => SizeMeasure::MaxBits,
        "maxSizeInBytes" => SizeMeasure::MaxBytes,
        _ => return None,
    })
}
