//! Calls, dispatched by callee.

use std::rc::Rc;

use weir_ir as ir;
use weir_ir::{Block, StmtKind, Type};

use super::context::Binding;
use super::fold;
use super::object::Object;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, Callee};

impl Lowerer<'_> {
    /// Lowers a call. `wanted` is the type of the result if the caller uses it.
    pub(super) fn call(&mut self, call: &hir::Call, wanted: Option<hir::TypeId>) -> Lowered<Value> {
        let outer = std::mem::replace(&mut self.cx.loc, ir::Loc::NONE);
        self.cx.loc = if outer.is_some() { outer } else { self.loc(call.span) };
        let result = match self.find_choice(call) {
            Some((param, chosen, objects)) => self.call_with_each(call, wanted, param, chosen, &objects),
            None => self.call_callee(call, wanted.is_some()),
        };
        self.cx.loc = outer;
        result
    }

    /// Finds an object or argument of the call that is a parameter with several possible extern
    /// objects.
    fn find_choice(&self, call: &hir::Call) -> Option<(hir::VarId, ir::VarId, Rc<[ir::ExternId]>)> {
        let object = match &call.callee {
            Callee::Method { object, .. } => Some(object),
            // Each application of a parser has its own copy of the states, so code in parsers
            // contains no choices.
            Callee::ApplyParser(_) => return None,
            _ => None,
        };
        let args = call.args.iter().filter_map(|arg| match &arg.value {
            hir::ArgValue::Expr(expr) => Some(expr),
            _ => None,
        });
        object.into_iter().chain(args).find_map(|expr| match expr.kind {
            hir::ExprKind::Var(param) => match self.binding(param) {
                Some(Binding::Value(Value::Object(Object::Choice(chosen, objects)))) => {
                    Some((param, *chosen, objects.clone()))
                }
                _ => None,
            },
            _ => None,
        })
    }

    /// Lowers a call to a switch with one case for each extern object that the parameter may be.
    fn call_with_each(
        &mut self,
        call: &hir::Call,
        wanted: Option<hir::TypeId>,
        param: hir::VarId,
        chosen: ir::VarId,
        objects: &Rc<[ir::ExternId]>,
    ) -> Lowered<Value> {
        let result = wanted.map(|ty| self.temporary(ty)).transpose()?;
        let mut cases = Vec::with_capacity(objects.len());
        for (index, &object) in objects.iter().enumerate() {
            self.bind(param, Binding::Value(Value::Object(Object::Extern(object))));
            let branch = self.collect(|this| {
                let value = this.call(call, wanted)?;
                result.as_ref().map_or(Ok(()), |result| this.store(result, value))
            });
            cases.push(branch.map(|((), stmts)| (vec![ir::Bits::new(32, index as u128)], Block(stmts))));
        }
        self.bind(param, Binding::Value(Value::Object(Object::Choice(chosen, objects.clone()))));
        let cases = cases.into_iter().collect::<Lowered<_>>()?;
        let scrutinee = fold::var(chosen, fold::U32);
        self.emit(StmtKind::Switch { scrutinee, cases, default: Block::default() });
        Ok(result.map_or(Value::Nothing, |result| self.load(&result)))
    }

    fn call_callee(&mut self, call: &hir::Call, wanted: bool) -> Lowered<Value> {
        let nothing = Ok(Value::Nothing);
        match &call.callee {
            Callee::Function(function) => self.call_function(*function, None, call, wanted),
            Callee::Action(action) => self.call_action(*action, call).and(nothing),
            Callee::ExternFunction(function) => self.call_extern_function(*function, call, wanted),
            Callee::Method { object, decl, method } => self.call_method(object, *decl, *method, call, wanted),
            Callee::ApplyControl(object) => self.apply_control(object, call).and(nothing),
            Callee::ApplyParser(object) => self.apply_parser(object, call).and(nothing),
            Callee::SetValid(place) => self.set_validity(place, true).and(nothing),
            Callee::SetInvalid(place) => self.set_validity(place, false).and(nothing),
            Callee::PushFront { stack, count } => self.shift_stack(stack, *count, true).and(nothing),
            Callee::PopFront { stack, count } => self.shift_stack(stack, *count, false).and(nothing),
        }
    }

    /// Returns the variable that is set while an `exit` unwinds through callers that copy out.
    fn exit_flag(&mut self) -> ir::VarId {
        if let Some(flag) = self.exit_flag {
            return flag;
        }
        let flag = self.scalar_var("$exit", Type::Bool, ir::VarRole::Plain, Vec::new(), ir::Loc::NONE);
        self.exit_flag = Some(flag);
        flag
    }

    /// Lowers `exit`: directly, or by unwinding if a caller must copy out first.
    pub(super) fn exit(&mut self) {
        if !self.cx.unwind {
            self.emit(StmtKind::Exit);
            return;
        }
        let flag = self.exit_flag();
        self.emit(StmtKind::Assign(ir::Place::Var(flag), fold::boolean(true)));
        self.emit(StmtKind::Return);
        self.cx.may_unwind = true;
    }

    /// Continues to unwind after code that may have executed an `exit`.
    pub(super) fn continue_exit(&mut self) {
        let flag = self.exit_flag();
        let unwind = self.cx.unwind;
        let collected = self.collect(|this| {
            if unwind {
                this.emit(StmtKind::Return);
            } else {
                // The flag must be clear for other blocks of the same pass.
                this.emit(StmtKind::Assign(ir::Place::Var(flag), fold::boolean(false)));
                this.emit(StmtKind::Exit);
            }
            Ok(())
        });
        let then = collected.map_or_else(|_| Vec::new(), |((), stmts)| stmts);
        self.cx.may_unwind |= unwind;
        self.emit(StmtKind::If {
            condition: fold::var(flag, Type::Bool),
            then: Block(then),
            otherwise: Block::default(),
        });
    }
}
