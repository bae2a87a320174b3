//! Checks expressions: handles literals and names and dispatches all other forms.

use weir_syntax::{Diagnostic, Span, ast};

use super::annotation::unescape;
use super::constant::{fits_type, wrap};
use super::scope::{Symbol, TypeSymbol};
use super::{Checker, Place};
use crate::hir::{Expr, ExprKind, TypeId, Types, VarKind};

impl Checker<'_> {
    /// Checks an expression and converts it implicitly to `ty`.
    pub(super) fn expr_of_type(&mut self, expr: &ast::Expr, ty: TypeId) -> Expr {
        let checked = self.expr(expr, Some(ty));
        self.coerce(checked, ty)
    }

    /// Checks an expression. `wanted` is a hint for forms whose type is ambiguous; the result may
    /// have another type.
    pub(super) fn expr(&mut self, expr: &ast::Expr, wanted: Option<TypeId>) -> Expr {
        let span = expr.span;
        match &expr.kind {
            ast::ExprKind::Bool(value) => Expr { kind: ExprKind::Bool(*value), ty: Types::BOOL, span },
            ast::ExprKind::Integer(literal) => self.integer(literal, span),
            ast::ExprKind::String(text) => {
                Expr { kind: ExprKind::String(unescape(text)), ty: Types::STRING, span }
            }
            ast::ExprKind::Name(path) => self.name_expr(path, span),
            ast::ExprKind::This => match self.context.this {
                Some(ty) => Expr { kind: ExprKind::This, ty, span },
                None => {
                    let message = "`this` can be used only in an implementation of an abstract method";
                    self.report(
                        Diagnostic::error("misplaced-this", message)
                            .primary(span, "not inside an implementation of an abstract method"),
                    );
                    self.poison_expr(span)
                }
            },
            ast::ExprKind::Default => self.default_expr(wanted, span),
            ast::ExprKind::InvalidHeader => self.invalid_header(wanted, span),
            ast::ExprKind::ErrorMember(name) => self.error_member(name, span),
            ast::ExprKind::Type(ty) => {
                let diagnostic = Diagnostic::error("not-a-value", "expected a value, found a type")
                    .primary(ty.span, "expected an expression");
                self.report(diagnostic);
                self.poison_expr(span)
            }
            ast::ExprKind::Member(member) => self.member(member, span),
            ast::ExprKind::Index(index) => self.index(index, span),
            ast::ExprKind::Slice(slice) => self.slice(slice, span),
            ast::ExprKind::PlusSlice(slice) => self.plus_slice(slice, span),
            ast::ExprKind::Call(call) => self.call(call, wanted, span),
            ast::ExprKind::List(items) => self.list_expr(items, wanted, span),
            ast::ExprKind::Struct(written) => self.struct_expr(written, wanted, span),
            ast::ExprKind::Cast(cast) => {
                let target = self.resolve_type(&cast.ty);
                if let Some(exact) = self.exact_cast(&cast.operand, target, span) {
                    return exact;
                }
                let operand = self.expr(&cast.operand, Some(target));
                self.for_type(&cast.ty, target, |c| c.explicit_cast(operand, target, span))
            }
            ast::ExprKind::Unary(unary) => self.unary(unary, wanted, span),
            ast::ExprKind::Chain(chain) => self.chain(chain, wanted, span),
            ast::ExprKind::Ternary(ternary) => self.conditional(ternary, wanted, span),
            ast::ExprKind::Malformed => self.poison_expr(span),
        }
    }

    /// Checks an integer literal, with or without a width.
    fn integer(&mut self, literal: &ast::IntegerLiteral, span: Span) -> Expr {
        let Some(width) = literal.width else {
            return Expr { kind: ExprKind::Int(literal.value.clone()), ty: Types::INT, span };
        };
        let (signed, bits) = (width.signed, width.bits);
        if signed && bits == 0 {
            self.report(
                Diagnostic::error("bad-width", "`int<0>` does not exist")
                    .primary(span, "a signed integer needs at least its sign bit"),
            );
            return self.poison_expr(span);
        }
        let ty = self.bits_type(signed, u64::from(bits), span);
        if ty == Types::POISON {
            return self.poison_expr(span);
        }
        // `8s0b1010_1010` specifies the bits of a negative number (P4_16 section 6.4.3.2).
        let bit_pattern =
            signed && literal.base != ast::IntegerBase::Decimal && fits_type(&literal.value, false, bits);
        if !bit_pattern && !fits_type(&literal.value, signed, bits) {
            self.warn_truncation(&literal.value, ty, signed, bits, span);
        }
        Expr { kind: ExprKind::Int(wrap(&literal.value, signed, bits)), ty, span }
    }

    fn name_expr(&mut self, path: &ast::PathName, span: Span) -> Expr {
        let name = &path.name;
        if let Some((table, declared)) = &self.table
            && table == name.as_str()
            && !path.global
        {
            let message = format!("table `{name}` refers to itself");
            let diagnostic = Diagnostic::error("recursion", message)
                .primary(span, "refers to the table, whose name hides outer names here")
                .secondary(*declared, "table declared here");
            self.report(diagnostic);
            return self.poison_expr(span);
        }
        let Some((symbol, declared)) = self.resolve_name(name, path.global) else {
            if let Some(&id) = self.match_kinds.get(name.as_str()) {
                return Expr { kind: ExprKind::MatchKind(id), ty: Types::MATCH_KIND, span };
            }
            // Suggest tables as well, as for `tabel.apply()`.
            let value = |symbol: &Symbol| {
                matches!(symbol, Symbol::Var(_) | Symbol::Const(_) | Symbol::Instance(_) | Symbol::Table(_))
            };
            self.unknown_name("unknown-name", "variable or constant", name, value);
            return self.poison_expr(span);
        };
        let (kind, ty) = match symbol {
            Symbol::Const(id) => (ExprKind::Const(id), self.program.consts[id].ty),
            Symbol::Var(id) => (ExprKind::Var(id), self.program.vars[id].ty),
            Symbol::Instance(id) => (ExprKind::Instance(id), self.program.instances[id].ty),
            Symbol::Poison => return self.poison_expr(span),
            other => {
                self.not_a_value(&other, name, declared, span);
                return self.poison_expr(span);
            }
        };
        Expr { kind, ty, span }
    }

    fn not_a_value(&mut self, symbol: &Symbol, name: &ast::Name, declared: Span, span: Span) {
        let description = match symbol {
            Symbol::Table(_) => "a table",
            Symbol::ValueSet(_) => "a value set",
            Symbol::Callables(list) => match list.first() {
                Some(super::scope::Callable::Action(_)) => "an action",
                _ => "a function",
            },
            _ => "a type",
        };
        let mut diagnostic =
            Diagnostic::error("not-a-value", format!("`{name}` is {description}, not a value"))
                .primary(span, "expected a value")
                .secondary(declared, "declared here");
        if matches!(symbol, Symbol::Table(_)) {
            diagnostic =
                diagnostic.suggest("apply the table and read its result", span.after(), ".apply().hit");
        } else if matches!(symbol, Symbol::Type(TypeSymbol::Parser(_) | TypeSymbol::Control(_))) {
            diagnostic = diagnostic.suggest(format!("make an instance: `{name}()`"), span.after(), "()");
        }
        self.report(diagnostic);
    }

    fn error_member(&mut self, name: &ast::Name, span: Span) -> Expr {
        if let Some(&id) = self.errors.get(name.as_str()) {
            return Expr { kind: ExprKind::Error(id), ty: Types::ERROR, span };
        }
        let mut diagnostic = Diagnostic::error("unknown-error", format!("there is no error `{name}`"))
            .primary(name.span, "not declared in any `error { ... }`");
        let names = self.program.errors.iter().map(|(_, member)| member.0.name.text.as_str());
        if let Some(nearest) = self.nearest_name(name.as_str(), || names) {
            diagnostic = diagnostic.suggest(format!("did you mean `{nearest}`?"), name.span, nearest);
        }
        self.report(diagnostic);
        self.poison_expr(span)
    }

    /// Returns whether `expr` may be written to. Reports an error if not; `how` completes "cannot
    /// be ...".
    pub(super) fn writable(&mut self, expr: &Expr, how: &str) -> bool {
        if expr.ty == Types::POISON {
            return false;
        }
        let mut root = expr;
        loop {
            root = match &root.kind {
                ExprKind::Field { base, .. }
                | ExprKind::TupleElement { base, .. }
                | ExprKind::Index { base, .. }
                | ExprKind::Slice { base, .. }
                | ExprKind::IndexedSlice { base, .. }
                | ExprKind::StackNext(base) => base,
                _ => break,
            };
        }
        let ExprKind::Var(id) = root.kind else {
            let (label, declared) = match root.kind {
                ExprKind::Const(id) => ("a constant", Some(self.program.consts[id].name.span)),
                ExprKind::Instance(id) => ("an instance", Some(self.program.instances[id].name.span)),
                ExprKind::StackLast(_) => ("`last` is read-only", None),
                _ => ("not a variable, field, element or slice", None),
            };
            let mut diagnostic = Diagnostic::error("not-assignable", format!("this cannot be {how}"))
                .primary(expr.span, label);
            if let Some(declared) = declared {
                diagnostic = diagnostic.secondary(declared, "declared here");
            }
            self.report(diagnostic);
            return false;
        };
        let var = &self.program.vars[id];
        let why = match var.kind {
            VarKind::Param(crate::hir::Direction::In) => "an `in` parameter is read-only",
            VarKind::ConstantParam | VarKind::Param(crate::hir::Direction::None) => {
                "a parameter without direction is read-only"
            }
            VarKind::ConstructorParam => "a constructor parameter is read-only",
            _ => return true,
        };
        let (name, declared) = (var.name.text.clone(), var.name.span);
        let diagnostic = Diagnostic::error("not-assignable", format!("`{name}` cannot be {how}"))
            .primary(expr.span, why)
            .secondary(declared, "declared here");
        let diagnostic = match var.kind {
            VarKind::ConstructorParam => diagnostic,
            _ => diagnostic.note(format!(
                "declare `{name}` as `inout` if the caller should see the change; otherwise copy it to a variable"
            )),
        };
        self.report(diagnostic);
        false
    }

    /// Returns whether `next`, `last` and `lastIndex` are available here. Reports an error if not.
    pub(super) fn require_parser(&mut self, name: &ast::Name) -> bool {
        if self.context.place == Place::ParserState {
            return true;
        }
        let diagnostic = Diagnostic::error(
            "not-in-parser",
            format!("`{name}` of a header stack can be used only in parser states"),
        )
        .primary(name.span, "not in a parser state");
        self.report(diagnostic);
        false
    }
}
