//! Calls of actions and procedures.

use cranelift_codegen::ir::InstBuilder;
use cranelift_module::Module;

use super::locations::NO_LOCATION;
use super::{Emit, InlinedBody};
use crate::analysis::{Body, block_of};

impl Emit<'_, '_, '_> {
    /// Runs an action or a procedure, inlined or as a function. Returns whether its end is
    /// reachable.
    pub(super) fn run_body(&mut self, body: Body) -> bool {
        if !self.analysis.inline(body) {
            self.call(body);
            return true;
        }
        let after = self.b.create_block();
        self.inlined.push(InlinedBody { after, used: false });
        let program = self.unit.program;
        let mut alive = self.block(block_of(program, body));
        if alive {
            self.b.ins().jump(after, &[]);
        }
        alive |= self.inlined.pop().is_some_and(|inlined| inlined.used);
        self.continue_at(after, alive)
    }

    /// Emits a call of a body, or the body's code itself.
    fn call(&mut self, body: Body) {
        let facts = self.analysis.body(body);
        if self.predicts_keys() {
            return self.predict_nothing();
        }
        if self.scope.is_some() {
            match facts.opaque_calls {
                0 => self.spill_registers(Some(&mut self.with_validity(&facts).iter())),
                _ => self.spill_registers(None),
            }
            for header in &facts.unextracted {
                let no_location = self.iconst(NO_LOCATION);
                self.set_location(*header, no_location);
            }
        }
        let function = self.output.function(self.module, body);
        let function = self.module.declare_func_in_func(function, self.b.func);
        if facts.parses {
            self.keep_position();
        }
        let call = self.b.ins().call(function, &[self.context]);
        let status = self.b.inst_results(call)[0];
        if facts.parses {
            self.take_position();
        }
        self.leave_unless_done(status);
        if facts.opaque_calls > 0 {
            self.load_words();
            self.reload_registers(None);
        } else {
            self.reload_registers(Some(&mut facts.changed.iter()));
        }
    }
}
