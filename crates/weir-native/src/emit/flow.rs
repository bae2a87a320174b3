//! Control flow: branches that meet again, and exits from the function.

use cranelift_codegen::ir::{Block as Label, InstBuilder, Value};
use cranelift_frontend::Switch;

use super::Emit;
use crate::abi::status;

impl Emit<'_, '_, '_> {
    /// Returns the label that ends the function with a status.
    pub(super) fn end_label(&mut self, status: u64) -> Label {
        if let Some(label) = self.ends.get(&status) {
            return *label;
        }
        let label = self.b.create_block();
        if status != status::DONE {
            self.b.set_cold_block(label);
        }
        self.ends.insert(status, label);
        label
    }

    /// Ends the function with a status.
    pub(super) fn end_with(&mut self, status: u64) {
        let label = self.end_label(status);
        self.b.ins().jump(label, &[]);
    }

    /// Ends the function with a status if a condition holds.
    pub(super) fn leave_if(&mut self, condition: Value, status: u64) {
        if self.as_const(condition) == Some(0) {
            return;
        }
        let label = self.end_label(status);
        // The exit has a block of its own, so that values that only the exit needs are computed in
        // that block.
        let (out, on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(out);
        self.b.ins().brif(condition, out, &[], on, &[]);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        self.b.ins().jump(label, &[]);
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }

    /// Ends the function with a status that is computed at run time, unless the status is
    /// [`status::DONE`].
    pub(super) fn leave_unless_done(&mut self, status: Value) {
        let on = self.b.create_block();
        self.b.ins().brif(status, self.epilogue, &[status.into()], on, &[]);
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }

    /// Emits two branches that meet again. Each branch returns whether its end is reachable.
    /// Returns whether the end of any branch is reachable.
    pub(super) fn branch(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self) -> bool,
        otherwise: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        match self.as_const(condition) {
            Some(0) => return otherwise(self),
            Some(_) => return then(self),
            None => {}
        }
        let (yes, no, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, yes, &[], no, &[]);
        let mut alive = false;
        self.b.switch_to_block(yes);
        self.b.seal_block(yes);
        if then(self) {
            self.b.ins().jump(after, &[]);
            alive = true;
        }
        self.b.switch_to_block(no);
        self.b.seal_block(no);
        if otherwise(self) {
            self.b.ins().jump(after, &[]);
            alive = true;
        }
        self.continue_at(after, alive)
    }

    /// Emits code that runs if a condition holds.
    pub(super) fn if_true(&mut self, condition: Value, then: impl FnOnce(&mut Self)) {
        self.branch(
            condition,
            |emit| {
                then(emit);
                true
            },
            |_| true,
        );
    }

    /// Continues at a label, which is reachable if `alive` is true.
    pub(super) fn continue_at(&mut self, label: Label, alive: bool) -> bool {
        if alive {
            self.b.switch_to_block(label);
            self.b.seal_block(label);
        }
        alive
    }

    /// Emits `count` branches. A number selects one of them, and other numbers select `otherwise`.
    /// Each branch returns whether its end is reachable.
    pub(super) fn switch_on_index(
        &mut self,
        index: Value,
        count: usize,
        mut way: impl FnMut(&mut Self, usize) -> bool,
        otherwise: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        if let Some(index) = self.as_const(index) {
            return if index < count as u64 { way(self, index as usize) } else { otherwise(self) };
        }
        let labels: Vec<Label> = (0..count).map(|_| self.b.create_block()).collect();
        let (past, after) = (self.b.create_block(), self.b.create_block());
        let mut switch = Switch::new();
        for (i, label) in labels.iter().enumerate() {
            switch.set_entry(i as u128, *label);
        }
        switch.emit(&mut self.b, index, past);
        let mut alive = false;
        for (i, label) in labels.into_iter().enumerate() {
            self.b.switch_to_block(label);
            self.b.seal_block(label);
            if way(self, i) {
                self.b.ins().jump(after, &[]);
                alive = true;
            }
        }
        self.b.switch_to_block(past);
        self.b.seal_block(past);
        if otherwise(self) {
            self.b.ins().jump(after, &[]);
            alive = true;
        }
        self.continue_at(after, alive)
    }
}
