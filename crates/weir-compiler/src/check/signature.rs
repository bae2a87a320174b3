//! Checks parameters and declarations that consist of a signature: externs, parser and control
//! types, and packages.

use std::rc::Rc;

use weir_syntax::{Diagnostic, ast};

use super::constant::is_compile_time;
use super::overload::callable_span;
use super::scope::{Callable, Symbol, TypeSymbol};
use super::{Checker, Place};
use crate::hir::{self, Direction, ItemKind, Type, TypeId, Types, VarKind};

/// The kind of declaration that has the parameters. Determines which parameters are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ParamOwner {
    /// Run-time parameters of parser and control types.
    BlockType,
    /// Run-time parameters of parsers and controls with a body.
    Block,
    /// Constructor parameters of parsers.
    ParserConstructor,
    /// Constructor parameters of controls.
    ControlConstructor,
    /// Constructor parameters of extern objects.
    ExternConstructor,
    /// Constructor parameters of a package.
    Package,
    Function,
    Extern,
    Action,
}

impl ParamOwner {
    /// Returns whether the parameters get their values at instantiation.
    fn is_constructor(self) -> bool {
        matches!(
            self,
            Self::ParserConstructor | Self::ControlConstructor | Self::ExternConstructor | Self::Package
        )
    }

    /// Returns whether the owner has a body in the program, which would have to define the meaning
    /// of an omitted argument (P4_16 section 6.8.2).
    fn has_body(self) -> bool {
        matches!(
            self,
            Self::Block | Self::ParserConstructor | Self::ControlConstructor | Self::Function | Self::Action
        )
    }
}

