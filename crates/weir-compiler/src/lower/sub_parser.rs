//! Sub-parsers: each application expands the states of the applied parser.

use std::rc::Rc;

use weir_ir as ir;
use weir_ir::{Block, Target, Transition};

use super::context::BodyKind;
use super::names::qualified_name;
use super::object::{BlockDeclaration, Object};
use super::state_builder::StateBuilder;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir;

impl Lowerer<'_> {
    /// Lowers `instance.apply(…)` of a parser. Adds the states of the parser, and `accept`
    /// continues after the call.
    pub(super) fn apply_parser(&mut self, object: &hir::Expr, call: &hir::Call) -> Lowered<()> {
        let Value::Object(Object::Block(block)) = self.value(object)? else {
            return self.unsupported(object.span, "`apply` on an expression that is not a parser or control");
        };
        let BlockDeclaration::Parser(decl) = self.blocks[block].declaration else {
            return self.unsupported(object.span, "`apply` of a control in a parser");
        };
        if self.cx.states.is_none() {
            return self.unsupported(call.span, "`apply` of a parser outside of a parser state");
        }
        let parser = &self.hir.parsers[decl];
        let arguments = self.arguments(&parser.params, &call.args, &[], &[])?;
        let earlier = self.blocks[block].sub_parser.clone();
        let only_application = self.is_only_application(object, block);
        let bindings = match earlier {
            Some(earlier) => earlier,
            None => {
                let bindings =
                    Rc::new(self.bind_params(&parser.params, &arguments, only_application, block)?);
                self.blocks[block].sub_parser = Some(bindings.clone());
                bindings
            }
        };
        self.copy_params_in(block, &bindings, &arguments)?;
        let resume = format!("{}$after", self.current_state_name());
        let after = self.new_state(&resume, call.span);
        self.expand_call(block, decl, after)?;
        self.enter_state(after);
        self.copy_params_out(&bindings, &arguments)
    }

    fn expand_call(&mut self, block: usize, decl: hir::ParserId, after: ir::ParserStateId) -> Lowered<()> {
        let frame = self.blocks[block].frame.unwrap_or(0);
        let storage = self.frames[frame].storage.clone();
        let mut inner = self.separate_body();
        inner.frame = frame;
        inner.kind = BodyKind::Parser;
        inner.storage = storage;
        inner.loc = self.cx.loc;
        // The initialization of the callee runs in the current state of the caller.
        inner.output = std::mem::take(&mut self.cx.output);
        inner.states = self.cx.states.take();
        let caller = inner.states.as_ref().map(|builder| builder.prefix.clone()).unwrap_or_default();
        let name = self.blocks[block].storage.rsplit('.').next().unwrap_or_default().to_string();
        let parser = &self.hir.parsers[decl];
        let (lowered, mut context) = self.in_context(inner, |this| {
            this.locals(&parser.locals)?;
            let calling = this.suspend_state();
            if let Some(builder) = &mut this.cx.states {
                builder.prefix = qualified_name(&caller, &name);
            }
            let start = this.expand(decl, Target::State(after))?;
            this.finish_suspended(calling, Transition::Goto(Target::State(start)));
            Ok(())
        });
        self.cx.states = context.states.take();
        if let Some(builder) = &mut self.cx.states {
            builder.prefix = caller;
        }
        lowered
    }

    /// Suspends the current state and returns it with the statements emitted so far.
    fn suspend_state(&mut self) -> (Option<ir::ParserStateId>, Block) {
        let current = self.cx.states.as_ref().and_then(StateBuilder::current);
        (current, Block(std::mem::take(&mut self.cx.output)))
    }

    fn finish_suspended(
        &mut self,
        (state, body): (Option<ir::ParserStateId>, Block),
        transition: Transition,
    ) {
        if let Some(state) = state {
            self.enter_state(state);
            self.cx.output = body.0;
            self.leave_state(transition);
        }
    }
}
