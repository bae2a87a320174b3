//! Calls of externs.

use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use weir_exec::{CallFrame, ExternSemantics, NewValue};
use weir_ir::{ArgValue, Direction, ExternCall, Leaf, Type, VarRole};

use super::locations::NO_LOCATION;
use super::{Emit, word_offset};
use crate::abi::{ExternSite, value_form};
use crate::runtime;

impl Emit<'_, '_, '_> {
    pub(super) fn call_extern(&mut self, call: &ExternCall) {
        let meaning = self.unit.pipeline.map_or(&ExternSemantics::Call, |pipeline| pipeline.semantics(call));
        match meaning {
            ExternSemantics::Set(values) => {
                // A call reads its arguments before it writes.
                let values: Vec<_> =
                    values.iter().map(|(var, value)| (*var, self.new_value(call, *value))).collect();
                values.into_iter().for_each(|(var, value)| self.set_cut(var, value));
            }
            ExternSemantics::Sum { sum, step } => self.sum_step(call, *sum, *step),
            // Key prediction assumes that checksums are right, and has no effects.
            _ if self.predicts_keys() => {}
            ExternSemantics::VerifyChecksum { condition, data, given, error } => {
                self.verify_checksum(call, (*condition, *data, *given), *error);
            }
            ExternSemantics::UpdateChecksum { condition, data, field } => {
                self.update_checksum(call, (*condition, *data, *field));
            }
            ExternSemantics::Checksum { data } => self.checksum(call, *data),
            ExternSemantics::Words(number) => self.call_by_words(call, *number),
            ExternSemantics::Call => self.call_opaque(call),
        }
    }

    fn new_value(&mut self, call: &ExternCall, value: NewValue) -> Value {
        match value {
            NewValue::Const(value) => self.iconst(value),
            NewValue::Arg(arg) => self.argument_word(call, arg),
        }
    }

    /// Emits an extern call that accesses only its frame.
    fn call_by_words(&mut self, call: &ExternCall, number: u32) {
        let Some(frame) = CallFrame::for_call(self.unit.program, call) else {
            return self.call_by_value(call);
        };
        let address = self.store_frame(call, &frame);
        let (number, length) = (self.iconst(u64::from(number)), self.iconst(frame.words as u64));
        let status = self.call_runtime_for_word(
            runtime::call_words as *const u8,
            &[self.context, number, address, length],
        );
        self.leave_unless_done(status);
        self.take_results(call, &frame, address);
    }

    /// Makes a call that may read and write any variable.
    fn call_opaque(&mut self, call: &ExternCall) {
        let Some(frame) = CallFrame::for_call(self.unit.program, call) else {
            return self.call_by_value(call);
        };
        let address = self.store_frame(call, &frame);
        let site = self.output.sites.calls.len() as u64;
        self.output.sites.calls.push(call.clone());
        let (site, length) = (self.iconst(site), self.iconst(frame.words as u64));
        if self.scope.is_some() {
            self.spill_registers(None);
        }
        let status = self
            .call_runtime_for_word(runtime::call_frame as *const u8, &[self.context, site, address, length]);
        self.leave_unless_done(status);
        self.load_words();
        self.reload_registers(None);
        self.take_results(call, &frame, address);
    }

    /// Stores the words of a call's frame. Returns their address.
    fn store_frame(&mut self, call: &ExternCall, frame: &CallFrame) -> Value {
        let program = self.unit.program;
        let mut words = Vec::with_capacity(frame.words);
        for arg in &call.args {
            match &arg.value {
                ArgValue::Leaves(leaves) => {
                    for leaf in leaves {
                        match leaf {
                            Leaf::Value(value) => words.extend(self.eval(value)),
                            Leaf::Header(header) => {
                                words.push(self.is_valid(*header));
                                for field in &program.headers[*header].fields {
                                    words.extend(self.read(*field));
                                }
                            }
                        }
                    }
                }
                ArgValue::Vars { vars, .. } => vars.iter().for_each(|var| words.extend(self.read(*var))),
                ArgValue::Text(_) | ArgValue::Extern(_) => {}
            }
        }
        let zero = self.iconst(0);
        words.resize(frame.words, zero);
        self.store_arguments(&words)
    }

    /// Writes the results of a call from the words of its frame.
    fn take_results(&mut self, call: &ExternCall, frame: &CallFrame, address: Value) {
        // All results are read before the first one is written, because writing may use the same
        // memory.
        let outs = call.args.iter().zip(&frame.args).filter_map(|(arg, parts)| match &arg.value {
            ArgValue::Vars { vars, .. } if arg.direction != Direction::In => Some(vars.iter().zip(parts)),
            _ => None,
        });
        let outs: Vec<_> = outs.flatten().chain(call.result.iter().zip(&frame.result)).collect();
        let mut values = Vec::with_capacity(outs.len());
        for (var, part) in outs {
            let words: Vec<Value> = part
                .words()
                .map(|word| self.b.ins().load(I64, MemFlagsData::trusted(), address, word_offset(word)))
                .collect();
            values.push((*var, words));
        }
        for (var, words) in values {
            self.write(var, &words);
        }
    }

    /// Makes a call whose frame machine code cannot fill or read: one with varbits, or one that
    /// writes validity bits or stack counters.
    fn call_by_value(&mut self, call: &ExternCall) {
        let mut words = Vec::new();
        let mut values = Vec::new();
        for arg in &call.args {
            let ArgValue::Leaves(leaves) = &arg.value else { continue };
            for leaf in leaves {
                let Leaf::Value(value) = leaf else { continue };
                values.push(value_form(value.ty));
                match value.ty {
                    Type::Varbit { .. } => words.push(self.varbit(value)),
                    _ => words.extend(self.eval(value)),
                }
            }
        }
        let site = self.output.sites.externs.len() as u64;
        self.output.sites.externs.push(ExternSite { call: call.clone(), values });
        let (words, site) = (self.store_arguments(&words), self.iconst(site));
        if self.scope.is_some() {
            self.spill_registers(None);
        }
        let status =
            self.call_runtime_for_word(runtime::call_extern as *const u8, &[self.context, site, words]);
        self.leave_unless_done(status);
        self.load_words();
        self.reload_registers(None);
        // The call may have made these headers valid, or replaced them.
        let args = call.args.iter().filter(|arg| arg.direction != Direction::In).filter_map(|arg| match &arg
            .value
        {
            ArgValue::Vars { vars, .. } => Some(vars),
            _ => None,
        });
        for var in args.flatten().chain(&call.result) {
            if let VarRole::Validity(header) = self.unit.program.vars[*var].role {
                let no_location = self.iconst(NO_LOCATION);
                self.set_location(header, no_location);
            }
        }
    }
}
