//! Expressions.

use super::Printer;
use crate::ast::*;

/// Precedence of unary operators and casts: above binary operators, which have 1 to 10; ternaries
/// have 0.
const UNARY_PRECEDENCE: u8 = 11;
/// Precedence of member access, indexing, calls and operands.
const OPERAND_PRECEDENCE: u8 = 12;

fn precedence_of(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Ternary(_) => 0,
        ExprKind::Chain(chain) => precedence_of_chain(chain),
        ExprKind::Unary(_) | ExprKind::Cast(_) => UNARY_PRECEDENCE,
        _ => OPERAND_PRECEDENCE,
    }
}

fn precedence_of_chain(chain: &ChainExpr) -> u8 {
    chain.links.first().map_or(OPERAND_PRECEDENCE, |link| link.op.precedence())
}

impl Printer {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Bool(value) => self.write(if *value { "true" } else { "false" }),
            ExprKind::Integer(literal) => self.write(&literal.to_string()),
            ExprKind::String(text) => {
                self.write("\"");
                self.write(text);
                self.write("\"");
            }
            ExprKind::Name(path) => self.path(path),
            ExprKind::This => self.write("this"),
            ExprKind::Default => self.write("..."),
            ExprKind::InvalidHeader => self.write("{#}"),
            ExprKind::ErrorMember(name) => {
                self.write("error.");
                self.write(&name.text);
            }
            ExprKind::Type(ty) => self.ty(ty),
            ExprKind::Member(member) => {
                self.expr_with_precedence(OPERAND_PRECEDENCE, &member.base);
                self.write(".");
                self.write(&member.member.text);
            }
            ExprKind::Index(index) => {
                self.expr_with_precedence(OPERAND_PRECEDENCE, &index.base);
                self.write("[");
                self.expr(&index.index);
                self.write("]");
            }
            ExprKind::Slice(slice) => self.slice(&slice.base, &slice.high, ":", &slice.low),
            ExprKind::PlusSlice(slice) => self.slice(&slice.base, &slice.low, "+:", &slice.width),
            ExprKind::Call(call) => {
                self.expr_with_precedence(OPERAND_PRECEDENCE, &call.callee);
                if !call.type_args.is_empty() {
                    self.type_args(&call.type_args);
                }
                self.arguments(&call.args);
            }
            ExprKind::List(list) => {
                self.write("{");
                self.expr_list(list);
                self.write("}");
            }
            ExprKind::Struct(fields) => {
                self.write("{");
                self.key_values(&fields.fields);
                if fields.rest.is_some() {
                    self.write(", ...");
                }
                self.write("}");
            }
            ExprKind::Cast(cast) => {
                self.write("(");
                self.ty(&cast.ty);
                self.write(") ");
                self.expr_with_precedence(UNARY_PRECEDENCE, &cast.operand);
            }
            ExprKind::Unary(unary) => {
                self.write(unary.op.symbol());
                // `+ +x` must not become `++x`.
                if matches!(&unary.operand.kind, ExprKind::Unary(inner) if inner.op == unary.op) {
                    self.write(" ");
                }
                self.expr_with_precedence(UNARY_PRECEDENCE, &unary.operand);
            }
            ExprKind::Chain(chain) => self.chain(chain),
            ExprKind::Ternary(ternary) => {
                self.expr_with_precedence(1, &ternary.condition);
                self.write(" ? ");
                self.expr(&ternary.then);
                self.write(" : ");
                self.expr(&ternary.otherwise);
            }
            ExprKind::Malformed => self.write("/* malformed */ ..."),
        }
    }

    fn expr_with_precedence(&mut self, min_precedence: u8, expr: &Expr) {
        if precedence_of(expr) < min_precedence { self.parenthesised(expr) } else { self.expr(expr) }
    }

    fn parenthesised(&mut self, expr: &Expr) {
        self.write("(");
        self.expr(expr);
        self.write(")");
    }

    fn chain(&mut self, chain: &ChainExpr) {
        // In the source, operands of the same precedence were in parentheses.
        let operand = precedence_of_chain(chain) + 1;
        self.expr_with_precedence(operand, &chain.first);
        for link in &chain.links {
            self.write(" ");
            self.write(link.op.symbol());
            self.write(" ");
            self.expr_with_precedence(operand, &link.operand);
        }
    }

    fn slice(&mut self, base: &Expr, first: &Expr, colon: &str, second: &Expr) {
        self.expr_with_precedence(OPERAND_PRECEDENCE, base);
        self.write("[");
        self.expr(first);
        self.write(colon);
        self.expr(second);
        self.write("]");
    }

    pub(super) fn path(&mut self, path: &PathName) {
        if path.global {
            self.write(".");
        }
        self.write(&path.name.text);
    }

    /// Prints an element of a list. `guard` puts comparisons in parentheses if the list contains
    /// several comparisons, since `a < b, c > (d)` would parse as type arguments.
    fn element(&mut self, expr: &Expr, guard: bool) {
        if guard && contains_comparison(expr) { self.parenthesised(expr) } else { self.expr(expr) }
    }

    pub(super) fn expr_list(&mut self, list: &[Expr]) {
        let guard = list.iter().filter(|e| contains_comparison(e)).count() > 1;
        self.separated(list, |printer, expr| printer.element(expr, guard));
    }

    pub(super) fn key_values(&mut self, pairs: &[KeyValue]) {
        let guard = pairs.iter().filter(|p| contains_comparison(&p.value)).count() > 1;
        self.separated(pairs, |printer, pair| {
            printer.write(&pair.name.text);
            printer.write(" = ");
            printer.element(&pair.value, guard);
        });
    }

    pub(super) fn arguments(&mut self, args: &[Argument]) {
        let guard = args.iter().filter(|a| a.value.as_ref().is_some_and(contains_comparison)).count() > 1;
        self.write("(");
        self.separated(args, |printer, argument| {
            if let Some(name) = &argument.name {
                printer.write(&name.text);
                printer.write(" = ");
            }
            match &argument.value {
                Some(value) => printer.element(value, guard),
                None => printer.write("_"),
            }
        });
        self.write(")");
    }
}

/// Returns whether the printed expression may contain a comparison outside of brackets.
fn contains_comparison(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Chain(chain) => {
            let link = |link: &ChainLink| {
                link.op.is_ordering() || link.op == BinaryOp::Shr || contains_comparison(&link.operand)
            };
            contains_comparison(&chain.first) || chain.links.iter().any(link)
        }
        ExprKind::Ternary(t) => {
            contains_comparison(&t.condition)
                || contains_comparison(&t.then)
                || contains_comparison(&t.otherwise)
        }
        ExprKind::Unary(u) => contains_comparison(&u.operand),
        ExprKind::Cast(c) => contains_comparison(&c.operand),
        _ => false,
    }
}
