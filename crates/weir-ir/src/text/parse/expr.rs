//! Reads expressions. The type of an expression is derived from its operands.

use crate::bits::Bits;
use crate::program::{BinaryOp, Expr, ExprKind, Keyset, UnaryOp, VarId};
use crate::types::Type;

use super::super::lex::Word;
use super::{Reader, Result};

/// The operators on two operands.
const OPERATORS: [BinaryOp; 20] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::SatAdd,
    BinaryOp::SatSub,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::Shl,
    BinaryOp::Eq,
    BinaryOp::Ne,
    BinaryOp::Lt,
    BinaryOp::Le,
    BinaryOp::Gt,
    BinaryOp::Ge,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Concat,
];

impl Reader {
    /// Reads variables and an index: `[a, b][index]`.
    pub(super) fn indexed(&mut self) -> Result<(Vec<VarId>, Expr)> {
        self.expect("[")?;
        let vars = self.list("]", Self::var)?;
        if vars.is_empty() {
            return self.error_before("expected at least one variable".into());
        }
        self.expect("[")?;
        let index = self.expr()?;
        self.expect("]")?;
        Ok((vars, index))
    }

    /// Parses a keyset.
    pub(super) fn keyset(&mut self) -> Result<Keyset> {
        if self.eat("_") {
            return Ok(Keyset::Any);
        }
        if self.eat_keyword("set") {
            return Ok(Keyset::Set(self.known_name("a value set", |names| &names.value_sets)?));
        }
        let value = self.untyped_constant()?;
        if self.eat("&&&") {
            Ok(Keyset::Mask(value, self.untyped_constant()?))
        } else if self.eat("..") {
            Ok(Keyset::Range(value, self.untyped_constant()?))
        } else {
            Ok(Keyset::Value(value))
        }
    }

    /// Reads a constant with its type.
    pub(super) fn constant(&mut self) -> Result<(Type, Bits)> {
        match self.word().clone() {
            Word::Const { value, signed } => {
                self.step();
                Ok((Type::Bits { width: value.width(), signed }, value))
            }
            Word::Plain(word) if word == "true" || word == "false" => {
                self.step();
                Ok((Type::Bool, Bits::bool(word == "true")))
            }
            Word::Plain(word) if word == "varbit" => {
                let ty = self.ty()?;
                self.expect("(")?;
                let value = self.untyped_constant()?;
                self.expect(")")?;
                Ok((ty, value))
            }
            Word::Plain(_) | Word::Quoted(_) if matches!(self.next_word(), Word::Symbol("::")) => {
                let ty = self.ty()?;
                self.expect("::")?;
                let member = self.name("a member")?;
                let members = match ty {
                    Type::Enum(id) => &self.program.enums[id].members,
                    _ => &self.program.errors,
                };
                match members.iter().position(|m| *m == member) {
                    Some(ordinal) => Ok((ty, Bits::new(32, ordinal as u128))),
                    None => self.error_before(format!("there is no member `{member}`")),
                }
            }
            _ => self.expected_error("a constant"),
        }
    }

    /// Reads an expression: one operand, two operands with an operator between them, or `condition
    /// ? a : b`.
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.read_nested(Self::compound)
    }

    /// Parses an operation, or an operand without an operator.
    fn compound(&mut self) -> Result<Expr> {
        let left = self.operand()?;
        if self.eat("?") {
            let then = self.operand()?;
            self.expect(":")?;
            let otherwise = self.operand()?;
            let ty = then.ty;
            return Ok(Expr { kind: ExprKind::Mux(Box::new(left), Box::new(then), Box::new(otherwise)), ty });
        }
        let Some(op) = self.operator() else { return Ok(left) };
        let right = self.operand()?;
        if self.operator().is_some() {
            return self.error_before("expected parentheses around one of the operators".into());
        }
        let ty = match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                Type::Bool
            }
            BinaryOp::Concat => match left.ty.width().checked_add(right.ty.width()) {
                Some(width) => Type::Bits { width, signed: left.ty.is_signed() },
                None => return self.error_before("the result is wider than 2^32 bits".into()),
            },
            _ => left.ty,
        };
        Ok(Expr { kind: ExprKind::Binary(op, Box::new(left), Box::new(right)), ty })
    }

    /// Takes an operator on two operands, if it comes next.
    fn operator(&mut self) -> Option<BinaryOp> {
        let Word::Symbol(symbol) = *self.word() else { return None };
        let next = self.tokens.get(self.at + 1)?;
        if symbol == ">" && next.word == Word::Symbol(">") && next.offset == self.tokens[self.at].offset + 1 {
            self.step();
            self.step();
            return Some(BinaryOp::Shr);
        }
        let op = OPERATORS.into_iter().find(|op| op.symbol() == symbol)?;
        self.step();
        Some(op)
    }

    /// Parses an operand with the operators on one operand before it.
    fn operand(&mut self) -> Result<Expr> {
        for (symbol, op) in [("!", UnaryOp::Not), ("~", UnaryOp::BitNot), ("-", UnaryOp::Neg)] {
            if self.eat(symbol) {
                let operand = self.read_nested(Self::operand)?;
                let ty = operand.ty;
                return Ok(Expr { kind: ExprKind::Unary(op, Box::new(operand)), ty });
            }
        }
        let mut expr = self.primary()?;
        while self.eat("[") {
            let high: u32 = self.unsigned()?;
            self.expect(":")?;
            let low: u32 = self.unsigned()?;
            self.expect("]")?;
            if low > high || high == u32::MAX {
                return self.error_before(format!("expected a slice from high to low, found {high}:{low}"));
            }
            let ty = Type::bit(high + 1 - low);
            expr = Expr { kind: ExprKind::Slice { operand: Box::new(expr), high, low }, ty };
        }
        Ok(expr)
    }

    /// Parses a constant, a variable, or an expression in parentheses.
    fn primary(&mut self) -> Result<Expr> {
        if self.eat("(") {
            let inner = self.expr()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.is_symbol("[") {
            let (vars, index) = self.indexed()?;
            let ty = self.program.vars[vars[0]].ty;
            return Ok(Expr { kind: ExprKind::Indexed { vars, index: Box::new(index) }, ty });
        }
        if self.eat_keyword("packet_length") {
            return Ok(Expr { kind: ExprKind::PacketLength, ty: Type::bit(32) });
        }
        if self.is_keyword("bool") || self.is_keyword("bit") || self.is_keyword("int") {
            let ty = self.ty()?;
            self.expect("(")?;
            let operand = self.expr()?;
            self.expect(")")?;
            return Ok(Expr { kind: ExprKind::Cast(Box::new(operand)), ty });
        }
        let is_name = match self.word() {
            Word::Plain(word) => {
                !matches!(word.as_str(), "true" | "false" | "varbit" | "error")
                    && !matches!(self.next_word(), Word::Symbol("::"))
            }
            Word::Quoted(_) => !matches!(self.next_word(), Word::Symbol("::")),
            Word::Const { .. } => false,
            _ => return self.expected_error("an expression"),
        };
        if is_name {
            let var = self.var()?;
            return Ok(Expr { kind: ExprKind::Var(var), ty: self.program.vars[var].ty });
        }
        let (ty, value) = self.constant()?;
        Ok(Expr { kind: ExprKind::Const(value), ty })
    }
}
