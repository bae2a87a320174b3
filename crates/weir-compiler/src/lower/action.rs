//! Actions: what tables run, and what controls call directly.

use std::rc::Rc;

use weir_ir as ir;
use weir_ir::{Block, StmtKind};
use weir_syntax::Span;

use super::args::Argument;
use super::context::{BodyKind, Context, Frame};
use super::names::{self, NameKind, join};
use super::store::Store;
use super::types::{Member, Shape};
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, Direction};

/// How an action is run.
#[derive(Clone, Copy, Debug)]
enum Entry {
    /// All its parameters are scalars of the control plane's, so tables can run it as it is.
    Action(ir::ActionId),
    /// It has parameters with a direction or with members: each table has an action of its own that fills them in and
    /// calls this.
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
        let scalars: Option<Vec<ir::VarId>> = params
            .iter()
            .map(|store| match store {
                Store::Scalar(var) => Some(*var),
                _ => None,
            })
            .collect();
        let entry = if let (0, Some(vars)) = (directed, scalars) {
            let named = declaration.params.iter().zip(vars);
            let params = named.map(|(param, var)| self.action_param(param, "", var)).collect();
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

    fn action_param(&self, param: &hir::Param, path: &str, var: ir::VarId) -> ir::ActionParam {
        let declaration = &self.hir.vars[param.var];
        let name = &declaration.name.text;
        ir::ActionParam {
            name: match path.chars().next() {
                None => name.clone(),
                Some('[') => format!("{name}{path}"),
                Some(_) => join(name, path),
            },
            var,
            annotations: names::annotations(&declaration.annotations),
        }
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
                let name = join(&storage, &declaration.name.text);
                let mut leaves = Vec::new();
                let loc = this.loc(declaration.name.span);
                let value = this.action_data(declaration.ty, &name, "", loc, &mut leaves);
                this.store(inner, value)?;
                data.extend(leaves.iter().map(|(path, var)| this.action_param(param, path, *var)));
            }
            let arguments = this.arguments(&declaration.params[..directed], &item.bound_args, &[], &[])?;
            this.run_action(action, &arguments)?;
            Ok(data)
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

    /// Variables for action data of any type, each with its path below the parameter, and the value that they make up. A
    /// header's validity is `$valid$` below it.
    fn action_data(
        &mut self,
        ty: hir::TypeId,
        name: &str,
        path: &str,
        loc: ir::Loc,
        leaves: &mut Vec<(String, ir::VarId)>,
    ) -> Value {
        match self.shape(ty) {
            Shape::Scalar(scalar) => self.data_leaf(scalar, name, path, loc, leaves),
            Shape::Group(members) => Value::Group(self.data_members(&members, name, path, loc, leaves)),
            Shape::Union(members) => Value::Union(self.data_members(&members, name, path, loc, leaves)),
            Shape::Header(members) => {
                let valid = self.data_leaf(
                    ir::Type::Bool,
                    &join(name, "$valid$"),
                    &join(path, "$valid$"),
                    loc,
                    leaves,
                );
                let members = self.data_members(&members, name, path, loc, leaves);
                match valid {
                    Value::Scalar(valid) => Value::Header { valid, members, from: None },
                    other => other,
                }
            }
            Shape::Array { element, size } => Value::Array {
                elements: (0..size)
                    .map(|index| {
                        let (name, path) = (format!("{name}[{index}]"), format!("{path}[{index}]"));
                        self.action_data(element, &name, &path, loc, leaves)
                    })
                    .collect(),
                next: self.is_header_like(element).then(|| super::fold::u32_const(0)),
            },
            Shape::CompileTime => Value::Nothing,
        }
    }

    fn data_members(
        &mut self,
        members: &[Member],
        name: &str,
        path: &str,
        loc: ir::Loc,
        leaves: &mut Vec<(String, ir::VarId)>,
    ) -> Vec<Value> {
        members
            .iter()
            .map(|member| {
                let (name, path) = (join(name, &member.name), join(path, &member.name));
                self.action_data(member.ty, &name, &path, loc, leaves)
            })
            .collect()
    }

    fn data_leaf(
        &mut self,
        ty: ir::Type,
        name: &str,
        path: &str,
        loc: ir::Loc,
        leaves: &mut Vec<(String, ir::VarId)>,
    ) -> Value {
        let var = self.scalar_var(name, ty, ir::VarRole::Plain, Vec::new(), loc);
        leaves.push((path.to_string(), var));
        Value::Scalar(super::fold::var(var, ty))
    }
}
