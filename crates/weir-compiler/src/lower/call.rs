//! Calls, by what is called.

use weir_ir as ir;
use weir_ir::{Block, StmtKind, Type};

use super::fold;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, Callee};

impl Lowerer<'_> {
    /// Performs a call; its value if it is wanted.
    pub(super) fn call(&mut self, call: &hir::Call, wanted: bool) -> Lowered<Value> {
        let outer = std::mem::replace(&mut self.cx.loc, ir::Loc::NONE);
        self.cx.loc = if outer.is_some() { outer } else { self.loc(call.span) };
        let result = self.dispatch(call, wanted);
        self.cx.loc = outer;
        result
    }

    fn dispatch(&mut self, call: &hir::Call, wanted: bool) -> Lowered<Value> {
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

    /// The variable that is set while an `exit` is on its way through callers that copy out.
    fn exit_flag(&mut self) -> ir::VarId {
        if let Some(flag) = self.exit_flag {
            return flag;
        }
        let flag = self.scalar_var("$exit", Type::Bool, ir::VarRole::Plain, Vec::new(), ir::Loc::NONE);
        self.exit_flag = Some(flag);
        flag
    }

    /// `exit`: at once, or step by step where a caller has to copy out first.
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

    /// After something that may have executed an `exit` step by step: the next step.
    pub(super) fn pass_exit_on(&mut self) {
        let flag = self.exit_flag();
        let unwind = self.cx.unwind;
        let collected = self.collect(|this| {
            if unwind {
                this.emit(StmtKind::Return);
            } else {
                // Another block of the same pass may use the flag again.
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
