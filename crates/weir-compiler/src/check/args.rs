//! Matches arguments with parameters: by position or name, with defaults, directions, inference and
//! conversions.

use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::constant::{is_call_time, is_compile_time};
use super::infer::Bindings;
use crate::hir::display::{self, direction_prefix};
use crate::hir::{Arg, ArgValue, Direction, Expr, Param, Type, TypeId, TypeVarId, Types};

/// A call or instantiation whose arguments have not been checked yet.
pub(super) struct Invocation<'a> {
    /// The callee's name, for messages.
    pub name: &'a str,
    /// The place where the callee is declared.
    pub declared: Span,
    pub params: &'a [Param],
    /// The type parameters and type arguments of the object whose method is called.
    pub object: (&'a [TypeVarId], &'a [TypeId]),
    /// The type arguments known so far.
    pub bindings: Bindings,
    pub args: &'a [ast::Argument],
    /// The type of the call's result, followed by its expected type.
    pub result: TypeId,
    pub wanted: Option<TypeId>,
    /// The whole call.
    pub span: Span,
    /// The arguments that must be constant.
    pub constant: Constant,
}

/// The arguments of a call that must be compile-time constants.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Constant {
    None,
    /// Arguments of parameters without direction (externs).
    Directionless,
    /// All arguments (constructors).
    All,
}

