//! Constant arguments with which a call always fails, or does nothing useful.
//!
//! The methods of packets and `verify` are those of core.p4. The architecture's file marks
//! parameters of its externs: `@not_below("other")` on a parameter that must be at least another
//! parameter, and `@not_zero("reason")` on a parameter that should not be 0, with the effect of 0.

use num_bigint::BigInt;
use num_traits::Zero;
use weir_syntax::{Diagnostic, Diagnostics, Span};

use super::constant_variables::{ConstantVariables, params};
use crate::check::constant::{Value, evaluate};
use crate::hir::walk::{self, Visitor};
use crate::hir::{
    Arg, ArgValue, Call, Callee, Construct, Constructor, Expr, ExprKind, Param, Program, Type, TypeId,
};

/// The size of the largest packet in bits: 16 MiB, which is far more than any link allows.
const LONGEST_PACKET: u64 = 16 << 23;

/// Reports constant arguments with which a call always fails, or does nothing useful.
pub(super) fn run(program: &Program, settled: &ConstantVariables<'_>, diagnostics: &mut Diagnostics) {
    let mut calls = Calls { program, settled, diagnostics };
    walk::program(program, &mut calls);
    for (_, instance) in program.instances.iter() {
        calls.construct(&instance.construct);
    }
}

/// Checks the constant arguments of calls against the limits of the callee.
struct Calls<'a> {
    program: &'a Program,
    settled: &'a ConstantVariables<'a>,
    diagnostics: &'a mut Diagnostics,
}

/// A message, the place of the argument, and the effect of its value.
type Finding = (String, Span, String);

impl Visitor for Calls<'_> {
    fn call(&mut self, call: &Call) {
        self.report(self.check_core_call(call));
        self.check_marked(params(self.program, call).unwrap_or_default(), &call.args);
    }

    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Construct(construct) = &expr.kind {
            self.construct(construct);
        }
    }
}

