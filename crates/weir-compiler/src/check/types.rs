//! Resolves types from the syntax tree.

use weir_ir::{MAX_VARBIT, MAX_WIDTH};
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::scope::TypeSymbol;
use crate::hir::{self, Type, TypeId, Types};

/// The maximum size of a header stack.
const MAX_STACK: u32 = 1 << 16;

impl Checker<'_> {
    /// Resolves a type. Returns `Poison` after reporting an error. A generic type must have all its
    /// type arguments. The type arguments of extern objects may be `_`, which stands for any type.
    pub(super) fn resolve_type(&mut self, ty: &ast::TypeRef) -> TypeId {
        match self.resolve_with_wildcards(ty) {
            Resolved::Complete(id) => id,
            Resolved::Open { symbol: symbol @ TypeSymbol::Extern(_), args } if !args.is_empty() => {
                let args = args.into_iter().map(|arg| arg.unwrap_or(Types::ANY)).collect();
                self.checked_application(symbol, args, ty.span)
            }
            Resolved::Open { symbol, args } => {
                if args.is_empty() {
                    self.wrong_type_arguments(symbol, 0, ty.span);
                } else {
                    let diagnostic = Diagnostic::error("type-argument", "`_` cannot be inferred here")
                        .primary(ty.span, "write the type argument");
                    self.report(diagnostic);
                }
                Types::POISON
            }
        }
    }

    /// Resolves a type whose type arguments a call may infer: a generic type without type arguments
    /// or with `_` among them.
    pub(super) fn resolve_with_wildcards(&mut self, ty: &ast::TypeRef) -> Resolved {
        let id = match &ty.kind {
            ast::TypeRefKind::Bool => Types::BOOL,
            ast::TypeRefKind::Error => Types::ERROR,
            ast::TypeRefKind::MatchKind => Types::MATCH_KIND,
            ast::TypeRefKind::String => Types::STRING,
            ast::TypeRefKind::Void => Types::VOID,
            ast::TypeRefKind::Int => Types::INT,
            ast::TypeRefKind::Bit(None) => self.program.types.bit(1),
            ast::TypeRefKind::Bit(Some(width)) => {
                self.sized_type(width, "width", MAX_WIDTH, |width| Type::Bits { signed: false, width })
            }
            ast::TypeRefKind::SignedInt(width) => {
                let id =
                    self.sized_type(width, "width", MAX_WIDTH, |width| Type::Bits { signed: true, width });
                if self.program.types[id] == (Type::Bits { signed: true, width: 0 }) {
                    self.report(
                        Diagnostic::error("bad-width", "`int<0>` does not exist")
                            .primary(width.span, "a signed integer needs at least its sign bit"),
                    );
                    return Resolved::Complete(Types::POISON);
                }
                id
            }
            ast::TypeRefKind::Varbit(width) => {
                self.sized_type(width, "width", MAX_VARBIT, |max_width| Type::Varbit { max_width })
            }
            ast::TypeRefKind::Stack(element, size) => {
                let element = self.resolve_type(element);
                let stack = self.sized_type(size, "size", MAX_STACK, |size| Type::Stack { element, size });
                if let Type::Stack { size: 0, .. } = self.program.types[stack] {
                    let diagnostic =
                        Diagnostic::error("bad-width", "a header stack or array cannot have size 0")
                            .primary(size.span, "must be at least 1");
                    self.report(diagnostic);
                    return Resolved::Complete(Types::POISON);
                }
                let of_headers = |ty: TypeId| matches!(self.record_kind(ty), Some(kind) if kind != hir::RecordKind::Struct);
                if matches!(self.program.types[element], Type::Stack { element, .. } if of_headers(element)) {
                    let diagnostic =
                        Diagnostic::error("bad-field-type", "a header stack cannot hold header stacks")
                            .primary(ty.span, format!("of {}", self.show(element)))
                            .note("put the inner stack in a struct and declare an array of that struct");
                    self.report(diagnostic);
                    return Resolved::Complete(Types::POISON);
                }
                if element == Types::POISON { Types::POISON } else { self.check_type_size(stack, ty.span) }
            }
            ast::TypeRefKind::Tuple(items) => {
                let written = items;
                let items: Vec<TypeId> = written.iter().map(|item| self.resolve_type(item)).collect();
                if let Some(position) = items.iter().position(|&item| !self.is_constant_type(item)) {
                    let message = format!("a tuple cannot hold {}", self.show(items[position]));
                    let diagnostic = Diagnostic::error("bad-field-type", message)
                        .primary(written[position].span, "this type has no run-time values");
                    self.report(diagnostic);
                    return Resolved::Complete(Types::POISON);
                }
                if items.contains(&Types::POISON) {
                    return Resolved::Complete(Types::POISON);
                }
                let tuple = self.program.types.intern(Type::Tuple(items));
                self.check_type_size(tuple, ty.span)
            }
            ast::TypeRefKind::List(element) => {
                let element = self.resolve_type(element);
                let list = self.program.types.intern(Type::List(element));
                self.check_type_size(list, ty.span)
            }
            ast::TypeRefKind::DontCare => {
                let diagnostic = Diagnostic::error("type-argument", "`_` is not allowed here")
                    .primary(ty.span, "only type arguments can be inferred");
                self.report(diagnostic);
                Types::POISON
            }
            ast::TypeRefKind::Named(named) => return self.named_type(named, ty.span),
        };
        Resolved::Complete(id)
    }

    fn named_type(&mut self, named: &ast::NamedType, span: Span) -> Resolved {
        let Some(symbol) = self.type_symbol(&named.name, named.global) else {
            return Resolved::Complete(Types::POISON);
        };
        let args: Vec<Option<TypeId>> = named.args.iter().map(|arg| self.type_argument(arg)).collect();
        let params = self.type_params(symbol).to_vec();
        if args.is_empty() && !params.is_empty() {
            return Resolved::Open { symbol, args };
        }
        if args.len() != params.len() {
            self.wrong_type_arguments(symbol, args.len(), span);
            return Resolved::Complete(Types::POISON);
        }
        match args.iter().copied().collect::<Option<Vec<TypeId>>>() {
            Some(args) => Resolved::Complete(self.checked_application(symbol, args, span)),
            None => Resolved::Open { symbol, args },
        }
    }

    /// Applies a type name to type arguments. Returns `Poison` after reporting that they do not
    /// fit.
    fn checked_application(&mut self, symbol: TypeSymbol, args: Vec<TypeId>, span: Span) -> TypeId {
        let ty = self.apply_type(symbol, args);
        if self.type_args_fit_fields(ty, span) { self.check_type_size(ty, span) } else { Types::POISON }
    }

    /// Returns whether the type arguments of a record are valid for its fields. Reports an error if
    /// not.
    fn type_args_fit_fields(&mut self, ty: TypeId, span: Span) -> bool {
        if let Type::Extern { args, .. } = &self.program.types[ty] {
            return self.are_data(&args.clone(), span);
        }
        let Type::Record { decl, ref args } = self.program.types[ty] else { return true };
        if args.is_empty() {
            return true;
        }
        let bad_arg = args.iter().copied().find(|&arg| !self.is_value_type(arg));
        if let Some(arg) = bad_arg {
            let message = format!("{} cannot be a type argument here", self.show(arg));
            self.report(Diagnostic::error("type-argument", message).primary(span, "has no run-time values"));
            return false;
        }
        let kind = self.program.records[decl].kind;
        let fields = self.fields(ty).unwrap_or_default();
        fields.into_iter().all(|(_, field)| field == Types::POISON || self.may_be_field(kind, field, span))
    }

    /// Returns whether all type arguments of an extern object are types of data. Reports an error
    /// for an object, parser or control.
    fn are_data(&mut self, args: &[TypeId], span: Span) -> bool {
        let object = |ty: TypeId| {
            matches!(
                self.program.types[ty],
                Type::Extern { .. }
                    | Type::Parser { .. }
                    | Type::Control { .. }
                    | Type::BlockType { .. }
                    | Type::Package { .. }
            )
        };
        let Some(arg) = args.iter().copied().find(|&arg| object(arg)) else { return true };
        let message = format!("{} cannot be a type argument here", self.show(arg));
        self.report(Diagnostic::error("type-argument", message).primary(span, "expected a data type"));
        false
    }
}

/// The result of resolving a type: complete, or without its type arguments.
pub(super) enum Resolved {
    /// A complete type, or `Poison`.
    Complete(TypeId),
    /// A generic type whose type arguments are all omitted or partly `_`.
    Open {
        symbol: TypeSymbol,
        /// Empty, or one for each type parameter; `None` for `_`.
        args: Vec<Option<TypeId>>,
    },
}
