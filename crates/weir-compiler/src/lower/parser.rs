//! Parsers: their states, including those of the sub-parsers that they apply.

use rustc_hash::FxHashMap;
use weir_ir as ir;
use weir_ir::{Block, ParserStateId, Target};
use weir_syntax::Diagnostic;

use super::context::{BodyKind, Context};
use super::names::NameKind;
use super::state_builder::StateBuilder;
use super::{Lowered, Lowerer};
use crate::hir;

/// The lowered states of the parser or expanded sub-parser that is being lowered.
pub(super) struct Expansion {
    pub states: FxHashMap<hir::StateId, ParserStateId>,
    /// The target of transitions to `accept`.
    pub accept: Target,
}

impl Expansion {
    /// Returns the target of a transition.
    pub(super) fn target(&self, target: hir::Target) -> Target {
        match target {
            hir::Target::Accept => self.accept,
            hir::Target::Reject => Target::Reject,
            hir::Target::State(state) => {
                self.states.get(&state).map_or(Target::Reject, |&id| Target::State(id))
            }
        }
    }
}

impl Lowerer<'_> {
    /// Lowers a parser that the package uses.
    pub(super) fn package_parser(&mut self, block: usize, decl: hir::ParserId) -> Lowered<ir::ParserId> {
        let parser = &self.hir.parsers[decl];
        let frame = self.open_frame(block, false);
        let storage = self.frames[frame].storage.clone();
        let context = Context { frame, kind: BodyKind::Parser, storage, once: true, ..Context::default() };
        let (lowered, mut context) = self.in_context(context, |this| {
            let params = this.package_params(&parser.params)?;
            this.locals(&parser.locals)?;
            let locals = std::mem::take(&mut this.cx.output);
            this.cx.once = false;
            this.cx.states = Some(StateBuilder::default());
            let start = this.expand(decl, Target::Accept)?;
            Ok((params, locals, start))
        });
        let (params, locals, start) = lowered?;
        let states = context.states.take().map(StateBuilder::into_states).unwrap_or_default();
        let name = self.names.unique(NameKind::Block, &self.blocks[block].control_plane);
        let loc = self.loc(parser.name.span);
        Ok(self.out.parsers.push(ir::Parser { name, params, locals: Block(locals), states, start, loc }))
    }

    /// Adds the states of a parser to the parser being built, with `accept` replaced by the given
    /// target. Returns the start state.
    pub(super) fn expand(&mut self, decl: hir::ParserId, accept: Target) -> Lowered<ParserStateId> {
        let parser = &self.hir.parsers[decl];
        let mut states = FxHashMap::default();
        for &state in &parser.states {
            let name = &self.hir.states[state].name;
            self.count_item(name.span)?;
            let id = self.new_state(&name.text, name.span);
            states.insert(state, id);
        }
        let expansion = Expansion { states, accept };
        let mut result = Ok(());
        for &state in &parser.states {
            if self.is_too_large() {
                return Err(super::Refused);
            }
            self.enter_state(expansion.states[&state]);
            let lowered = self.state(state, &expansion);
            if lowered.is_err() {
                self.cx.output.clear();
                result = lowered;
            }
        }
        result.map(|()| expansion.states[&parser.start])
    }

    /// Lowers a state of a parser that is expanded at its place of use.
    fn state(&mut self, id: hir::StateId, expansion: &Expansion) -> Lowered<()> {
        let state = &self.hir.states[id];
        self.out.atomic |= state.annotations.contains(super::ATOMIC);
        let statements = self.statements(&state.stmts);
        let loc = self.loc(state.transition_span);
        let outer = std::mem::replace(&mut self.cx.loc, loc);
        let transition = self.transition(&state.transition, expansion, loc);
        self.cx.loc = outer;
        statements?;
        self.leave_state(transition?);
        Ok(())
    }

    fn state_builder(&mut self) -> Lowered<&mut StateBuilder> {
        if self.cx.states.is_none() {
            return self.refuse(Diagnostic::error(
                "not-supported-yet",
                "not supported yet: states outside of a parser",
            ));
        }
        self.cx.states.as_mut().ok_or(super::Refused)
    }

    /// Adds an empty state to the parser.
    pub(super) fn new_state(&mut self, name: &str, span: weir_syntax::Span) -> ParserStateId {
        let loc = self.loc(span);
        let Ok(builder) = self.state_builder() else {
            return ParserStateId::new(0);
        };
        builder.add_state(name, loc)
    }

    /// Makes `id` the current state, to which emitted statements belong.
    pub(super) fn enter_state(&mut self, id: ParserStateId) {
        if let Some(builder) = &mut self.cx.states {
            builder.enter_state(id);
        }
    }

    /// Ends the current state. Code that follows is unreachable until another state is entered.
    pub(super) fn leave_state(&mut self, transition: ir::Transition) {
        let body = Block(std::mem::take(&mut self.cx.output));
        if let Some(builder) = &mut self.cx.states {
            builder.finish_state(body, transition);
        }
    }

    /// Returns the name of the current state, without the prefix for sub-parsers.
    pub(super) fn current_state_name(&self) -> String {
        self.cx.states.as_ref().and_then(StateBuilder::current_name).unwrap_or_default()
    }
}
