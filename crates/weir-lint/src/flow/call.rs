//! Calls: of functions with bodies, and of externs.

use weir_syntax::with_stack;

use super::{Block, Flow};
use crate::facts::States;
use crate::hir::{
    self, ActionId, ArgValue, Callee, Constructor, Direction, Expr, ExprKind, FunctionId, Signature, Types,
};
use crate::storage::{Origin, Part, PartId, TrackedPlace};

/// A value to copy back when a call ends.
struct CopyOut<'e> {
    from: PartId,
    to: Option<&'e Expr>,
}

impl Flow<'_> {
    /// Follows a call.
    pub(super) fn call(&mut self, call: &hir::Call) {
        if self.now.is_none() {
            return;
        }
        self.steps += 1;
        with_stack(|| self.callee(call));
    }

    /// Follows the callee of a call.
    fn callee(&mut self, call: &hir::Call) {
        let program = self.program;
        match &call.callee {
            Callee::Function(id) => {
                let copies = self.bind(&program.functions[*id].params, &call.args);
                self.sites.push((call.span, "called from here".to_owned()));
                self.function_body(*id);
                self.sites.pop();
                self.copy_out(copies);
            }
            Callee::Action(id) => {
                let copies = self.bind(&program.actions[*id].params, &call.args);
                self.sites.push((call.span, "called from here".to_owned()));
                self.action_body(*id);
                self.sites.pop();
                self.copy_out(copies);
            }
            Callee::ExternFunction(id) => {
                let signature = &program.extern_functions[*id].0;
                self.extern_call(signature, call);
                if signature.annotations.contains("copies_packet") {
                    self.now = self.facts.set_fact(&self.now, self.copied, true);
                    self.makes_copies = true;
                }
                if signature.annotations.contains("drops_packet") {
                    self.drop_packet(call);
                }
            }
            Callee::Method { object, decl, method } => {
                self.eval_indices(object);
                self.check_extract(call);
                self.extern_call(&program.externs[*decl].methods[*method], call);
            }
            Callee::ApplyParser(object) | Callee::ApplyControl(object) => self.apply_block(object, call),
            Callee::SetValid(place) | Callee::SetInvalid(place) => {
                let holds = matches!(call.callee, Callee::SetValid(_));
                self.eval_indices(place);
                match self.tracked_place(place) {
                    Some(TrackedPlace::Part(part)) => {
                        self.set_validity(part, holds);
                        if holds {
                            self.leave_siblings(place, part);
                        }
                    }
                    _ => self.write_place(place),
                }
            }
            Callee::PushFront { stack, count } => self.shift_stack(stack, i64::from(*count)),
            Callee::PopFront { stack, count } => self.shift_stack(stack, -i64::from(*count)),
        }
    }

    fn apply_block(&mut self, object: &Expr, call: &hir::Call) {
        let program = self.program;
        match self.constructor_call(object).map(|construct| construct.constructor) {
            Some(Constructor::Control(id)) => {
                let copies = self.bind(&program.controls[id].params, &call.args);
                self.sites.push((call.span, "applied here".to_owned()));
                self.control(id, false);
                self.sites.pop();
                self.copy_out(copies);
            }
            Some(Constructor::Parser(id)) => {
                let copies = self.bind(&program.parsers[id].params, &call.args);
                self.sites.push((call.span, "applied here".to_owned()));
                self.parser(id, false);
                self.sites.pop();
                self.copy_out(copies);
            }
            _ => {
                for arg in &call.args {
                    if let ArgValue::Expr(value) = &arg.value {
                        if value.is_place() { self.write_place(value) } else { self.read(value) }
                    }
                }
            }
        }
    }

    /// Runs `body` with its parameters bound to the arguments, and copies the results back.
    pub(super) fn with_bound(
        &mut self,
        params: &[hir::Param],
        args: &[hir::Arg],
        body: impl FnOnce(&mut Self),
    ) {
        let copies = self.bind(params, args);
        body(self);
        self.copy_out(copies);
    }

    /// Binds parameters to the parts of their arguments. Returns the values to copy back.
    fn bind<'e>(&mut self, params: &[hir::Param], args: &'e [hir::Arg]) -> Vec<CopyOut<'e>> {
        let mut copies = Vec::new();
        let mut bound = Vec::new();
        for (param, arg) in params.iter().zip(args) {
            let value = match &arg.value {
                ArgValue::Expr(value) => Some(value),
                _ => None,
            };
            if let Some(value) = value {
                self.eval_indices(value);
            }
            let shared = match value.and_then(|value| self.tracked_place(value)) {
                Some(TrackedPlace::Part(part)) if !matches!(self.storage.part(part), Part::Scalar { .. }) => {
                    Some(part)
                }
                _ => None,
            };
            let part = match (param.direction, shared) {
                (Direction::Out, _) => {
                    let param_part = self.var_part(param.var, Origin::Unset);
                    copies.push(CopyOut { from: param_part, to: value });
                    param_part
                }
                (_, Some(part)) => part,
                (direction, None) => {
                    let param_part = self.var_part(param.var, Origin::Known);
                    match value {
                        Some(value) => self.store(param_part, value),
                        None => self.set_unknown_values(param_part),
                    }
                    if direction == Direction::InOut {
                        copies.push(CopyOut { from: param_part, to: value });
                    }
                    param_part
                }
            };
            bound.push((param.var, part));
        }
        for (var, part) in bound {
            self.bound.insert(var, part);
        }
        for param in params.iter().filter(|param| param.direction == Direction::Out) {
            if let Some(&part) = self.own.get(&param.var) {
                self.clear(part);
            }
        }
        copies
    }

    fn copy_out(&mut self, copies: Vec<CopyOut<'_>>) {
        for CopyOut { from, to } in copies {
            let Some(to) = to else { continue };
            match self.tracked_place(to) {
                Some(TrackedPlace::Part(part)) => {
                    self.choose(to, None);
                    self.copy(part, from);
                    self.leave_siblings(to, part);
                }
                _ => self.write_place(to),
            }
            self.leave_scope(from);
        }
    }

    /// Analyses the body of a function whose parameters are bound.
    pub(super) fn function_body(&mut self, id: FunctionId) {
        let function = &self.program.functions[id];
        if !self.enters_body(Block::Function(id)) {
            // The function can change only its `out` and `inout` arguments.
            for param in &function.params {
                if let Some(&part) = self.bound.get(&param.var)
                    && matches!(param.direction, Direction::Out | Direction::InOut)
                {
                    self.set_unknown_values(part);
                }
            }
            return;
        }
        let returned = std::mem::replace(&mut self.returned, States::NONE);
        self.block(&function.body);
        self.now = self.facts.union(&self.now, &self.returned);
        self.returned = returned;
        self.check_out_params(&function.params, &function.name.text);
    }

    /// Analyses the body of an action whose parameters are bound.
    pub(super) fn action_body(&mut self, id: ActionId) {
        if !self.enters_body(Block::Action(id)) {
            return self.unknown();
        }
        let action = &self.program.actions[id];
        let returned = std::mem::replace(&mut self.returned, States::NONE);
        self.block(&action.body);
        self.now = self.facts.union(&self.now, &self.returned);
        self.returned = returned;
        self.check_out_params(&action.params, &action.name.text);
    }

    pub(super) fn check_out_params(&mut self, params: &[hir::Param], owner: &str) {
        for param in params.iter().filter(|param| param.direction == Direction::Out) {
            if let Some(&part) = self.bound.get(&param.var) {
                self.check_out_param(param.var, part, owner);
            }
        }
    }

    /// Analyses a call of an extern, which reads its input arguments and writes its output
    /// arguments. Arguments after a Boolean argument are assumed to be used only if that argument
    /// is true, as in `update_checksum(condition, data, …)` and `verify(condition, …)`.
    fn extern_call(&mut self, signature: &Signature, call: &hir::Call) {
        let checks = signature.name.text == "verify" && signature.params.len() == 2;
        let mut skipped = States::NONE;
        let mut outs = Vec::new();
        for (param, arg) in signature.params.iter().zip(&call.args) {
            let ArgValue::Expr(value) = &arg.value else { continue };
            match param.direction {
                Direction::Out => {
                    self.eval_indices(value);
                    outs.push((value, param.direction));
                }
                Direction::InOut => {
                    self.pass_argument(value);
                    outs.push((value, param.direction));
                }
                _ if value.ty == Types::BOOL => {
                    let (yes, no) = self.branch(value);
                    self.now = yes;
                    if !checks {
                        skipped = self.facts.union(&skipped, &no);
                    }
                }
                _ => self.pass_argument(value),
            }
        }
        for (value, direction) in outs {
            let inout_whole = direction == Direction::InOut
                && matches!(self.tracked_place(value), Some(TrackedPlace::Part(part)) if !matches!(self.storage.part(part), Part::Scalar { .. }));
            if !inout_whole {
                self.write_place(value);
            }
        }
        self.now = self.facts.union(&self.now, &skipped);
    }

    /// Analyses an argument that is read, or, if it is a header or struct, passed as a whole.
    fn pass_argument(&mut self, value: &Expr) {
        match (&value.kind, self.tracked_place(value)) {
            (ExprKind::Aggregate(items), _) => items.iter().for_each(|item| self.pass_argument(item)),
            (ExprKind::Cast { operand, .. }, _) => self.pass_argument(operand),
            (_, Some(TrackedPlace::Part(part)))
                if !matches!(self.storage.part(part), Part::Scalar { .. }) =>
            {
                self.eval_indices(value);
            }
            _ => self.read(value),
        }
    }
}