impl Calls<'_> {
    /// Checks the arguments of a constructor call.
    fn construct(&mut self, construct: &Construct) {
        let program = self.program;
        if let Constructor::Extern { decl, constructor } = construct.constructor
            && let Some(signature) = program.externs[decl].constructors.get(constructor)
        {
            self.check_marked(&signature.params, &construct.args);
        }
    }

    fn check_marked(&mut self, params: &[Param], args: &[Arg]) {
        for (position, param) in params.iter().enumerate() {
            let zero = self.check_not_zero(args, param, position);
            self.report(zero.or_else(|| self.check_order(args, params, param, position)));
        }
    }

    /// Reports the finding of a check.
    fn report(&mut self, found: Option<Finding>) {
        let Some((message, place, why)) = found else { return };
        self.diagnostics.push(Diagnostic::warning("constant-argument", message).primary(place, why));
    }

    /// Checks a call of a function or method that P4 itself or core.p4 declares.
    fn check_core_call(&self, call: &Call) -> Option<Finding> {
        let program = self.program;
        match &call.callee {
            Callee::PushFront { stack, count } => self.push(stack, *count, call.span),
            Callee::Method { decl, method, .. } => {
                let object = &program.externs[*decl];
                match (object.name.text.as_str(), object.methods[*method].name.text.as_str()) {
                    ("packet_in", "extract") => self.check_extract(call),
                    ("packet_in", "advance") => self.check_advance(call),
                    _ => None,
                }
            }
            Callee::ExternFunction(id) if program.extern_functions[*id].0.name.text == "verify" => {
                self.check_verify(call)
            }
            _ => None,
        }
    }

    /// Returns the number that is passed for a parameter, and its place.
    fn number(&self, args: &[Arg], position: usize) -> Option<(BigInt, Span)> {
        let ArgValue::Expr(value) = &args.get(position)?.value else { return None };
        Some((self.settled.number(value)?, value.span))
    }

    /// Checks that `push` and `pop` leave an element in the stack.
    fn push(&self, stack: &Expr, count: u32, span: Span) -> Option<Finding> {
        let Type::Stack { size, .. } = self.program.types[stack.ty] else { return None };
        let message = format!("`push_front({count})` on a stack of {size} elements");
        (count > size).then(|| (message, span, format!("only {size} elements can be pushed")))
    }

    fn check_extract(&self, call: &Call) -> Option<Finding> {
        let (bits, place) = self.number(&call.args, 1)?;
        let (fixed, most) = sizes(self.program, *call.type_args.first()?)?;
        if bits > BigInt::from(most) {
            let message = format!("`extract` always fails: the `varbit` cannot hold {bits} bits");
            return Some((message, place, format!("it holds at most {most} bits: `error.HeaderTooShort`")));
        }
        let total = bits + fixed;
        if !(&total % 8u32).is_zero() {
            let message = "`extract` always fails: the header has no whole number of bytes".to_owned();
            let why = format!("the header gets {total} bits: `error.ParserInvalidArgument`");
            return Some((message, place, why));
        }
        None
    }

    fn check_advance(&self, call: &Call) -> Option<Finding> {
        let (bits, place) = self.number(&call.args, 0)?;
        if bits > BigInt::from(LONGEST_PACKET) {
            let message = "`advance` always fails: no packet has so many bits".to_owned();
            return Some((message, place, format!("{} bytes: `error.PacketTooShort`", bits / 8u32)));
        }
        if !(&bits % 8u32).is_zero() {
            let message = "`advance` always fails: the size is not a whole number of bytes".to_owned();
            let why = format!("{bits} bits: `error.ParserInvalidArgument`");
            return Some((message, place, why));
        }
        None
    }

    fn check_verify(&self, call: &Call) -> Option<Finding> {
        let ArgValue::Expr(signalled) = &call.args.get(1)?.value else { return None };
        let ExprKind::Error(id) = signalled.kind else { return None };
        if self.program.errors[id].0.name.text != "NoError" {
            return None;
        }
        let ArgValue::Expr(condition) = &call.args.first()?.value else { return None };
        if let Some(Value::Bool(true)) = evaluate(self.program, condition) {
            // Such a call does nothing, and its text shows that it does nothing.
            return None;
        }
        let message = "`verify` rejects packets without an error".to_owned();
        Some((message, signalled.span, "name the error that a failed check sets".to_owned()))
    }

    fn check_not_zero(&self, args: &[Arg], param: &Param, position: usize) -> Option<Finding> {
        let declared = &self.program.vars[param.var];
        let why = declared.annotations.get("not_zero")?.string()?;
        let (number, place) = self.number(args, position)?;
        let name = &declared.name.text;
        number.is_zero().then(|| (format!("`{name}` is 0"), place, why.to_owned()))
    }

    fn check_order(&self, args: &[Arg], params: &[Param], param: &Param, position: usize) -> Option<Finding> {
        let declared = &self.program.vars[param.var];
        let bound = declared.annotations.get("not_below")?.string()?;
        let other = params.iter().position(|param| self.program.vars[param.var].name.text == bound)?;
        let ((number, place), (least, _)) = (self.number(args, position)?, self.number(args, other)?);
        let name = &declared.name.text;
        let message = format!("`{name}` is below `{bound}`");
        (number < least).then(|| (message, place, format!("{number} is less than {least}")))
    }
}

/// Returns the bits of a header without its `varbit`, and the maximum size of the `varbit`; `None`
/// if a size is not known.
fn sizes(program: &Program, ty: TypeId) -> Option<(u64, u64)> {
    let Type::Record { decl, args } = &program.types[ty] else { return None };
    let (mut fixed, mut most) = (0, None);
    for field in &program.records[*decl].fields {
        match &program.types[field.ty] {
            Type::Varbit { max_width } => most = Some(u64::from(*max_width)),
            _ => fixed += super::unaligned::bits(program, field.ty)?,
        }
    }
    Some((fixed, most.filter(|_| args.is_empty())?))
}
