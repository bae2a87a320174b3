//! Actions: those that tables run and those that controls call directly. [`super::bound_action`]
//! handles actions with arguments bound by a table.

use std::cell::RefCell;
use std::rc::Rc;

use weir_ir as ir;
use weir_ir::{Block, StmtKind};
use weir_syntax::Span;

use super::args::Argument;
use super::callable::{Entry, LoweredAction};
use super::context::{BodyKind, Context, Frame};
use super::names::{self, NameKind, qualified_name};
use super::store::Store;
use super::{Lowered, Lowerer};
use crate::hir::{self, Direction};

impl Lowerer<'_> {
    /// Returns the action that a name refers to in the current frame. Actions outside controls are
    /// lowered at their first use.
    pub(super) fn action(&mut self, action: hir::ActionId, span: Span) -> Lowered<Rc<LoweredAction>> {
        for frame in [self.cx.frame, Frame::GLOBAL] {
            if let Some(lowered) = self.frames[frame].actions.get(&action) {
                return Ok(lowered.clone());
            }
        }
        let top_level =
            |declared: &hir::Declaration| matches!(declared, hir::Declaration::Action(id) if *id == action);
        if !self.hir.declarations.iter().any(top_level) {
            return self.unknown(span, "a call of this action at this place");
        }
        let context = Context { frame: Frame::GLOBAL, ..Context::default() };
        self.in_context(context, |this| this.declare_action(action)).0
    }

    /// Lowers an action in the current frame.
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
        let storage = qualified_name(&self.frames[frame].storage, &declaration.name.text);
        let context = Context {
            frame,
            kind: BodyKind::Routine,
            storage: storage.clone(),
            unwind,
            ..Context::default()
        };
        let (params, context) = self.in_context(context, |this| {
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
        let scalars: Option<Vec<ir::VarId>> = params
            .iter()
            .map(|store| match store {
                Store::Scalar(var) if !self.is_varbit(*var) => Some(*var),
                _ => None,
            })
            .collect();
        let entry = if let (0, Some(vars)) = (directed, scalars) {
            let named = declaration.params.iter().zip(vars);
            let params = named.map(|(param, var)| self.action_param(param, "", var)).collect();
            Entry::Action(self.add_action(&name, params, body, &declaration.annotations, loc))
        } else {
            let annotations = names::annotations(&declaration.annotations);
            let action = Some(ir::CalledAction { name: name.clone(), annotations });
            let name = self.names.unique(NameKind::Procedure, &storage);
            Entry::Procedure(self.out.procedures.push(ir::Procedure { name, action, body, loc }))
        };
        let may_unwind = context.may_unwind;
        let lowered = Rc::new(LoweredAction { entry, name, params, may_unwind, bound: RefCell::default() });
        self.frames[frame].actions.insert(action, lowered.clone());
        Ok(lowered)
    }

    /// Adds an action to the program. Copies of an action in different blocks may have the same
    /// name; the control plane distinguishes them by their tables.
    pub(super) fn add_action(
        &mut self,
        control_plane: &str,
        params: Vec<ir::ActionParam>,
        body: Block,
        annotations: &hir::Annotations,
        loc: ir::Loc,
    ) -> ir::ActionId {
        let name = self.names.unique(NameKind::Action, control_plane);
        let control_plane = (name != control_plane).then(|| control_plane.to_string());
        let annotations = names::annotations(annotations);
        self.out.actions.push(ir::Action { name, control_plane, params, body, annotations, loc })
    }

    pub(super) fn action_param(&mut self, param: &hir::Param, path: &str, var: ir::VarId) -> ir::ActionParam {
        let declaration = &self.hir.vars[param.var];
        let name = declaration.annotations.control_plane_name().unwrap_or(&declaration.name.text);
        ir::ActionParam {
            name: match path.chars().next() {
                None => name.to_owned(),
                Some('[') => format!("{name}{path}"),
                Some(_) => qualified_name(name, path),
            },
            var,
            declared: if path.is_empty() { self.declared(declaration.ty) } else { None },
            annotations: names::annotations(&declaration.annotations),
        }
    }

    /// Returns whether a variable has no fixed width, so that it cannot be action data.
    pub(super) fn is_varbit(&self, var: ir::VarId) -> bool {
        matches!(self.out.vars[var].ty, ir::Type::Varbit { .. })
    }

    /// Lowers a direct call of an action.
    pub(super) fn call_action(&mut self, action: hir::ActionId, call: &hir::Call) -> Lowered<()> {
        let lowered = self.action(action, call.span)?;
        let arguments = self.arguments(&self.hir.actions[action].params, &call.args, &[], &[])?;
        self.run_action(&lowered, &arguments)
    }

    pub(super) fn run_action(&mut self, action: &LoweredAction, arguments: &[Argument]) -> Lowered<()> {
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
            self.continue_exit();
        }
        Ok(())
    }
}
