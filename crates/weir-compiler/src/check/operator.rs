//! Checks operators and the types of their operands (P4_16 sections 8.2 to 8.10).

use weir_syntax::{Diagnostic, Span, ast};

use super::Checker;
use super::cast::{implicit, suggest_prefix};
use crate::hir::{BinaryOp, Expr, ExprKind, Type, TypeId, Types, UnaryOp};

impl Checker<'_> {
    /// Converts a serializable enum to its underlying type. Returns other expressions unchanged.
    pub(super) fn enum_to_number(&mut self, expr: Expr) -> Expr {
        match self.program.types[expr.ty] {
            Type::Enum(decl) => match self.program.enums[decl].underlying {
                Some(underlying) if underlying != Types::POISON => implicit(expr, underlying),
                _ => expr,
            },
            _ => expr,
        }
    }

    /// Checks an operation on one operand.
    pub(super) fn unary(&mut self, written: &ast::UnaryExpr, wanted: Option<TypeId>, span: Span) -> Expr {
        let operand = self.expr(&written.operand, wanted);
        if operand.ty == Types::POISON {
            return self.poison_expr(span);
        }
        let (op, operand) = match written.op {
            ast::UnaryOp::Not => (UnaryOp::Not, operand),
            ast::UnaryOp::Complement => (UnaryOp::Complement, self.enum_to_number(operand)),
            ast::UnaryOp::Negate => (UnaryOp::Negate, self.enum_to_number(operand)),
            ast::UnaryOp::Plus => (UnaryOp::Plus, self.enum_to_number(operand)),
        };
        let ty = &self.program.types[operand.ty];
        let fits = match op {
            UnaryOp::Not => *ty == Type::Bool,
            UnaryOp::Complement => matches!(ty, Type::Bits { .. }),
            UnaryOp::Negate | UnaryOp::Plus => matches!(ty, Type::Bits { .. } | Type::Int),
        };
        if !fits {
            let shown_type = self.show(operand.ty);
            let symbol = written.op.symbol();
            let mut diagnostic =
                Diagnostic::error("bad-operand", format!("`{symbol}` cannot be applied to {shown_type}"))
                    .primary(operand.span, format!("this is {shown_type}"));
            diagnostic = match (op, ty) {
                (UnaryOp::Complement, Type::Int) => diagnostic.note("give the number a width, as in `~32w1`"),
                (UnaryOp::Not, Type::Bits { .. }) => diagnostic
                    .note("`!` negates `bool` values; use `~` to flip bits or `== 0` to test for zero"),
                (UnaryOp::Complement, Type::Bool) => diagnostic.note("use `!` to negate a `bool`"),
                _ => diagnostic,
            };
            self.report(diagnostic);
            return self.poison_expr(span);
        }
        let ty = operand.ty;
        Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty, span }
    }

    /// Checks a conditional expression with `?` and `:`.
    pub(super) fn conditional(
        &mut self,
        written: &ast::TernaryExpr,
        wanted: Option<TypeId>,
        span: Span,
    ) -> Expr {
        let condition = self.condition(&written.condition);
        let then = self.expr(&written.then, wanted);
        let otherwise = self.expr(&written.otherwise, wanted);
        if [&condition, &then, &otherwise].iter().any(|part| part.ty == Types::POISON) {
            return self.poison_expr(span);
        }
        let Some((then, otherwise)) = self.common_type(then, otherwise, wanted) else {
            return self.poison_expr(span);
        };
        let ty = then.ty;
        let (condition, then, otherwise) = (Box::new(condition), Box::new(then), Box::new(otherwise));
        Expr { kind: ExprKind::Conditional { condition, then, otherwise }, ty, span }
    }

    /// Converts both branches to a common type. Reports an error if there is none.
    pub(super) fn common_type(
        &mut self,
        left: Expr,
        right: Expr,
        wanted: Option<TypeId>,
    ) -> Option<(Expr, Expr)> {
        if let Some(wanted) = wanted
            && left.ty == Types::INT
            && right.ty == Types::INT
            && matches!(self.program.types[wanted], Type::Bits { .. })
        {
            return Some((self.coerce(left, wanted), self.coerce(right, wanted)));
        }
        let (left_ty, right_ty) = (left.ty, right.ty);
        let left = match self.try_coerce(left, right_ty) {
            Ok(left) => return Some((left, right)),
            Err(left) => left,
        };
        match self.try_coerce(right, left_ty) {
            Ok(right) => Some((left, right)),
            Err(right) => {
                let (a, b) = (self.show(left_ty), self.show(right_ty));
                let message = format!("both branches must have the same type, found {a} and {b}");
                let diagnostic = Diagnostic::error("type-mismatch", message)
                    .primary(right.span, format!("this is {b}"))
                    .secondary(left.span, format!("this is {a}"));
                self.report(diagnostic);
                None
            }
        }
    }

    /// Checks an expression of type `bool`.
    pub(super) fn condition(&mut self, written: &ast::Expr) -> Expr {
        let checked = self.expr(written, Some(Types::BOOL));
        if let Type::ApplyResult(_) = self.program.types[checked.ty] {
            let diagnostic =
                Diagnostic::error("type-mismatch", "expected `bool`, found the result of `apply()`")
                    .primary(checked.span, "read its `hit` or `miss` member")
                    .suggest("test whether an entry matched", checked.span.after(), ".hit");
            self.report(diagnostic);
            return self.poison_expr(checked.span);
        }
        self.coerce(checked, Types::BOOL)
    }

    /// Checks an operator whose operands are checked.
    pub(super) fn operation(&mut self, op: BinaryOp, mut left: Expr, right: Expr, at: Operation) -> Expr {
        match op {
            BinaryOp::Eq | BinaryOp::Ne => {
                if let ExprKind::Aggregate(_) = left.kind {
                    left = match self.try_coerce(left, right.ty) {
                        Ok(left) | Err(left) => left,
                    };
                }
                self.equality(op, left, right, at)
            }
            BinaryOp::LogicalAnd | BinaryOp::LogicalOr => {
                let left = self.coerce(left, Types::BOOL);
                let right = self.coerce(right, Types::BOOL);
                if left.ty == Types::POISON || right.ty == Types::POISON {
                    return self.poison_expr(at.span);
                }
                make(op, left, right, Types::BOOL, at.span)
            }
            BinaryOp::Shl | BinaryOp::Shr => self.shift(op, left, right, at),
            BinaryOp::Concat => self.concat(left, right, at),
            _ => self.arithmetic(op, left, right, at),
        }
    }

    /// Returns the casts that convert `expr` to `target`, if one of both is a new type (`type`).
    fn cast_of_new_type(&self, expr: &Expr, target: TypeId) -> Option<String> {
        let is_new = |ty: TypeId| matches!(self.program.types[ty], Type::Newtype(_));
        if !is_new(expr.ty) && !is_new(target) {
            return None;
        }
        if self.castable(expr, target) {
            return Some(format!("({})", self.written_name(target)));
        }
        self.casts_through_new_type(expr, target)
    }

    pub(super) fn bad_operands(
        &mut self,
        left: &Expr,
        right: &Expr,
        at: Operation,
        note: Option<&str>,
    ) -> Expr {
        let (a, b) = (self.show_of(left), self.show_of(right));
        let message = format!("`{}` cannot be applied to {a} and {b}", at.symbol);
        let mut diagnostic = Diagnostic::error("bad-operand", message)
            .primary(at.op_span, "incompatible operands")
            .secondary(left.span, format!("this is {a}"))
            .secondary(right.span, format!("this is {b}"));
        diagnostic = self.with_operand_advice(left, right, diagnostic);
        if let Some(note) = note {
            diagnostic = diagnostic.note(note);
        } else if matches!(at.symbol, "==" | "!=")
            && let Some(casts) = self.cast_of_new_type(right, left.ty)
        {
            diagnostic = suggest_prefix(diagnostic, right, "give both operands the same type", &casts);
        } else if let (Type::Bits { signed: s, width: w }, Type::Bits { signed: t, width: v }) =
            (&self.program.types[left.ty], &self.program.types[right.ty])
        {
            if s == t && w != v {
                let (narrow, wide) = if w < v { (left, right) } else { (right, left) };
                let cast = format!("({})", self.written_name_of(wide));
                diagnostic = if matches!(narrow.kind, ExprKind::Binary(..) | ExprKind::Conditional { .. }) {
                    diagnostic.note(format!("widen the narrower operand with the cast `{cast}`"))
                } else {
                    let start = Span { end: narrow.span.start, ..narrow.span };
                    diagnostic.suggest("widen the narrower operand", start, cast)
                };
            } else if s != t {
                diagnostic = diagnostic.note("cast one operand so that both are signed or both are unsigned");
            }
        }
        self.report(diagnostic);
        self.poison_expr(at.span)
    }

    /// Converts both operands to the same numeric type, if possible.
    pub(super) fn same_numbers(&mut self, left: Expr, right: Expr) -> Result<(Expr, Expr), (Expr, Expr)> {
        let (left, right) = (self.enum_to_number(left), self.enum_to_number(right));
        let (a, b) = (self.program.types[left.ty].clone(), self.program.types[right.ty].clone());
        match (&a, &b) {
            (Type::Bits { .. }, Type::Int) => {
                let right = self.coerce(right, left.ty);
                Ok((left, right))
            }
            (Type::Int, Type::Bits { .. }) => {
                let left = self.coerce(left, right.ty);
                Ok((left, right))
            }
            (Type::Bits { .. } | Type::Int, _) if left.ty == right.ty => Ok((left, right)),
            _ => Err((left, right)),
        }
    }

    /// Checks a comparison with `==` or `!=`.
    pub(super) fn equality(&mut self, op: BinaryOp, left: Expr, right: Expr, at: Operation) -> Expr {
        // An integer without a width gets the width of a serializable enum, which is compared by
        // its underlying value.
        let left = if right.ty == Types::INT { self.enum_to_number(left) } else { left };
        let right = if left.ty == Types::INT { self.enum_to_number(right) } else { right };
        let (left, right) = if left.ty == right.ty {
            (left, right)
        } else {
            let left_ty = left.ty;
            match self.try_coerce(right, left_ty) {
                Ok(right) => (left, right),
                Err(right) => {
                    let right_ty = right.ty;
                    match self.try_coerce(left, right_ty) {
                        Ok(left) => (left, right),
                        Err(left) => match self.same_numbers(left, right) {
                            Ok(both) => both,
                            Err((left, right)) => return self.bad_operands(&left, &right, at, None),
                        },
                    }
                }
            }
        };
        if left.ty == Types::POISON || right.ty == Types::POISON {
            return self.poison_expr(at.span);
        }
        if !self.comparable(left.ty) {
            let message = format!("values of type {} cannot be compared", self.show(left.ty));
            self.report(
                Diagnostic::error("not-comparable", message)
                    .primary(at.span, "`==` is not defined for this type"),
            );
            return self.poison_expr(at.span);
        }
        make(op, left, right, Types::BOOL, at.span)
    }

    /// Returns whether two values of this type can be compared with `==`.
    pub(super) fn comparable(&mut self, ty: TypeId) -> bool {
        match self.program.types[ty].clone() {
            Type::Bool
            | Type::Error
            | Type::MatchKind
            | Type::Int
            | Type::String
            | Type::Bits { .. }
            | Type::Varbit { .. }
            | Type::Enum(_)
            | Type::Newtype(_)
            | Type::Poison => true,
            Type::Stack { element, .. } | Type::List(element) => self.comparable(element),
            Type::Tuple(items) => items.into_iter().all(|item| self.comparable(item)),
            Type::AnonymousStruct(fields) => fields.into_iter().all(|(_, ty)| self.comparable(ty)),
            Type::Record { .. } => {
                let fields = self.fields(ty).unwrap_or_default();
                fields.into_iter().all(|(_, field)| self.comparable(field))
            }
            _ => false,
        }
    }

    /// Checks `target op value` of a compound assignment whose target is already checked.
    pub(super) fn compound(&mut self, op: ast::BinaryOp, op_span: Span, target: Expr, value: Expr) -> Expr {
        let span = target.span.to(value.span);
        self.operation(operator(op), target, value, Operation { symbol: op.symbol(), op_span, span })
    }
}

