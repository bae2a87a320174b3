//! Parsers as a whole (P4_16 spec, section 12).

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block as Label, InstBuilder};
use weir_exec::LOOP_LIMIT;
use weir_ir::{ParserId, Target};

use super::Emit;
use super::state_graph::{needs_state_limit, next_states, order};
use crate::abi::status;

impl Emit<'_, '_, '_> {
    /// Emits the states of a parser.
    pub(super) fn parser_states(&mut self, id: ParserId) {
        let parser = &self.unit.program.parsers[id];
        if !self.block(&parser.locals) {
            return;
        }
        let labels: Vec<Label> = parser.states.iter().map(|_| self.b.create_block()).collect();
        let visits =
            needs_state_limit(self.unit.program, &self.unit.work, parser).then(|| self.b.declare_var(I64));
        if let Some(visits) = visits {
            let zero = self.iconst(0);
            self.b.def_var(visits, zero);
        }
        let order = order(parser);
        // The number of branches to each state that are not emitted yet. A state is emitted after
        // all states that lead to it, so that all branches are known, and the facts that they have
        // in common.
        let mut ways = vec![0; parser.states.len()];
        order.iter().flat_map(|state| next_states(&parser.states[*state])).for_each(|next| ways[next] += 1);
        let start = labels[parser.start.index()];
        self.b.ins().jump(start, &[]);
        if ways[parser.start.index()] == 0 {
            self.b.seal_block(start);
        }
        for id in order {
            let state = &parser.states[id];
            self.b.switch_to_block(labels[id.index()]);
            self.new_state();
            if let Some(visits) = visits {
                let before = self.b.use_var(visits);
                let past =
                    self.compare_const(IntCC::UnsignedGreaterThanOrEqual, before, u64::from(LOOP_LIMIT));
                self.leave_if(past, self.error(self.unit.errors.parser_timeout));
                let visit = self.iconst(self.unit.work.state_weight(self.unit.program, state).into());
                let now = self.b.ins().iadd(before, visit);
                self.b.def_var(visits, now);
            }
            if self.block(&state.body) {
                self.transition(state, &labels);
            }
            for next in next_states(state) {
                ways[next] -= 1;
                if ways[next] == 0 {
                    self.b.seal_block(labels[next]);
                }
            }
        }
    }

    /// Returns the status for an error of the parser.
    pub(super) fn error(&self, error: u32) -> u64 {
        status::PARSER_ERROR + u64::from(error)
    }

    /// Returns the label to which a transition goes.
    pub(super) fn target(&mut self, target: Target, labels: &[Label]) -> Label {
        match target {
            Target::State(id) => labels[id.index()],
            Target::Accept => self.accepts(),
            Target::Reject => self.end_label(status::REJECT),
        }
    }
}
