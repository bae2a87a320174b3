//! Checks enums, with and without an underlying type.

use super::Checker;
use super::constant::{Value, evaluate};
use super::scope::{Symbol, TypeSymbol};
use crate::hir::{self, ItemKind, Type, TypeId, Types};
use num_bigint::BigInt;
use num_traits::Zero;
use rustc_hash::FxHashMap;
use weir_syntax::Diagnostic;
use weir_syntax::ast::{self};

impl Checker<'_> {
    /// Checks the declaration of an enum without values.
    pub(super) fn enumeration(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        decl: &ast::EnumDecl,
    ) -> hir::EnumId {
        let members = decl.members.iter().map(|member| (&member.name, None)).collect();
        self.declare_enum(declaration, name, None, members)
    }

    pub(super) fn serializable_enum(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        decl: &ast::SerializableEnumDecl,
    ) -> hir::EnumId {
        let written = self.resolve_type(&decl.ty);
        let mut underlying = written;
        if !matches!(self.program.types[underlying], Type::Bits { .. } | Type::Poison) {
            let shown_type = self.show(written);
            let diagnostic = Diagnostic::error(
                "bad-enum",
                format!("the underlying type of an enum cannot be {shown_type}"),
            )
            .primary(decl.ty.span, "expected `bit<W>` or `int<W>`");
            self.report(diagnostic);
            underlying = Types::POISON;
        }
        let mut members = Vec::new();
        // Later members may be computed from earlier ones.
        self.scopes.open();
        for member in &decl.members {
            let value = self.enum_value(&member.value, underlying);
            let init = hir::Expr {
                kind: hir::ExprKind::Int(value.clone()),
                ty: underlying,
                span: member.value.span,
            };
            let annotations = hir::Annotations::default();
            let name = self.hir_name(&member.name);
            let id = self.program.consts.push(hir::Const { name, ty: underlying, init, annotations });
            let symbol = Symbol::Const(id);
            let binding = super::Binding { symbol, span: member.name.span, used: true, watch: None };
            self.scopes.bind(member.name.as_str(), binding);
            members.push((&member.name, Some(value)));
        }
        self.scopes.close();
        self.declare_enum(declaration, name, Some(underlying), members)
    }

    pub(super) fn enum_value(&mut self, value: &ast::Expr, underlying: TypeId) -> BigInt {
        let checked = self.expr_of_type(value, underlying);
        if checked.ty == Types::POISON {
            return BigInt::zero();
        }
        if let Some(Value::Int(value)) = evaluate(&self.program, &checked) {
            return value;
        }
        let diagnostic =
            Diagnostic::error("not-constant", "the value of an enum member must be a compile-time constant")
                .primary(value.span, "value not known at compile time");
        self.report(diagnostic);
        BigInt::zero()
    }

    pub(super) fn declare_enum(
        &mut self,
        declaration: &ast::Declaration,
        name: &ast::Name,
        underlying: Option<TypeId>,
        written: Vec<(&ast::Name, Option<BigInt>)>,
    ) -> hir::EnumId {
        let annotations = self.annotations_of(declaration, ItemKind::Enum);
        let mut members: Vec<hir::EnumMember> = Vec::new();
        let mut seen: FxHashMap<&str, weir_syntax::Span> = FxHashMap::default();
        for (member, value) in written {
            if let Some(previous) = seen.insert(member.as_str(), member.span) {
                self.duplicate_member(member, previous, "enum member");
                continue;
            }
            members.push(hir::EnumMember { name: self.hir_name(member), value });
        }
        let hir_name = self.hir_name(name);
        let id = self.program.enums.push(hir::Enum { name: hir_name, annotations, underlying, members });
        let ty = self.program.types.intern(Type::Enum(id));
        self.declare(name, Symbol::Type(TypeSymbol::Plain(ty)), None);
        id
    }
}
