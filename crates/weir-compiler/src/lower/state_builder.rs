//! The states of a parser while it is being lowered.

use rustc_hash::FxHashMap;
use weir_ir as ir;
use weir_ir::{Arena, Block, ParserState, ParserStateId, Target};

use super::names::qualified_name;

/// The states of a parser while they are being lowered.
#[derive(Debug, Default)]
pub(super) struct StateBuilder {
    states: Arena<ParserState>,
    /// The number of states by requested name.
    names: FxHashMap<String, u32>,
    /// The state whose statements are being lowered. `None` after a transition: such code is
    /// unreachable.
    current: Option<ParserStateId>,
    /// The path of sub-parsers, which prefixes the names of their states.
    pub prefix: String,
}

impl StateBuilder {
    /// Returns the current state, if there is one.
    pub(super) fn current(&self) -> Option<ParserStateId> {
        self.current
    }

    /// Returns the name of the current state, without the path of sub-parsers.
    pub(super) fn current_name(&self) -> Option<String> {
        let name = &self.states[self.current?].name;
        let name = name.strip_prefix(self.prefix.as_str()).unwrap_or(name);
        Some(name.trim_start_matches('.').to_string())
    }

    /// Adds an empty state with a unique name.
    pub(super) fn add_state(&mut self, name: &str, loc: ir::Loc) -> ParserStateId {
        // P4 identifiers contain no `#`.
        let mut unique = qualified_name(&self.prefix, name);
        let times = self.names.entry(unique.clone()).or_insert(0);
        *times += 1;
        if *times > 1 {
            unique = format!("{unique}#{times}");
        }
        let transition = ir::Transition::Goto(Target::Reject);
        self.states.push(ParserState { name: unique, body: Block::default(), transition, loc })
    }

    /// Makes a state the current one, to which statements are added.
    pub(super) fn enter_state(&mut self, id: ParserStateId) {
        self.current = Some(id);
    }

    /// Completes the current state; there is none until another is entered.
    pub(super) fn finish_state(&mut self, body: Block, transition: ir::Transition) {
        if let Some(current) = self.current.take() {
            let state = &mut self.states[current];
            state.body = body;
            state.transition = transition;
        }
    }

    /// Returns the states, all complete.
    pub(super) fn into_states(self) -> Arena<ParserState> {
        self.states
    }
}

/// The states to which `continue` and `break` lead in a loop that consists of states.
#[derive(Clone, Copy, Debug)]
pub(super) struct StateLoop {
    pub step: ParserStateId,
    pub done: ParserStateId,
}
