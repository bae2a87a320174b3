//! Checks instances: declared, as constructor arguments, and from direct application.

use weir_syntax::{Diagnostic, Span, ast};

use super::args::{Constant, Invocation};
use super::infer::Bindings;
use super::overload::Overloads;
use super::scope::{Symbol, TypeSymbol};
use super::types::Resolved;
use super::{Checker, Place};
use crate::hir::display;
use crate::hir::{self, Construct, Constructor, Expr, ExprKind, ItemKind, Param, Type, TypeId, Types};

impl Checker<'_> {
    /// Checks the expression `T(args)`, which constructs an instance.
    pub(super) fn construct_expr(
        &mut self,
        target: Resolved,
        call: &ast::CallExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let Some((construct, ty)) = self.construct(target, &call.args, wanted, call.callee.span, span) else {
            return self.poison_expr(span);
        };
        let in_code = matches!(self.context.place, Place::ControlApply | Place::ParserState);
        let in_place = in_code && matches!(construct.constructor, Constructor::Extern { .. });
        if !in_place
            && !matches!(self.context.place, Place::TopLevel | Place::ParserLocals | Place::ControlLocals)
        {
            let diagnostic =
                Diagnostic::error("misplaced-instance", "an instance cannot be created at run time")
                    .primary(span, "instances are created at compile time")
                    .note("declare the instance outside states, actions and `apply` blocks");
            self.report(diagnostic);
            return self.poison_expr(span);
        }
        if let Constructor::Extern { decl, .. } = construct.constructor
            && self.program.externs[decl].methods.iter().any(|method| method.is_abstract)
        {
            let object = self.program.externs[decl].name.clone();
            let message =
                format!("`{}` has abstract methods and cannot be instantiated without a name", object.text);
            let diagnostic = Diagnostic::error("missing-method", message)
                .primary(span, "declare a named instance and implement the methods in braces")
                .secondary(object.span, "declared here");
            self.report(diagnostic);
            return self.poison_expr(span);
        }
        if in_place && let Constructor::Extern { decl, .. } = construct.constructor {
            let object = self.program.externs[decl].name.text.clone();
            let same = |id: &&hir::InstanceId| self.program.instances[**id].ty == ty;
            let text = match self.context.direct.iter().filter(same).count() {
                0 => object,
                others => format!("{object}_{}", others + 1),
            };
            let id = self.direct_instance(text, call.callee.span, construct, ty);
            return Expr { kind: ExprKind::Instance(id), ty, span };
        }
        Expr { kind: ExprKind::Construct(Box::new(construct)), ty, span }
    }

    /// Makes an instance at its use, owned by the enclosing block.
    fn direct_instance(
        &mut self,
        text: String,
        name_span: Span,
        construct: Construct,
        ty: TypeId,
    ) -> hir::InstanceId {
        let id = self.program.instances.push(hir::Instance {
            name: hir::Name { text, span: name_span },
            ty,
            construct,
            methods: Vec::new(),
            members: Vec::new(),
            annotations: hir::Annotations::default(),
            direct: true,
        });
        self.context.direct.push(id);
        id
    }

    /// Resolves a constructor and its arguments. Also returns the instance's type.
    fn construct(
        &mut self,
        target: Resolved,
        args: &[ast::Argument],
        wanted: Option<TypeId>,
        name_span: Span,
        span: Span,
    ) -> Option<(Construct, TypeId)> {
        let (symbol, given) = match target {
            Resolved::Complete(Types::POISON) => return None,
            Resolved::Complete(ty) => {
                let (symbol, given) = match self.program.types[ty].clone() {
                    Type::Extern { decl, args } => (TypeSymbol::Extern(decl), args),
                    Type::Package { decl, args } => (TypeSymbol::Package(decl), args),
                    Type::BlockType { decl, args } => (TypeSymbol::BlockType(decl), args),
                    Type::Parser { decl, args } => (TypeSymbol::Parser(decl), args),
                    Type::Control { decl, args } => (TypeSymbol::Control(decl), args),
                    _ => (TypeSymbol::Plain(ty), Vec::new()),
                };
                (symbol, given.into_iter().map(|arg| (arg != Types::ANY).then_some(arg)).collect())
            }
            Resolved::Open { symbol, args } => (symbol, args),
        };
        let type_params = self.type_params(symbol).to_vec();
        let mut bindings = Bindings::new(&type_params);
        if !given.is_empty() {
            if given.len() != type_params.len() {
                let message =
                    format!("expected {} type arguments, but {} were given", type_params.len(), given.len());
                self.report(
                    Diagnostic::error("type-argument-count", message)
                        .primary(span, "wrong number of type arguments"),
                );
                return None;
            }
            bindings.types = given;
            let open = if matches!(symbol, TypeSymbol::Extern(_)) { Types::ANY } else { Types::VOID };
            bindings.open = Some(open);
        }
        let (name, declared, params, constructor) = self.constructor(symbol, args, name_span, span)?;
        bindings.extend(self.constructor_wildcards(constructor));
        let result = self.open_type(symbol, &type_params);
        let checked = self.arguments(Invocation {
            name: &name,
            declared,
            params: &params,
            object: (&[], &[]),
            result,
            bindings,
            args,
            wanted,
            span,
            constant: Constant::All,
        });
        let (args, mut type_args) = checked?;
        type_args.truncate(type_params.len());
        let ty = self.apply_type(symbol, type_args.clone());
        Some((Construct { constructor, type_args, args, span }, ty))
    }

    /// Returns a generic type applied to its own type parameters.
    fn open_type(&mut self, symbol: TypeSymbol, params: &[hir::TypeVarId]) -> TypeId {
        let args = params.iter().map(|&param| self.program.types.intern(Type::Var(param))).collect();
        self.apply_type(symbol, args)
    }

    /// Returns the type parameters of a constructor for `_` in the types of its parameters.
    fn constructor_wildcards(&self, constructor: Constructor) -> &[hir::TypeVarId] {
        match constructor {
            Constructor::Extern { decl, constructor } => {
                &self.program.externs[decl].constructors[constructor].type_params
            }
            Constructor::Package(id) => &self.program.packages[id].wildcards,
            Constructor::Parser(_) | Constructor::Control(_) => &[],
        }
    }

    /// Chooses the constructor that an instantiation calls.
    fn constructor(
        &mut self,
        symbol: TypeSymbol,
        args: &[ast::Argument],
        name_span: Span,
        span: Span,
    ) -> Option<(String, Span, Vec<Param>, Constructor)> {
        Some(match symbol {
            TypeSymbol::Extern(decl) => {
                let object = &self.program.externs[decl];
                let name = object.name.clone();
                if object.constructors.is_empty() {
                    let message = format!("`{}` has no constructor", name.text);
                    let diagnostic = Diagnostic::error("no-constructor", message)
                        .primary(name_span, "only the architecture can create objects of this type")
                        .secondary(name.span, "declared here");
                    self.report(diagnostic);
                    return None;
                }
                let written = ast::Name::new(name.text.as_str(), name_span);
                let chosen = self.choose(&written, Overloads::Constructors(decl), args, span)?;
                let signature = &self.program.externs[decl].constructors[chosen];
                let constructor = Constructor::Extern { decl, constructor: chosen };
                (name.text, signature.name.span, signature.params.clone(), constructor)
            }
            TypeSymbol::Package(id) => {
                let package = &self.program.packages[id];
                let name = package.name.clone();
                (name.text, name.span, package.params.clone(), Constructor::Package(id))
            }
            TypeSymbol::Parser(id) => {
                let parser = &self.program.parsers[id];
                let name = parser.name.clone();
                (name.text, name.span, parser.constructor_params.clone(), Constructor::Parser(id))
            }
            TypeSymbol::Control(id) => {
                let control = &self.program.controls[id];
                let name = control.name.clone();
                (name.text, name.span, control.constructor_params.clone(), Constructor::Control(id))
            }
            TypeSymbol::BlockType(id) => {
                let block = self.program.block_types[id].name.clone();
                let message = format!("`{}` has no body and cannot be instantiated", block.text);
                let diagnostic = Diagnostic::error("no-constructor", message)
                    .primary(name_span, "this is only a type")
                    .secondary(block.span, "declared here, without a body");
                self.report(diagnostic);
                return None;
            }
            TypeSymbol::Plain(_) | TypeSymbol::Record(_) => {
                let description = match symbol {
                    TypeSymbol::Plain(ty) => self.show(ty),
                    _ => "this type".to_owned(),
                };
                let diagnostic =
                    Diagnostic::error("no-constructor", format!("{description} has no constructor"))
                        .primary(name_span, "not an extern object, parser, control or package")
                        .note("to convert a value, put the type in parentheses: `(T)value`");
                self.report(diagnostic);
                return None;
            }
        })
    }

    /// Checks `T(args) name;` in any scope. Declares the name as `Poison` on failure.
    pub(super) fn instantiation(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        written: &ast::InstantiationDecl,
        watch: Option<&'static str>,
    ) -> Option<hir::InstanceId> {
        let target = self.resolve_with_wildcards(&written.ty);
        let construction = self.construct(target, &written.args, None, written.ty.span, declaration.span);
        let construction =
            construction.filter(|(construct, _)| self.may_instantiate(construct.constructor, name));
        let Some((construct, ty)) = construction else {
            self.declare(name, Symbol::Poison, None);
            return None;
        };
        let kind = match construct.constructor {
            Constructor::Package(_) => ItemKind::Main,
            Constructor::Parser(_) | Constructor::Control(_) => ItemKind::BlockInstance,
            Constructor::Extern { .. } => ItemKind::Instance,
        };
        let annotations = self.annotations_of(declaration, kind);
        let (methods, members) = self.object_initializer(written, &construct, ty, name);
        let hir_name = self.hir_name(name);
        let id = self.program.instances.push(hir::Instance {
            name: hir_name,
            ty,
            construct,
            methods,
            members,
            annotations,
            direct: false,
        });
        self.declare(name, Symbol::Instance(id), watch);
        Some(id)
    }

    fn may_instantiate(&mut self, constructor: Constructor, name: &ast::Name) -> bool {
        let (what, allowed, home) = match constructor {
            Constructor::Package(_) => (
                "a package",
                self.context.place == Place::TopLevel,
                "packages can be instantiated only at the top level",
            ),
            Constructor::Parser(_) => (
                "a parser",
                self.context.place == Place::ParserLocals,
                "parsers can be instantiated only in the declarations of a parser or as arguments of a package",
            ),
            Constructor::Control(_) => (
                "a control",
                self.context.place == Place::ControlLocals,
                "controls can be instantiated only in the declarations of a control or as arguments of a package",
            ),
            Constructor::Extern { .. } => (
                "an extern object",
                matches!(self.context.place, Place::TopLevel | Place::ParserLocals | Place::ControlLocals),
                "extern objects can be instantiated only at the top level or in the declarations of a parser or control",
            ),
        };
        if !allowed {
            let message = format!("{what} cannot be instantiated here");
            let diagnostic = Diagnostic::error("misplaced-instance", message)
                .primary(name.span, "not allowed here")
                .note(home);
            self.report(diagnostic);
        }
        allowed
    }

    /// Checks `C.apply(…)` on a type, which makes a new instance and applies it.
    pub(super) fn direct_application(
        &mut self,
        target: Resolved,
        name_span: Span,
        args: &[ast::Argument],
        span: Span,
    ) -> Expr {
        let Some((construct, ty)) = self.construct(target, &[], None, name_span, span) else {
            return self.poison_expr(span);
        };
        if !matches!(construct.constructor, Constructor::Parser(_) | Constructor::Control(_)) {
            let message = format!("{} cannot be applied", self.show(ty));
            self.report(
                Diagnostic::error("unknown-method", message).primary(span, "this type has no `apply` method"),
            );
            return self.poison_expr(span);
        }
        let text = display::type_name(&self.program, &self.program.types, ty);
        let id = self.direct_instance(text, name_span, construct, ty);
        let object = Expr { kind: ExprKind::Instance(id), ty, span: name_span };
        self.apply_block(object, args, span)
    }
}
