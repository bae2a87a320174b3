//! Checks `base.member`, `base[index]` and slices.

use num_traits::{Signed, ToPrimitive};
use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::cast::implicit;
use super::constant::{Value, evaluate};
use super::members::Owner;
use super::scope::{Symbol, TypeSymbol};
use crate::hir::{ApplyResult, EnumId, Expr, ExprKind, Type, TypeId, Types};
use weir_ir::MAX_WIDTH;

impl Checker<'_> {
    /// Returns the type that `expr` names, if it names one.
    pub(super) fn as_type_name(&self, expr: &ast::Expr) -> Option<TypeSymbol> {
        let ast::ExprKind::Name(path) = &expr.kind else { return None };
        match self.scopes.resolve_unmarked(path.name.as_str())?.symbol {
            Symbol::Type(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// Checks `base.member` outside of a call.
    pub(super) fn member(&mut self, member: &ast::MemberExpr, span: Span) -> Expr {
        if let Some(symbol) = self.as_type_name(&member.base) {
            return self.type_member(member, symbol, span);
        }
        let base = self.expr(&member.base, None);
        if base.ty == Types::POISON {
            return self.poison_expr(span);
        }
        let name = &member.member;
        match self.program.types[base.ty].clone() {
            Type::ApplyResult(table) => {
                let (result, ty) = match name.as_str() {
                    "hit" => (ApplyResult::Hit, Types::BOOL),
                    "miss" => (ApplyResult::Miss, Types::BOOL),
                    "action_run" => {
                        (ApplyResult::ActionRun, self.program.types.intern(Type::ActionRun(table)))
                    }
                    _ => return self.no_member(base.ty, name, &["hit", "miss", "action_run"], span),
                };
                Expr { kind: ExprKind::Apply { table, result }, ty, span }
            }
            Type::Stack { element, size } => self.stack_member(base, element, size, name, span),
            Type::Record { .. } | Type::AnonymousStruct(_) => {
                match self.field_named(base.ty, name.as_str()) {
                    Some((field, ty)) => {
                        if ty == Types::POISON {
                            return self.poison_expr(span);
                        }
                        self.warn_of_deprecated_field(name, base.ty, field);
                        Expr { kind: ExprKind::Field { base: Box::new(base), field }, ty, span }
                    }
                    None => {
                        self.unknown_field(base.ty, name);
                        self.poison_expr(span)
                    }
                }
            }
            _ => self.no_member(base.ty, name, &[], span),
        }
    }

    fn no_member(&mut self, ty: TypeId, name: &ast::Name, known: &[&str], span: Span) -> Expr {
        let message = format!("{} has no member `{name}`", self.show(ty));
        let mut diagnostic =
            Diagnostic::error("unknown-member", message).primary(name.span, "no such member");
        if let Some(nearest) = self.nearest_name(name.as_str(), || known.iter().copied()) {
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), name.span, nearest);
        }
        if matches!(name.as_str(), "apply" | "isValid" | "setValid" | "setInvalid") {
            diagnostic = diagnostic.note(format!("`{name}` is a method, call it: `{name}()`"));
        }
        self.report(diagnostic);
        self.poison_expr(span)
    }

    fn stack_member(&mut self, base: Expr, element: TypeId, size: u32, name: &ast::Name, span: Span) -> Expr {
        let index_type = self.program.types.bit(32);
        let base = Box::new(base);
        let (kind, ty) = match name.as_str() {
            "size" => return Expr { kind: ExprKind::Int(size.into()), ty: index_type, span },
            "next" => (ExprKind::StackNext(base), element),
            "last" => (ExprKind::StackLast(base), element),
            "lastIndex" => (ExprKind::StackLastIndex(base), index_type),
            _ => {
                let members = ["next", "last", "lastIndex", "size", "push_front", "pop_front"];
                return self.no_member(base.ty, name, &members, span);
            }
        };
        if !self.require_parser(name) {
            return self.poison_expr(span);
        }
        Expr { kind, ty, span }
    }

    fn type_member(&mut self, member: &ast::MemberExpr, symbol: TypeSymbol, span: Span) -> Expr {
        if let ast::ExprKind::Name(path) = &member.base.kind {
            self.resolve_name(&path.name, path.global);
        }
        if let TypeSymbol::Plain(ty) = symbol
            && let Type::Enum(decl) = self.program.types[ty]
        {
            return self.enum_member(decl, ty, &member.member, span);
        }
        let diagnostic = Diagnostic::error("unknown-member", "only enum types have members")
            .primary(span, "expected a value before the `.`");
        self.report(diagnostic);
        self.poison_expr(span)
    }

    /// Checks the expression `E.member`, a member of an enum.
    pub(super) fn enum_member(&mut self, decl: EnumId, ty: TypeId, name: &ast::Name, span: Span) -> Expr {
        if let Some(member) = self.member_named(Owner::Enum(decl), name.as_str()) {
            return Expr { kind: ExprKind::EnumMember { decl, member }, ty, span };
        }
        let members = &self.program.enums[decl].members;
        let enum_name = &self.program.enums[decl].name;
        let mut diagnostic =
            Diagnostic::error("unknown-member", format!("enum `{}` has no member `{name}`", enum_name.text))
                .primary(name.span, "no such member")
                .secondary(enum_name.span, "declared here");
        if let Some(nearest) =
            self.nearest_name(name.as_str(), || members.iter().map(|m| m.name.text.as_str()))
        {
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), name.span, nearest);
        }
        self.report(diagnostic);
        self.poison_expr(span)
    }

    /// Converts an enum with an underlying type to that type, for use as an index.
    fn as_index(&mut self, expr: Expr) -> Expr {
        match self.program.types[expr.ty] {
            Type::Enum(decl) => match self.program.enums[decl].underlying {
                Some(underlying) => implicit(expr, underlying),
                None => expr,
            },
            _ => expr,
        }
    }

    /// Checks the expression `base[index]`, an element of a stack, tuple or list.
    pub(super) fn index(&mut self, written: &ast::IndexExpr, span: Span) -> Expr {
        let base = self.expr(&written.base, None);
        let index = self.expr(&written.index, None);
        if base.ty == Types::POISON || index.ty == Types::POISON {
            return self.poison_expr(span);
        }
        let index = self.as_index(index);
        if !matches!(self.program.types[index.ty], Type::Bits { .. } | Type::Int) {
            let shown_type = self.show(index.ty);
            let diagnostic =
                Diagnostic::error("type-mismatch", format!("an index must be a number, not {shown_type}"))
                    .primary(index.span, format!("this is {shown_type}"));
            self.report(diagnostic);
            return self.poison_expr(span);
        }
        let number = match evaluate(&self.program, &index) {
            Some(Value::Int(value)) => Some(value),
            _ => None,
        };
        let length = match &self.program.types[base.ty] {
            Type::Stack { size, .. } => *size as usize,
            Type::Tuple(items) => items.len(),
            Type::Bits { .. } => {
                let shown_type = self.show(base.ty);
                let diagnostic =
                    Diagnostic::error("not-indexable", format!("{shown_type} cannot be indexed"))
                        .primary(span, "use a slice of width 1 for a single bit")
                        .note("`x[3:3]` is bit 3");
                self.report(diagnostic);
                return self.poison_expr(span);
            }
            _ => {
                let shown_type = self.show(base.ty);
                let mut diagnostic =
                    Diagnostic::error("not-indexable", format!("{shown_type} cannot be indexed"))
                        .primary(base.span, "expected a header stack, array or tuple");
                if let Type::Extern { decl, .. } = self.program.types[base.ty]
                    && self.program.externs[decl].name.text == "register"
                {
                    diagnostic = diagnostic
                        .note("cells of a register are read and written by methods: `read(result, index)`, `write(index, value)`");
                }
                self.report(diagnostic);
                return self.poison_expr(span);
            }
        };
        if let Some(value) = &number
            && value.to_usize().is_none_or(|value| value >= length)
            && !(self.measuring && matches!(self.program.types[base.ty], Type::Stack { .. }))
        {
            let message =
                format!("index {value} is out of range: {} has length {length}", self.show(base.ty));
            let label = if length == 0 {
                "it has no elements".to_owned()
            } else {
                format!("must be from 0 to {}", length - 1)
            };
            self.report(Diagnostic::error("index-out-of-range", message).primary(index.span, label));
            return self.poison_expr(span);
        }
        match self.program.types[base.ty].clone() {
            Type::Stack { element, .. } => {
                let kind = ExprKind::Index { base: Box::new(base), index: Box::new(index) };
                Expr { kind, ty: element, span }
            }
            Type::Tuple(items) => match number.and_then(|value| value.to_usize()) {
                Some(index) => {
                    let ty = items[index];
                    Expr { kind: ExprKind::TupleElement { base: Box::new(base), index }, ty, span }
                }
                None => {
                    let message = "the index of a tuple must be known at compile time";
                    self.report(
                        Diagnostic::error("not-constant", message).primary(index.span, "not constant"),
                    );
                    self.poison_expr(span)
                }
            },
            _ => self.poison_expr(span),
        }
    }

    /// Returns the operand of a slice and its width in bits.
    fn slice_base(&mut self, base: &ast::Expr) -> Option<(Expr, u32)> {
        let base = self.expr(base, None);
        let base = self.as_index(base);
        match self.program.types[base.ty] {
            Type::Poison => None,
            Type::Bits { width, .. } => Some((base, width)),
            Type::Int => Some((base, MAX_WIDTH)),
            _ => {
                let shown_type = self.show(base.ty);
                let diagnostic = Diagnostic::error("not-sliceable", format!("{shown_type} cannot be sliced"))
                    .primary(base.span, "expected a number");
                self.report(diagnostic);
                None
            }
        }
    }

    /// Checks the expression `base[high:low]`, a slice of bits.
    pub(super) fn slice(&mut self, written: &ast::SliceExpr, span: Span) -> Expr {
        let base = self.slice_base(&written.base);
        let high = self.constant_integer(&written.high, "upper bit of a slice");
        let low = self.constant_integer(&written.low, "lower bit of a slice");
        let (Some((base, width)), Some(high), Some(low)) = (base, high, low) else {
            return self.poison_expr(span);
        };
        if high < low {
            let diagnostic = Diagnostic::error("bad-slice", "the bounds of the slice are in the wrong order")
                .primary(span, format!("the high bit {high} is less than the low bit {low}"))
                .note(format!("write the high bit first: `[{low}:{high}]`"));
            self.report(diagnostic);
            return self.poison_expr(span);
        }
        match (high.to_u32(), low.to_u32()) {
            (Some(high), Some(low)) if high < width => self.make_slice(base, high, low, span),
            _ => {
                let shown_type = self.show(base.ty);
                let label = if low.is_negative() {
                    "bits are numbered from 0".to_owned()
                } else {
                    format!("bits are numbered 0 to {}", i64::from(width) - 1)
                };
                let diagnostic =
                    Diagnostic::error("bad-slice", format!("this slice is out of range for {shown_type}"))
                        .primary(span, label);
                self.report(diagnostic);
                self.poison_expr(span)
            }
        }
    }

    fn make_slice(&mut self, base: Expr, high: u32, low: u32, span: Span) -> Expr {
        // An integer without a width gets as many bits as the slice needs (P4_16 section 8.10).
        let base = match base.ty {
            Types::INT => implicit(base, self.program.types.bit(high + 1)),
            _ => base,
        };
        let ty = self.program.types.bit(high - low + 1);
        Expr { kind: ExprKind::Slice { base: Box::new(base), high, low }, ty, span }
    }

    /// Checks the expression `base[low+:width]`, a slice of bits.
    pub(super) fn plus_slice(&mut self, written: &ast::PlusSliceExpr, span: Span) -> Expr {
        let base = self.slice_base(&written.base);
        let low = self.expr(&written.low, None);
        let low = self.as_index(low);
        let Some((base, base_width)) = base else { return self.poison_expr(span) };
        let Some(width) = self.constant_size(&written.width, "width of a slice", base_width) else {
            return self.poison_expr(span);
        };
        if low.ty == Types::POISON {
            return self.poison_expr(span);
        }
        match evaluate(&self.program, &low) {
            Some(Value::Int(value)) => match value.to_u32() {
                Some(low) if width > 0 && low.checked_add(width).is_some_and(|end| end <= base_width) => {
                    self.make_slice(base, low + width - 1, low, span)
                }
                _ => {
                    let shown_type = self.show(base.ty);
                    let message = format!("this slice is out of range for {shown_type}");
                    let label = format!("bits are numbered 0 to {}", i64::from(base_width) - 1);
                    self.report(Diagnostic::error("bad-slice", message).primary(span, label));
                    self.poison_expr(span)
                }
            },
            _ if base.ty != Types::INT
                && matches!(self.program.types[low.ty], Type::Bits { signed: false, .. }) =>
            {
                let ty = self.program.types.bit(width);
                let kind = ExprKind::IndexedSlice { base: Box::new(base), low: Box::new(low), width };
                Expr { kind, ty, span }
            }
            _ => {
                let shown_type = self.show(low.ty);
                let (message, label) = if base.ty == Types::INT {
                    (
                        "the bounds of a slice of a number without a width must be constant".to_owned(),
                        "not constant",
                    )
                } else {
                    (
                        format!("the lowest bit must be a constant or `bit<W>`, not {shown_type}"),
                        "this may be negative",
                    )
                };
                self.report(Diagnostic::error("type-mismatch", message).primary(low.span, label));
                self.poison_expr(span)
            }
        }
    }
}
