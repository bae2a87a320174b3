//! Controls: those that the package uses, and those that other controls apply.

use std::rc::Rc;

use weir_ir as ir;
use weir_ir::{Block, StmtKind};

use super::context::{BodyKind, Context};
use super::names::NameKind;
use super::object::{BlockDeclaration, Object};
use super::param_binding::ParamBinding;
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, Direction, ExprKind, Local};

/// The procedure of a control that other controls apply.
#[derive(Debug)]
pub(super) struct SubControl {
    procedure: ir::ProcedureId,
    bindings: Vec<ParamBinding>,
    may_unwind: bool,
    /// Whether the procedure was generated for the only application of the control.
    only_application: bool,
}

impl Lowerer<'_> {
    /// Lowers a control that the package uses.
    pub(super) fn package_control(&mut self, block: usize, decl: hir::ControlId) -> Lowered<ir::ControlId> {
        let control = &self.hir.controls[decl];
        let frame = self.open_frame(block, false);
        let storage = self.frames[frame].storage.clone();
        let context = Context { frame, kind: BodyKind::Control, storage, once: true, ..Context::default() };
        let (params, context) = self.in_context(context, |this| {
            let params = this.package_params(&control.params)?;
            let locals = this.control_locals(control);
            this.block(&control.body).and(locals)?;
            Ok(params)
        });
        let name = self.names.unique(NameKind::Block, &self.blocks[block].control_plane);
        let loc = self.loc(control.name.span);
        Ok(self.out.controls.push(ir::Control { name, params: params?, body: Block(context.output), loc }))
    }

    /// Allocates storage for the run-time parameters of a block that the package uses. Packets have
    /// no storage.
    pub(super) fn package_params(&mut self, params: &[hir::Param]) -> Lowered<Vec<ir::Param>> {
        let mut lowered = Vec::with_capacity(params.len());
        for param in params {
            let declaration = &self.hir.vars[param.var];
            let store = self.declare(param.var)?;
            if store == Store::Nothing {
                continue;
            }
            let prefix = super::names::qualified_name(&self.cx.storage, &declaration.name.text);
            lowered.push(ir::Param {
                name: declaration.name.text.clone(),
                direction: match param.direction {
                    Direction::None | Direction::In => ir::Direction::In,
                    Direction::Out => ir::Direction::Out,
                    Direction::InOut => ir::Direction::InOut,
                },
                type_name: self.type_name(declaration.ty),
                storage: self.storage(&store, &prefix),
            });
        }
        Ok(lowered)
    }

    /// Lowers the local declarations of a block and emits their initialization.
    pub(super) fn locals(&mut self, locals: &[Local]) -> Lowered<()> {
        let mut result = Ok(());
        for local in locals {
            if self.is_too_large() {
                break;
            }
            let lowered = match local {
                Local::Var { var, init } => self.declare_local(*var, init.as_ref()),
                Local::Const(_) => Ok(()),
                Local::Instance(instance) => self.instantiate(*instance).map(|_| ()),
                Local::Action(action) => self.declare_action(*action).map(|_| ()),
                Local::Table(table) => self.declare_table(*table),
                Local::ValueSet(set) => self.value_set(*set).map(|_| ()),
            };
            if lowered.is_err() {
                result = lowered;
            }
        }
        result
    }

    /// Lowers the application `instance.apply(…)` of a control.
    pub(super) fn apply_control(&mut self, object: &hir::Expr, call: &hir::Call) -> Lowered<()> {
        let Value::Object(Object::Block(block)) = self.value(object)? else {
            return self.unsupported(object.span, "`apply` on an expression that is not a parser or control");
        };
        let BlockDeclaration::Control(decl) = self.blocks[block].declaration else {
            return self.unsupported(object.span, "`apply` of a parser in a control");
        };
        let params = &self.hir.controls[decl].params;
        let arguments = self.arguments(params, &call.args, &[], &[])?;
        let earlier = self.blocks[block].sub_control.clone();
        let sub_control = match earlier {
            Some(earlier) => {
                if earlier.only_application {
                    self.known.record_copied(block);
                }
                earlier
            }
            None => {
                let only_application = self.is_only_application(object, block);
                let bindings = self.bind_params(params, &arguments, only_application, block)?;
                let lowered = Rc::new(self.sub_control(block, decl, bindings, only_application)?);
                self.blocks[block].sub_control = Some(lowered.clone());
                lowered
            }
        };
        let unwinds = self.blocks[block].frame.is_some_and(|frame| self.frames[frame].unwind);
        if self.cx.unwind && !unwinds && self.exiting_controls.contains(&decl) {
            self.known.record_unwinding(block);
        }
        self.copy_params_in(block, &sub_control.bindings, &arguments)?;
        self.emit(StmtKind::Call(sub_control.procedure));
        self.copy_params_out(&sub_control.bindings, &arguments)?;
        if sub_control.may_unwind {
            self.continue_exit();
        }
        Ok(())
    }

    /// Returns whether a statement is the only application of an instance.
    pub(super) fn is_only_application(&self, object: &hir::Expr, block: usize) -> bool {
        let ExprKind::Instance(instance) = object.kind else { return false };
        let frame = &self.frames[self.cx.frame];
        frame.instances.contains_key(&instance)
            && frame.applications.get(&instance) == Some(&1)
            && !self.known.is_copied(block)
    }

    fn sub_control(
        &mut self,
        block: usize,
        decl: hir::ControlId,
        bindings: Vec<ParamBinding>,
        only_application: bool,
    ) -> Lowered<SubControl> {
        let control = &self.hir.controls[decl];
        let copies_out = bindings.iter().zip(&control.params).any(|(binding, param)| {
            matches!(binding, ParamBinding::Copied(_))
                && matches!(param.direction, Direction::Out | Direction::InOut)
        });
        let unwind = self.cx.unwind
            || (copies_out && self.exiting_controls.contains(&decl))
            || self.known.is_unwinding(block);
        let frame = self.blocks[block].frame.unwrap_or(0);
        self.frames[frame].unwind = unwind;
        let storage = self.frames[frame].storage.clone();
        let context = Context {
            frame,
            kind: BodyKind::Routine,
            storage: storage.clone(),
            once: self.cx.once && only_application,
            unwind,
            ..Context::default()
        };
        let (lowered, context) = self.in_context(context, |this| {
            let locals = this.control_locals(control);
            this.block(&control.body).and(locals)
        });
        lowered?;
        let name = self.names.unique(NameKind::Procedure, &storage);
        let loc = self.loc(control.name.span);
        let procedure =
            self.out.procedures.push(ir::Procedure { name, action: None, body: Block(context.output), loc });
        Ok(SubControl { procedure, bindings, may_unwind: context.may_unwind, only_application })
    }
}
