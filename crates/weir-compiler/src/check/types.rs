//! Resolves types from the syntax tree.

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};
use weir_syntax::{Diagnostic, Span, ast};

use weir_ir::{MAX_VARBIT, MAX_WIDTH};

use super::Checker;
use super::constant::{Value, evaluate};
use super::scope::{Symbol, TypeSymbol};
use crate::hir::display;
use crate::hir::{self, Type, TypeId, Types};

/// The maximum size of a header stack.
const MAX_STACK: u32 = 1 << 16;

impl Checker<'_> {
    /// Resolves a type. Returns `Poison` after reporting an error. A generic type must have all its
    /// type arguments.
    pub(super) fn resolve_type(&mut self, ty: &ast::TypeRef) -> TypeId {
        match self.resolve_with_wildcards(ty) {
            Resolved::Complete(id) => id,
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
                self.sized(width, "width", MAX_WIDTH, |width| Type::Bits { signed: false, width })
            }
            ast::TypeRefKind::SignedInt(width) => {
                let id = self.sized(width, "width", MAX_WIDTH, |width| Type::Bits { signed: true, width });
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
                self.sized(width, "width", MAX_VARBIT, |max_width| Type::Varbit { max_width })
            }
            ast::TypeRefKind::Stack(element, size) => {
                let element = self.resolve_type(element);
                let stack = self.sized(size, "size", MAX_STACK, |size| Type::Stack { element, size });
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
                if element == Types::POISON { Types::POISON } else { self.bounded(stack, ty.span) }
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
                self.bounded(tuple, ty.span)
            }
            ast::TypeRefKind::List(element) => {
                let element = self.resolve_type(element);
                let list = self.program.types.intern(Type::List(element));
                self.bounded(list, ty.span)
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
        let wanted = self.named_type_params(&params);
        if args.is_empty() && !params.is_empty() {
            return Resolved::Open { symbol, args };
        }
        if args.len() != wanted {
            self.wrong_type_arguments(symbol, args.len(), span);
            return Resolved::Complete(Types::POISON);
        }
        let mut args = args;
        args.resize(params.len(), None);
        match args.iter().copied().collect::<Option<Vec<TypeId>>>() {
            Some(args) => {
                let ty = self.apply_type(symbol, args);
                let fits = self.type_args_fit_fields(ty, span);
                Resolved::Complete(if fits { self.bounded(ty, span) } else { Types::POISON })
            }
            None => Resolved::Open { symbol, args },
        }
    }

    /// Resolves a type argument. Returns `None` for `_`.
    pub(super) fn type_argument(&mut self, arg: &ast::TypeRef) -> Option<TypeId> {
        match arg.kind {
            ast::TypeRefKind::DontCare => self.wildcard(arg.span),
            _ => Some(self.resolve_type(arg)),
        }
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

    /// Returns whether no type argument of an extern object is an object, parser or control.
    /// Reports an error if one is.
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

    /// Returns a fresh type parameter for `_`, where a signature allows one.
    fn wildcard(&mut self, span: Span) -> Option<TypeId> {
        self.wildcards.as_ref()?;
        let name = hir::Name { text: "_".to_owned(), span };
        let var = self.program.type_vars.push(hir::TypeVar { name });
        self.wildcards.as_mut()?.push(var);
        Some(self.program.types.intern(Type::Var(var)))
    }

    /// Runs `body`, in which types may contain `_`. Also returns the type parameters created for
    /// them.
    pub(super) fn with_wildcards<R>(
        &mut self,
        body: impl FnOnce(&mut Self) -> R,
    ) -> (R, Vec<hir::TypeVarId>) {
        let outer = self.wildcards.replace(Vec::new());
        let result = body(self);
        let made = std::mem::replace(&mut self.wildcards, outer);
        (result, made.unwrap_or_default())
    }

    /// Returns the number of type parameters that have a name and can be given explicitly. The
    /// others were created for `_`.
    pub(super) fn named_type_params(&self, params: &[hir::TypeVarId]) -> usize {
        params.iter().filter(|&&param| self.program.type_vars[param].name.text != "_").count()
    }

    fn wrong_type_arguments(&mut self, symbol: TypeSymbol, found: usize, span: Span) {
        let (name, params) = (self.type_symbol_name(symbol), self.type_params(symbol).to_vec());
        let count =
            |n: usize| if n == 1 { "1 type argument".to_owned() } else { format!("{n} type arguments") };
        let message = match self.named_type_params(&params) {
            0 => format!("`{}` is not generic", name.text),
            wanted => format!("`{}` takes {}, not {found}", name.text, count(wanted)),
        };
        let params: Vec<&str> =
            params.iter().map(|&param| self.program.type_vars[param].name.text.as_str()).collect();
        let label = if params.is_empty() {
            "takes no type arguments".to_owned()
        } else {
            format!("expected `{}<{}>`", name.text, params.join(", "))
        };
        let mut diagnostic = Diagnostic::error("type-argument-count", message).primary(span, label);
        if name.span != Span::NONE {
            diagnostic = diagnostic.secondary(name.span, "declared here");
        }
        self.report(diagnostic);
    }

    fn type_symbol_name(&self, symbol: TypeSymbol) -> hir::Name {
        match symbol {
            TypeSymbol::Plain(ty) => hir::Name {
                text: display::type_name(&self.program, &self.program.types, ty),
                span: Span::NONE,
            },
            TypeSymbol::Record(id) => self.program.records[id].name.clone(),
            TypeSymbol::Extern(id) => self.program.externs[id].name.clone(),
            TypeSymbol::BlockType(id) => self.program.block_types[id].name.clone(),
            TypeSymbol::Package(id) => self.program.packages[id].name.clone(),
            TypeSymbol::Parser(id) => self.program.parsers[id].name.clone(),
            TypeSymbol::Control(id) => self.program.controls[id].name.clone(),
        }
    }

    /// Returns the type parameters of the type that a name refers to.
    pub(super) fn type_params(&self, symbol: TypeSymbol) -> &[hir::TypeVarId] {
        match symbol {
            TypeSymbol::Plain(_) => &[],
            TypeSymbol::Parser(id) => &self.program.parsers[id].type_params,
            TypeSymbol::Control(id) => &self.program.controls[id].type_params,
            TypeSymbol::Record(id) => &self.program.records[id].type_params,
            TypeSymbol::Extern(id) => &self.program.externs[id].type_params,
            TypeSymbol::BlockType(id) => &self.program.block_types[id].type_params,
            TypeSymbol::Package(id) => &self.program.packages[id].type_params,
        }
    }

    /// Applies a type name to type arguments, one for each of its [`Self::type_params`].
    pub(super) fn apply_type(&mut self, symbol: TypeSymbol, args: Vec<TypeId>) -> TypeId {
        let ty = match symbol {
            TypeSymbol::Plain(ty) => return ty,
            TypeSymbol::Record(decl) => Type::Record { decl, args },
            TypeSymbol::Extern(decl) => Type::Extern { decl, args },
            TypeSymbol::BlockType(decl) => Type::BlockType { decl, args },
            TypeSymbol::Package(decl) => Type::Package { decl, args },
            TypeSymbol::Parser(decl) => Type::Parser { decl, args },
            TypeSymbol::Control(decl) => Type::Control { decl, args },
        };
        self.program.types.intern(ty)
    }

    /// Returns the type that `name` refers to. Reports an error if there is none.
    pub(super) fn type_symbol(&mut self, name: &ast::Name, global: bool) -> Option<TypeSymbol> {
        let found = self.scopes.resolve(name.as_str(), global).map(|b| (b.symbol.clone(), b.span));
        match found {
            Some((Symbol::Type(symbol), _)) => Some(symbol),
            Some((Symbol::Poison, _)) => None,
            Some((_, declared)) => {
                let diagnostic = Diagnostic::error("not-a-type", format!("`{name}` is not a type"))
                    .primary(name.span, "expected a type")
                    .secondary(declared, format!("`{name}` is declared here"));
                self.report(diagnostic);
                None
            }
            None => {
                let is_type = |symbol: &Symbol| matches!(symbol, Symbol::Type(_));
                self.unknown_name("unknown-type", "type", name, is_type);
                None
            }
        }
    }

    /// Reports a name that is not in scope and suggests the most similar one that `wanted` accepts.
    pub(super) fn unknown_name(
        &mut self,
        id: &'static str,
        what: &str,
        name: &ast::Name,
        wanted: impl Fn(&Symbol) -> bool,
    ) {
        let mut diagnostic = Diagnostic::error(id, format!("there is no {what} `{name}` in scope"))
            .primary(name.span, "not found");
        let later = self.later_here.get(name.as_str()).or_else(|| self.later.get(name.as_str()));
        if let Some(later) = later
            && (later.start > name.span.start || later.file != name.span.file)
        {
            self.used_before_declaration.insert(name.text.to_string());
            diagnostic = diagnostic
                .secondary(*later, "declared later, here")
                .note("names must be declared before they are used: move the declaration up");
        } else if let Some(nearest) = self.nearest_name(name.as_str(), || self.scopes.names(&wanted)) {
            let nearest = nearest.to_owned();
            // Mark the suggested name as used: an "unused" warning about it would be a consequence
            // of the misspelling.
            self.scopes.resolve(&nearest, false);
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), name.span, nearest);
        } else if id == "unknown-type"
            && let Some(here) = p4_type_for_c_name(name.as_str())
        {
            diagnostic = diagnostic.suggest(format!("the P4 name of this type is `{here}`"), name.span, here);
        } else if let Some(file) = super::shipped::file_of(name.as_str()) {
            diagnostic = diagnostic.note(format!("`{name}` is declared in {file}: add `#include <{file}>`"));
        } else if id == "unknown-type"
            && let Some(keyword) =
                self.nearest_name(name.as_str(), || ["transition", "return", "switch", "action", "table"])
        {
            // The parser reads `transitoin accept;` as a declaration.
            diagnostic = diagnostic.suggest(format!("did you mean `{keyword}`?"), name.span, keyword);
        }
        self.report(diagnostic);
    }

    fn sized(&mut self, size: &ast::Expr, what: &str, limit: u32, make: impl FnOnce(u32) -> Type) -> TypeId {
        match self.constant_size(size, what, limit) {
            Some(size) => self.program.types.intern(make(size)),
            None => Types::POISON,
        }
    }

    /// Returns the type `bit<width>` or `int<width>`; reports it at `span` if it is too wide.
    pub(super) fn bits_type(&mut self, signed: bool, width: u64, span: Span) -> TypeId {
        if let Some(width) = u32::try_from(width).ok().filter(|width| *width <= MAX_WIDTH) {
            return self.program.types.intern(Type::Bits { signed, width });
        }
        let label = format!("this has {width} bits; at most {MAX_WIDTH} are allowed");
        let diagnostic =
            Diagnostic::error("bad-width", format!("invalid width {width}")).primary(span, label);
        self.report(diagnostic);
        Types::POISON
    }

    /// Evaluates a constant expression that is a size, from 0 to `limit`.
    pub(super) fn constant_size(&mut self, size: &ast::Expr, what: &str, limit: u32) -> Option<u32> {
        let value = self.constant_integer(size, what)?;
        if let Some(value) = value.to_u32()
            && value <= limit
        {
            return Some(value);
        }
        let bound = if value.is_negative() { "at least 0".to_owned() } else { format!("at most {limit}") };
        let diagnostic = Diagnostic::error("bad-width", format!("invalid {what} {value}"))
            .primary(size.span, format!("must be {bound}"));
        self.report(diagnostic);
        None
    }

    /// Evaluates an expression that must be an integer known to the checker.
    pub(super) fn constant_integer(&mut self, expr: &ast::Expr, what: &str) -> Option<BigInt> {
        let checked = self.expr(expr, None);
        if checked.ty == Types::POISON {
            return None;
        }
        match evaluate(&self.program, &checked) {
            Some(Value::Int(value)) => Some(value),
            Some(Value::Member(decl, member)) if self.program.enums[decl].underlying.is_some() => {
                self.program.enums[decl].members[member].value.clone()
            }
            Some(_) => {
                let found = self.show(checked.ty);
                let diagnostic =
                    Diagnostic::error("type-mismatch", format!("the {what} must be an integer, not {found}"))
                        .primary(expr.span, format!("expected an integer, found {found}"));
                self.report(diagnostic);
                None
            }
            None => {
                let diagnostic =
                    Diagnostic::error("not-constant", format!("the {what} must be known at compile time"))
                        .primary(expr.span, "not a compile-time constant");
                self.report(diagnostic);
                None
            }
        }
    }
}

/// The result of resolving a type.
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

/// Returns the P4 equivalent of a type name of C or a similar language.
fn p4_type_for_c_name(name: &str) -> Option<&'static str> {
    Some(match name {
        "uint8_t" | "uint8" | "u8" | "byte" | "char" => "bit<8>",
        "uint16_t" | "uint16" | "u16" | "short" => "bit<16>",
        "uint32_t" | "uint32" | "u32" | "unsigned" | "uint" => "bit<32>",
        "uint64_t" | "uint64" | "u64" | "long" => "bit<64>",
        "int8_t" | "int8" | "i8" => "int<8>",
        "int16_t" | "int16" | "i16" => "int<16>",
        "int32_t" | "int32" | "i32" => "int<32>",
        "int64_t" | "int64" | "i64" => "int<64>",
        "boolean" => "bool",
        _ => return None,
    })
}