impl Checker<'_> {
    /// Checks the arguments. Returns one argument for each parameter, and the type arguments, or
    /// `None` after reporting an error.
    pub(super) fn arguments(&mut self, mut call: Invocation<'_>) -> Option<(Vec<Arg>, Vec<TypeId>)> {
        let placed = self.place_arguments(&call);
        let Some(placed) = placed else {
            // Check the arguments anyway, to report the errors inside them.
            for value in call.args.iter().filter_map(|arg| arg.value.as_ref()) {
                if !matches!(value.kind, ast::ExprKind::List(_) | ast::ExprKind::Struct(_)) {
                    self.expr(value, None);
                }
            }
            return None;
        };
        let wanted_types: Vec<TypeId> = call
            .params
            .iter()
            .map(|param| {
                let ty = self.program.vars[param.var].ty;
                self.program.types.substitute(ty, call.object.0, call.object.1)
            })
            .collect();
        let mut values: Vec<Option<Expr>> = Vec::new();
        let mut failed = false;
        for (&ty, source) in wanted_types.iter().zip(&placed) {
            let written = source.and_then(|index| call.args[index].value.as_ref());
            let value = written.map(|written| {
                let generic = self.contains_any_param(ty, &call.bindings.params);
                self.expr(written, (!generic).then_some(ty))
            });
            failed |= value.as_ref().is_some_and(|value| value.ty == Types::POISON);
            values.push(value);
        }
        if failed {
            return None;
        }
        let type_args = self.infer_arguments(&mut call, &wanted_types, &values)?;
        let mut checked = Vec::new();
        for (index, (param, value)) in call.params.iter().zip(values).enumerate() {
            let params = call.bindings.params.clone();
            let ty = self.program.types.substitute(wanted_types[index], &params, &type_args);
            match self.argument(&call, param, placed[index], value, ty) {
                Some(arg) => checked.push(arg),
                None => failed = true,
            }
        }
        (!failed).then_some((checked, type_args))
    }

    /// Returns the index of each parameter's argument; `None` for a parameter that is validly
    /// omitted.
    pub(super) fn place_arguments(&mut self, call: &Invocation<'_>) -> Option<Vec<Option<usize>>> {
        let mut placed: Vec<Option<usize>> = vec![None; call.params.len()];
        let named = call.args.iter().filter(|arg| arg.name.is_some()).count();
        if named != 0 && named != call.args.len() {
            let bare = call.args.iter().find(|arg| arg.name.is_none())?;
            let diagnostic =
                Diagnostic::error("mixed-arguments", "named and unnamed arguments cannot be mixed")
                    .primary(bare.span, "this argument has no name");
            self.report(diagnostic);
            return None;
        }
        let needs_names = call.params.iter().any(|param| param.optional)
            && call.params.iter().any(|param| param.default.is_some());
        if named == 0 && !call.args.is_empty() && needs_names {
            // P4_16 section 6.8.2.
            let message = format!("the arguments of `{}` must be named", call.name);
            let diagnostic = Diagnostic::error("mixed-arguments", message)
                .primary(call.span, "some of its parameters are optional and others have default values")
                .secondary(call.declared, "declared here");
            self.report(diagnostic);
            return None;
        }
        let mut valid = true;
        for (index, arg) in call.args.iter().enumerate() {
            let param = match &arg.name {
                None => index,
                Some(name) => match self.param_named(call.params, name.as_str()) {
                    Some(param) => {
                        self.warn_if_deprecated(name, self.program.vars[call.params[param].var].name.span);
                        param
                    }
                    None => {
                        self.unknown_param(call, name);
                        valid = false;
                        continue;
                    }
                },
            };
            match placed.get_mut(param) {
                Some(slot @ None) => *slot = Some(index),
                Some(Some(first)) => {
                    let first = call.args[*first].span;
                    let name = arg.name.as_ref()?;
                    let message = format!("argument `{name}` is passed twice");
                    let diagnostic = Diagnostic::error("duplicate-argument", message)
                        .primary(name.span, "passed again here")
                        .secondary(first, "first passed here");
                    self.report(diagnostic);
                    valid = false;
                }
                None => {
                    self.wrong_argument_count(call);
                    return None;
                }
            }
        }
        let missing: Vec<&Param> = call
            .params
            .iter()
            .zip(&placed)
            .filter(|(param, slot)| slot.is_none() && param.default.is_none() && !param.optional)
            .map(|(param, _)| param)
            .collect();
        if valid && !missing.is_empty() {
            // Positional calls can omit only the last arguments.
            let required = call.params.iter().filter(|param| param.default.is_none() && !param.optional);
            if named == 0 && call.args.len() < required.count() {
                self.wrong_argument_count(call);
            } else {
                let names: Vec<String> =
                    missing.iter().map(|param| format!("`{}`", self.param_name(param))).collect();
                let message = format!("missing argument in call of `{}`: {}", call.name, names.join(", "));
                let mut diagnostic = Diagnostic::error("argument-count", message)
                    .primary(call.span, "no value for a required parameter")
                    .secondary(call.declared, "declared here");
                if named == 0 {
                    diagnostic =
                        diagnostic.note("use named arguments to omit an argument that is not the last");
                }
                self.report(diagnostic);
            }
            return None;
        }
        valid.then_some(placed)
    }

    pub(super) fn param_name(&self, param: &Param) -> &str {
        &self.program.vars[param.var].name.text
    }

    pub(super) fn param_named(&self, params: &[Param], name: &str) -> Option<usize> {
        params.iter().position(|param| self.param_name(param) == name)
    }

    pub(super) fn unknown_param(&mut self, call: &Invocation<'_>, name: &ast::Name) {
        let mut diagnostic =
            Diagnostic::error("unknown-parameter", format!("`{}` has no parameter `{name}`", call.name))
                .primary(name.span, "no such parameter")
                .secondary(call.declared, "declared here");
        let names = call.params.iter().map(|param| self.param_name(param));
        if let Some(nearest) = self.nearest_name(name.as_str(), || names) {
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), name.span, nearest);
        }
        self.report(diagnostic);
    }

    pub(super) fn wrong_argument_count(&mut self, call: &Invocation<'_>) {
        let required = call.params.iter().filter(|param| param.default.is_none() && !param.optional).count();
        let most = call.params.len();
        let expected = match (required, most) {
            (1, 1) => "1 argument".to_owned(),
            (a, b) if a == b => format!("{a} arguments"),
            (a, b) => format!("{a} to {b} arguments"),
        };
        let diagnostic = Diagnostic::error(
            "argument-count",
            format!("`{}` takes {expected}, but {} given", call.name, count_with_verb(call.args.len())),
        )
        .primary(call.span, format!("expected `{}({})`", call.name, self.describe_params(call.params)))
        .secondary(call.declared, "declared here");
        let out_param = call.params.iter().find(|param| param.direction == Direction::Out);
        self.report(match out_param {
            Some(param) if call.result == Types::VOID && call.args.len() + 1 == required => {
                diagnostic.note(format!(
                    "`{}` returns nothing: it writes into its argument `{}`",
                    call.name,
                    self.param_name(param)
                ))
            }
            _ => diagnostic,
        });
    }

    /// Formats parameters as in a declaration.
    pub(super) fn describe_params(&self, params: &[Param]) -> String {
        let describe = |param: &Param| {
            let var = &self.program.vars[param.var];
            let ty = display::type_name(&self.program, &self.program.types, var.ty);
            format!("{}{ty} {}", direction_prefix(param.direction), var.name.text)
        };
        params.iter().map(describe).collect::<Vec<_>>().join(", ")
    }

    /// Checks the argument for one parameter of a call.
    pub(super) fn argument(
        &mut self,
        call: &Invocation<'_>,
        param: &Param,
        source: Option<usize>,
        value: Option<Expr>,
        ty: TypeId,
    ) -> Option<Arg> {
        let Some(index) = source else {
            let value = match &param.default {
                Some(default) if default.ty == Types::POISON => return None,
                Some(default) if default.ty == ty => ArgValue::Expr(default.clone()),
                Some(default) => {
                    let mut value = default.clone();
                    let params = call.bindings.params.clone();
                    let args = call.bindings.type_args().unwrap_or_default();
                    self.instantiate(&mut value, &params, &args);
                    let value = self.coerce(value, ty);
                    if value.ty == Types::POISON {
                        return None;
                    }
                    ArgValue::Expr(value)
                }
                None => ArgValue::Omitted,
            };
            return Some(Arg { value, order: call.args.len(), span: call.span });
        };
        let span = call.args[index].span;
        let checked = |value| Some(Arg { value, order: index, span });
        let param_name = self.param_name(param).to_owned();
        let Some(value) = value else {
            if param.direction == Direction::Out {
                return checked(ArgValue::DontCare);
            }
            let message = format!("`_` is allowed only for `out` parameters, and `{param_name}` is not one");
            self.report(Diagnostic::error("bad-argument", message).primary(span, "expected a value"));
            return None;
        };
        if call.constant != Constant::All
            && !self.is_own_int(call, param, ty)
            && !self.may_be_passed(param, &value, ty)
        {
            return None;
        }
        if matches!(param.direction, Direction::Out | Direction::InOut) {
            return self
                .place_argument(call, param, value, ty)
                .and_then(|value| checked(ArgValue::Expr(value)));
        }
        let value = self.for_var(param.var, |c| c.coerce(value, ty));
        if value.ty == Types::POISON {
            return None;
        }
        let must_be_constant = match call.constant {
            Constant::None => false,
            Constant::All => true,
            Constant::Directionless => {
                param.direction == Direction::None
                    && !matches!(self.program.types[ty], Type::Extern { .. } | Type::Package { .. })
            }
        };
        let is_constant = match call.constant {
            Constant::Directionless => is_call_time(&self.program, &value),
            _ => is_compile_time(&self.program, &value),
        };
        if must_be_constant && !is_constant {
            let message =
                format!("the argument for `{param_name}` of `{}` must be a compile-time constant", call.name);
            let diagnostic = Diagnostic::error("not-constant", message)
                .primary(span, "value not known at compile time")
                .secondary(call.declared, "declared here");
            self.report(diagnostic);
            return None;
        }
        checked(ArgValue::Expr(value))
    }

    /// Returns whether a parameter of a method has the type `int` only because a type argument of
    /// the object is `int`. An example is the index of a `register<T, int>`, which is constant in
    /// each call.
    fn is_own_int(&self, call: &Invocation<'_>, param: &Param, ty: TypeId) -> bool {
        let declared = &self.program.types[self.program.vars[param.var].ty];
        ty == Types::INT
            && param.direction == Direction::In
            && matches!(declared, Type::Var(var) if call.object.0.contains(var))
    }

    /// Returns whether a value of type `ty` exists at run time, as an argument must. Reports an
    /// error if not.
    pub(super) fn may_be_passed(&mut self, param: &Param, value: &Expr, ty: TypeId) -> bool {
        let directed = param.direction != Direction::None;
        let has_no_value = match self.program.types[ty] {
            Type::Parser { .. } | Type::Control { .. } | Type::BlockType { .. } | Type::Package { .. } => {
                true
            }
            Type::List(_) | Type::Extern { .. } | Type::MatchKind => false,
            _ => directed && !self.is_value_type(ty),
        };
        if has_no_value {
            let message = format!("a value of type {} cannot be passed as an argument", self.show(ty));
            let diagnostic = Diagnostic::error("bad-argument", message)
                .primary(value.span, "this type exists only at compile time")
                .secondary(self.program.vars[param.var].name.span, "parameter declared here");
            self.report(diagnostic);
        }
        !has_no_value
    }

    /// Checks the argument of an `out` or `inout` parameter.
    pub(super) fn place_argument(
        &mut self,
        call: &Invocation<'_>,
        param: &Param,
        value: Expr,
        ty: TypeId,
    ) -> Option<Expr> {
        let keyword = direction_prefix(param.direction).trim();
        if !self.writable(&value, &format!("passed to an `{keyword}` parameter")) {
            return None;
        }
        if value.ty == ty {
            return Some(value);
        }
        let shown_type = self.show_of(&value);
        let wanted = self.for_var(param.var, |c| c.format_expected_type(ty));
        let declared = self.program.vars[param.var].name.span;
        let message =
            format!("expected {wanted} for an `{keyword}` parameter of `{}`, found {shown_type}", call.name);
        let diagnostic = Diagnostic::error("type-mismatch", message)
            .primary(value.span, format!("this is {shown_type}"))
            .secondary(declared, "parameter declared here")
            .note("the value is written back without a conversion, so the types must be the same");
        self.report(diagnostic);
        None
    }
}

/// Returns a count with its verb, to be followed by "given".
pub(super) fn count_with_verb(count: usize) -> String {
    match count {
        0 => "none was".to_owned(),
        1 => "1 was".to_owned(),
        n => format!("{n} were"),
    }
}
