//! Actions: what tables run, and what controls call directly.

use std::rc::Rc;

use weir_ir as ir;
use weir_ir::{Block, StmtKind};
use weir_syntax::Span;

use super::args::Argument;
use super::context::{BodyKind, Context, Frame};
use super::names::{self, NameKind, join};
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, Direction};

/// How an action is run.
#[derive(Clone, Copy, Debug)]
enum Entry {
    /// All its parameters are the control plane's, so tables can run it as it is.
    Action(ir::ActionId),
    /// It has parameters with a direction: each table has an action of its own that binds them and calls this.
    Procedure(ir::ProcedureId),
}

/// An action of one instance of a control.
#[derive(Debug)]
pub(super) struct LoweredAction {
    entry: Entry,
    name: String,
    params: Vec<Store>,
    pub may_unwind: bool,
}

impl Lowerer<'_> {
    /// The action that a name stands for here. Those outside controls are lowered at their first use.
    pub(super) fn action(&mut self, action: hir::ActionId, span: Span) -> Lowered<Rc<LoweredAction>> {
        for frame in [self.cx.frame, Frame::GLOBAL] {
            if let Some(lowered) = self.frames[frame].actions.get(&action) {
                return Ok(lowered.clone());
            }
        }
        let top_level =
            |declared: &hir::Declaration| matches!(declared, hir::Declaration::Action(id) if *id == action);
        if !self.hir.declarations.iter().any(top_level) {
            return self.unknown(span, "this action here");
        }
        let context = Context { frame: Frame::GLOBAL, ..Context::default() };
        self.within(context, |this| this.declare_action(action)).0
    }

    /// Lowers an action in the frame at hand.
    pub(super) fn declare_action(&mut self, action: hir::ActionId) -> Lowered<Rc<LoweredAction>> {
        let declaration = &self.hir.actions[action];
        let frame = self.cx.frame;
        let name = names::control_plane(
            &self.frames[frame].control_plane,
            &declaration.name.text,
            &declaration.annotations,
        );
        let directed = declaration.directed_params();
        let writes = declaration
            .params
            .iter()
            .any(|param| matches!(param.direction, Direction::Out | Direction::InOut));
        let unwind = self.frames[frame].unwind || writes || self.called_actions.contains(&action);
        let storage = join(&self.frames[frame].storage, &declaration.name.text);
        let context = Context {
            frame,
            kind: BodyKind::Routine,
            storage: storage.clone(),
            unwind,
            ..Context::default()
        };
        let (params, context) = self.within(context, |this| {
            let params = declaration
                .params
                .iter()
                .map(|param| this.declare(param.var))
                .collect::<Lowered<Vec<_>>>()?;
            this.block(&declaration.body)?;
            Ok(params)
        });
        let params = params?;
        let loc = self.loc(declaration.name.span);
        let body = Block(context.output);
        let entry = if directed == 0 {
            let params = self.action_params(&declaration.params, &params)?;
            // Actions of different blocks may share a name; the control plane tells them apart by their tables.
            let unique = self.names.unique(NameKind::Action, &name);
            let annotations = names::annotations(&declaration.annotations);
            Entry::Action(self.out.actions.push(ir::Action { name: unique, params, body, annotations, loc }))
        } else {
            let name = self.names.unique(NameKind::Procedure, &storage);
            Entry::Procedure(self.out.procedures.push(ir::Procedure { name, body, loc }))
        };
        let lowered = Rc::new(LoweredAction { entry, name, params, may_unwind: context.may_unwind });
        self.frames[frame].actions.insert(action, lowered.clone());
        Ok(lowered)
    }

    fn action_params(&mut self, params: &[hir::Param], stores: &[Store]) -> Lowered<Vec<ir::ActionParam>> {
        let mut lowered = Vec::with_capacity(params.len());
        for (param, store) in params.iter().zip(stores) {
            let declaration = &self.hir.vars[param.var];
            let Store::Scalar(var) = store else {
                let ty = self.type_name(declaration.ty);
                return self.unsupported(declaration.name.span, &format!("action data of type `{ty}`"));
            };
            lowered.push(ir::ActionParam {
                name: declaration.name.text.clone(),
                var: *var,
                annotations: names::annotations(&declaration.annotations),
            });
        }
        Ok(lowered)
    }

    /// Calls an action directly.
    pub(super) fn call_action(&mut self, action: hir::ActionId, call: &hir::Call) -> Lowered<()> {
        let lowered = self.action(action, call.span)?;
        let arguments = self.arguments(&self.hir.actions[action].params, &call.args, &[], &[])?;
        self.run_action(&lowered, &arguments)
    }

    fn run_action(&mut self, action: &LoweredAction, arguments: &[Argument]) -> Lowered<()> {
        for (store, argument) in action.params.iter().zip(arguments) {
            self.copy_in(store, argument)?;
        }
        self.emit(match action.entry {
            Entry::Action(id) => StmtKind::CallAction(id),
            Entry::Procedure(id) => StmtKind::Call(id),
        });
        let stores: Vec<Option<&Store>> = action.params.iter().map(Some).collect();
        self.copy_out(&stores, arguments)?;
        if action.may_unwind {
            self.pass_exit_on();
        }
        Ok(())
    }

    /// The action that a table runs for an item of its list, and whether an `exit` of it comes step by step.
    pub(super) fn table_action(&mut self, item: &hir::TableAction) -> Lowered<(ir::ActionId, bool)> {
        let lowered = self.action(item.action, item.span)?;
        match lowered.entry {
            Entry::Action(id) => Ok((id, lowered.may_unwind)),
            Entry::Procedure(_) => self.bound_action(&lowered, item),
        }
    }

    /// An action that evaluates the arguments bound in a table's list and runs the action with them.
    fn bound_action(
        &mut self,
        action: &LoweredAction,
        item: &hir::TableAction,
    ) -> Lowered<(ir::ActionId, bool)> {
        let declaration = &self.hir.actions[item.action];
        let directed = declaration.directed_params();
        let frame = self.cx.frame;
        let storage = join(&self.frames[frame].storage, &declaration.name.text);
        let unwind = self.frames[frame].unwind;
        let loc = self.loc(item.span);
        let context = Context {
            frame,
            kind: BodyKind::Routine,
            storage: storage.clone(),
            unwind,
            loc,
            ..Context::default()
        };
        let (params, context) = self.within(context, |this| {
            let mut data = Vec::new();
            for (param, inner) in declaration.params.iter().zip(&action.params).skip(directed) {
                let declaration = &this.hir.vars[param.var];
                let own = this.allocate(
                    declaration.ty,
                    &join(&storage, &declaration.name.text),
                    &declaration.annotations,
                    declaration.name.span,
                )?;
                let value: Value = this.load(&own);
                this.store(inner, value)?;
                data.push(own);
            }
            let arguments = this.arguments(&declaration.params[..directed], &item.bound_args, &[], &[])?;
            this.run_action(action, &arguments)?;
            this.action_params(&declaration.params[directed..], &data)
        });
        let params = params?;
        let loc = self.loc(declaration.name.span);
        let name = self.names.unique(NameKind::Action, &action.name);
        let id = self.out.actions.push(ir::Action {
            name,
            params,
            body: Block(context.output),
            annotations: names::annotations(&declaration.annotations),
            loc,
        });
        Ok((id, context.may_unwind))
    }
}