impl Checker<'_> {
    /// Checks parameters and declares them in the innermost scope.
    pub(super) fn params(&mut self, params: &[ast::Parameter], owner: ParamOwner) -> Vec<hir::Param> {
        let mut checked: Vec<hir::Param> = Vec::new();
        for param in params {
            let ty = self.resolve_type(&param.ty);
            let ty = if self.may_be_param(ty, param, owner) { ty } else { Types::POISON };
            let direction = direction(param.direction);
            let default = param.default.as_ref().map(|default| self.param_default(param, default, ty));
            let kind = match (owner, direction) {
                _ if owner.is_constructor() => VarKind::ConstructorParam,
                (ParamOwner::Block | ParamOwner::Function, Direction::None) => VarKind::ConstantParam,
                _ => VarKind::Param(direction),
            };
            let is_data = owner == ParamOwner::Action && direction == Direction::None;
            let item = if is_data { ItemKind::ActionData } else { ItemKind::Param };
            let annotations = self.annotations(&param.annotations, item, param.span);
            self.record_deprecated(&param.name, &annotations, param.span);
            let optional = annotations.contains("optional");
            if optional && owner.has_body() {
                let message = format!("`{}` cannot be optional here", param.name);
                let diagnostic = Diagnostic::error("bad-parameter", message).primary(
                    param.span,
                    "only declarations of the architecture can have optional parameters",
                );
                self.report(diagnostic);
            } else if let (true, Some(default)) = (optional, &default) {
                let message = format!("`{}` cannot be both optional and have a default value", param.name);
                let diagnostic = Diagnostic::error("bad-parameter", message)
                    .primary(default.span, "remove either the default value or `@optional`");
                self.report(diagnostic);
            }
            if is_data {
                self.check_action_data(ty, param);
            }
            self.check_order(&checked, param, owner);
            let name = self.hir_name(&param.name);
            let var = self.program.vars.push(hir::Var { name, ty, kind, annotations });
            self.record_var_alias(var, &param.ty);
            let symbol = if ty == Types::POISON { Symbol::Poison } else { Symbol::Var(var) };
            self.declare(&param.name, symbol, None);
            checked.push(hir::Param { var, direction, default, optional });
        }
        checked
    }

    pub(super) fn param_default(
        &mut self,
        param: &ast::Parameter,
        default: &ast::Expr,
        ty: TypeId,
    ) -> hir::Expr {
        let value = self.expr(default, Some(ty));
        // The type of a generic parameter's default is known only at its use, so convert it there.
        let value = if self.holds_type_variable(ty) { value } else { self.coerce(value, ty) };
        if matches!(param.direction, ast::Direction::Out | ast::Direction::InOut) {
            let diagnostic = Diagnostic::error(
                "bad-default",
                format!(
                    "`{}` parameter `{}` cannot have a default value",
                    param.direction.keyword(),
                    param.name
                ),
            )
            .primary(default.span, "only `in` and directionless parameters can have a default value");
            self.report(diagnostic);
        } else if value.ty != Types::POISON && !is_compile_time(&self.program, &value) {
            let diagnostic = Diagnostic::error(
                "not-constant",
                format!("the default value of `{}` is not a compile-time constant", param.name),
            )
            .primary(default.span, "value not known at compile time");
            self.report(diagnostic);
        }
        value
    }

    pub(super) fn check_order(&mut self, before: &[hir::Param], param: &ast::Parameter, owner: ParamOwner) {
        let Some(previous) = before.last() else { return };
        let previous_span = self.program.vars[previous.var].name.span;
        if owner == ParamOwner::Action
            && previous.direction == Direction::None
            && param.direction != ast::Direction::None
        {
            let diagnostic = Diagnostic::error(
                "parameter-order",
                format!("parameter `{}` follows a parameter without direction", param.name),
            )
            .primary(param.name.span, "must precede the parameters set by the control plane")
            .secondary(previous_span, "this parameter has no direction");
            self.report(diagnostic);
        }
    }

    /// Warns about action data that P4Runtime cannot represent.
    pub(super) fn check_action_data(&mut self, ty: TypeId, param: &ast::Parameter) {
        if matches!(self.program.types[ty], Type::Record { .. } | Type::Stack { .. } | Type::Tuple(_)) {
            let message = format!("the control plane must set `{}` member by member", param.name);
            let diagnostic = Diagnostic::warning("composite-action-data", message)
                .primary(param.span, format!("of type {}", self.show(ty)))
                .note("P4Runtime supports only numbers, `bool` and enums as action parameters, so other targets may reject this");
            self.report(diagnostic);
        }
    }

    pub(super) fn may_be_param(&mut self, ty: TypeId, param: &ast::Parameter, owner: ParamOwner) -> bool {
        let param_type = &self.program.types[ty];
        let problem = match (param_type, owner) {
            (Type::Poison, _) => return false,
            (Type::Void, _) => "a parameter cannot have type `void`".to_owned(),
            (Type::Parser { .. } | Type::Control { .. }, _) => {
                "expected a parser or control type declared without a body".to_owned()
            }
            (Type::Package { .. }, owner) if owner != ParamOwner::Package => {
                "packages can be passed only to packages".to_owned()
            }
            (
                Type::BlockType { .. },
                ParamOwner::Block
                | ParamOwner::BlockType
                | ParamOwner::Function
                | ParamOwner::Action
                | ParamOwner::Extern,
            ) => "parsers and controls can be passed only to constructors".to_owned(),
            (Type::Extern { .. }, ParamOwner::Action) => {
                "extern objects cannot be passed to actions".to_owned()
            }
            (Type::BlockType { .. }, ParamOwner::ExternConstructor) => {
                "parsers and controls can be passed only to parsers, controls and packages".to_owned()
            }
            (Type::BlockType { decl, .. }, ParamOwner::ControlConstructor)
                if self.program.block_types[*decl].is_parser =>
            {
                "parsers cannot be passed to controls, because a control cannot apply a parser".to_owned()
            }
            (Type::BlockType { decl, .. }, ParamOwner::ParserConstructor)
                if !self.program.block_types[*decl].is_parser =>
            {
                "controls cannot be passed to parsers, because a parser cannot apply a control".to_owned()
            }
            (Type::Extern { .. }, _) if param.direction != ast::Direction::None => {
                "extern objects must be passed without a direction".to_owned()
            }
            (Type::Int | Type::String, owner)
                if param.direction != ast::Direction::None || owner == ParamOwner::Action =>
            {
                "this type exists only at compile time".to_owned()
            }
            _ if owner.is_constructor() && param.direction != ast::Direction::None => {
                "constructor parameters cannot have a direction".to_owned()
            }
            _ => return true,
        };
        let diagnostic =
            Diagnostic::error("bad-parameter", format!("`{}` cannot be a parameter here", param.name))
                .primary(param.span, problem);
        self.report(diagnostic);
        false
    }

    /// Resolves the return type of a function.
    pub(super) fn return_type(&mut self, ty: &ast::TypeRef, owner: ParamOwner) -> TypeId {
        let id = self.resolve_type(ty);
        if owner == ParamOwner::Extern && matches!(self.program.types[id], Type::Extern { .. }) {
            return id;
        }
        if matches!(
            self.program.types[id],
            Type::Parser { .. }
                | Type::Control { .. }
                | Type::BlockType { .. }
                | Type::Package { .. }
                | Type::Extern { .. }
        ) {
            let message = format!("a value of type {} cannot be returned", self.show(id));
            self.report(Diagnostic::error("bad-return-type", message).primary(ty.span, "not a value type"));
            return Types::POISON;
        }
        id
    }

    /// Declares a function or action, which may overload others in the same scope.
    pub(super) fn declare_callable(
        &mut self,
        name: &ast::Name,
        callable: Callable,
        watch: Option<&'static str>,
    ) {
        let declared =
            self.scopes.innermost(name.as_str()).map(|binding| (binding.symbol.clone(), binding.span));
        let Some((Symbol::Callables(list), _)) = declared else {
            return self.declare(name, Symbol::Callables(Rc::new(vec![callable])), watch);
        };
        let is_action = |callable: &Callable| matches!(callable, Callable::Action(_));
        if list.iter().any(is_action) || is_action(&callable) {
            return self.declare(name, Symbol::Callables(Rc::new(vec![callable])), watch);
        }
        if let Some(first) = self.indistinguishable(&list, callable) {
            if is_repetition(&self.program, first, callable) {
                return;
            }
            let first = callable_span(&self.program, first);
            let diagnostic =
                Diagnostic::error("duplicate-declaration", format!("`{name}` is declared twice"))
                    .primary(name.span, "declared again here")
                    .secondary(first, "first declared here")
                    .note(
                        "overloads must differ in the number or names of their parameters, not only in types",
                    );
            self.report(diagnostic);
            return;
        }
        drop(list);
        if let Some(Symbol::Callables(list)) = self.scopes.innermost_mut(name.as_str()).map(|b| &mut b.symbol)
        {
            Rc::make_mut(list).push(callable);
        }
    }

    pub(super) fn block_type(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        signature: &ast::ApplySignature,
        is_parser: bool,
    ) -> hir::BlockTypeId {
        let annotations = self.annotations_of(declaration, ItemKind::BlockType);
        self.scopes.open();
        let type_params = self.declare_type_params(&signature.type_params);
        let params = self.params(&signature.params, ParamOwner::BlockType);
        self.scopes.close();
        let hir_name = self.hir_name(name);
        let block = hir::BlockType { name: hir_name, annotations, is_parser, type_params, params };
        let id = self.program.block_types.push(block);
        self.declare(name, Symbol::Type(TypeSymbol::BlockType(id)), None);
        id
    }

    /// Checks the declaration of a package type.
    pub(super) fn package(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        signature: &ast::ApplySignature,
    ) -> hir::PackageId {
        let annotations = self.annotations_of(declaration, ItemKind::Package);
        self.scopes.open();
        let type_params = self.declare_type_params(&signature.type_params);
        let (params, wildcards) = self.with_wildcards(|c| c.params(&signature.params, ParamOwner::Package));
        self.scopes.close();
        let hir_name = self.hir_name(name);
        let package = hir::Package { name: hir_name, annotations, type_params, wildcards, params };
        let id = self.program.packages.push(package);
        self.declare(name, Symbol::Type(TypeSymbol::Package(id)), None);
        id
    }

    /// Checks a function with a body, at the top level or as an implementation of an abstract
    /// method.
    pub(super) fn function(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        function: &ast::FunctionDecl,
    ) -> Option<hir::FunctionId> {
        let id = self.function_body(declaration, name, function, None);
        self.declare_callable(name, Callable::Function(id), None);
        Some(id)
    }

    /// Checks a function without declaring its name.
    pub(super) fn function_body(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        function: &ast::FunctionDecl,
        this: Option<TypeId>,
    ) -> hir::FunctionId {
        let annotations = self.annotations_of(declaration, ItemKind::Function);
        let id = self.program.functions.push(hir::Function {
            name: self.hir_name(name),
            annotations,
            type_params: Vec::new(),
            return_type: Types::VOID,
            params: Vec::new(),
            body: hir::Block::default(),
            span: declaration.span,
        });
        self.enclosing.push((name.text.to_string(), name.span));
        self.in_scope(|c| {
            let type_params = c.declare_type_params(&function.signature.type_params);
            let return_type = c.return_type(&function.signature.return_type, ParamOwner::Function);
            let params = c.params(&function.signature.params, ParamOwner::Function);
            let context = super::Context { return_type, this, ..super::Context::new(Place::Function) };
            let (body, _) = c.in_context(context, |c| c.block(&function.body));
            if return_type != Types::VOID && return_type != Types::POISON {
                c.check_returns(&body, name);
            }
            let declared = &mut c.program.functions[id];
            (declared.type_params, declared.return_type, declared.params, declared.body) =
                (type_params, return_type, params, body);
        });
        self.enclosing.pop();
        id
    }
}

/// Converts a direction from the syntax tree to the typed tree.
pub(super) fn direction(direction: ast::Direction) -> Direction {
    match direction {
        ast::Direction::None => Direction::None,
        ast::Direction::In => Direction::In,
        ast::Direction::Out => Direction::Out,
        ast::Direction::InOut => Direction::InOut,
    }
}

/// Returns whether `second` declares the same extern function as `first`. Programs repeat functions
/// of older architecture files. Parameters have the same names.
fn is_repetition(program: &hir::Program, first: Callable, second: Callable) -> bool {
    let (Callable::Extern(first), Callable::Extern(second)) = (first, second) else { return false };
    let [first, second] = [first, second].map(|id| &program.extern_functions[id].0);
    let same = |(a, b): (&hir::Param, &hir::Param)| {
        let types = [a, b].map(|param| program.vars[param.var].ty);
        types[0] == types[1]
            && a.direction == b.direction
            && a.optional == b.optional
            && a.default.is_none()
            && b.default.is_none()
    };
    first.type_params.is_empty()
        && second.type_params.is_empty()
        && first.return_type == second.return_type
        && first.params.iter().zip(&second.params).all(same)
}