/// The symbol and the location of an operator, for messages.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub symbol: &'static str,
    pub op_span: Span,
    pub span: Span,
}

/// Makes an operation on two operands of a type.
pub(super) fn make(op: BinaryOp, left: Expr, right: Expr, ty: TypeId, span: Span) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty, span }
}

/// Converts an operator of the syntax to an operator of the checked program.
pub(super) fn operator(op: ast::BinaryOp) -> BinaryOp {
    match op {
        ast::BinaryOp::Mul => BinaryOp::Mul,
        ast::BinaryOp::Div => BinaryOp::Div,
        ast::BinaryOp::Mod => BinaryOp::Mod,
        ast::BinaryOp::Add => BinaryOp::Add,
        ast::BinaryOp::Sub => BinaryOp::Sub,
        ast::BinaryOp::AddSat => BinaryOp::SatAdd,
        ast::BinaryOp::SubSat => BinaryOp::SatSub,
        ast::BinaryOp::Shl => BinaryOp::Shl,
        ast::BinaryOp::Shr => BinaryOp::Shr,
        ast::BinaryOp::BitAnd => BinaryOp::And,
        ast::BinaryOp::BitXor => BinaryOp::Xor,
        ast::BinaryOp::BitOr => BinaryOp::Or,
        ast::BinaryOp::Concat => BinaryOp::Concat,
        ast::BinaryOp::Lt => BinaryOp::Lt,
        ast::BinaryOp::Le => BinaryOp::Le,
        ast::BinaryOp::Gt => BinaryOp::Gt,
        ast::BinaryOp::Ge => BinaryOp::Ge,
        ast::BinaryOp::Eq => BinaryOp::Eq,
        ast::BinaryOp::Ne => BinaryOp::Ne,
        ast::BinaryOp::And => BinaryOp::LogicalAnd,
        ast::BinaryOp::Or => BinaryOp::LogicalOr,
    }
}
