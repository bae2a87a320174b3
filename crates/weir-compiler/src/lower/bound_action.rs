//! Actions with parameters that are not plain action data: parameters with a direction, which a
//! table's action list binds, and parameters with members.
//!
//! Tables run a generated action that sets the parameters, calls the action's procedure and copies
//! results out. If tables bind different arguments, the control plane still sees a single action. A
//! selector variable, which is set before each application, selects the variant of the code.

use std::rc::Rc;

use weir_ir as ir;
use weir_ir::Block;
use weir_ir::visit::mutable::{VisitorMut, walk_stmt};

use super::callable::{BoundAction, Entry, LoweredAction};
use super::context::{BodyKind, Context};
use super::names::qualified_name;
use super::types::{Member, Shape};
use super::value::Value;
use super::{Lowered, Lowerer, fold};
use crate::hir;

/// An action in a table's list, as the table runs it.
pub(super) struct ListedAction {
    pub action: ir::ActionId,
    /// Whether it may execute an `exit` that unwinds.
    pub may_unwind: bool,
    /// The selector to set before the table is applied, with the variant.
    pub variant: Option<(ir::VarId, u32)>,
}

/// Removes source locations from a program's parts.
struct LocationRemover;

impl VisitorMut for LocationRemover {
    fn stmt(&mut self, stmt: &mut ir::Stmt) {
        stmt.loc = ir::Loc::NONE;
        walk_stmt(self, stmt);
    }
}

fn without_locations(stmts: &[ir::Stmt]) -> Block {
    let mut block = Block(stmts.to_vec());
    LocationRemover.block(&mut block);
    block
}

impl Lowerer<'_> {
    /// Lowers the action that a table runs for an item of its list.
    pub(super) fn table_action(&mut self, item: &hir::TableAction) -> Lowered<ListedAction> {
        let lowered = self.action(item.action, item.span)?;
        match lowered.entry {
            Entry::Action(action) => {
                Ok(ListedAction { action, may_unwind: lowered.may_unwind, variant: None })
            }
            Entry::Procedure(_) => self.bound_action(&lowered, item),
        }
    }

    fn bound_action(&mut self, action: &Rc<LoweredAction>, item: &hir::TableAction) -> Lowered<ListedAction> {
        let declaration = &self.hir.actions[item.action];
        let directed = declaration.directed_params();
        let (code, may_unwind) = self.bound_code(action, item)?;
        let loc = self.loc(declaration.name.span);
        let earlier = action.bound.borrow_mut().take();
        let mut bound = match earlier {
            Some(bound) => bound,
            None => self.bound_data(action, item.action, directed, loc)?,
        };
        let same =
            bound.variants.iter().position(|variant| without_locations(variant) == without_locations(&code));
        let variant = match same {
            Some(variant) => variant,
            None => {
                bound.variants.push(code);
                if bound.variants.len() > 1 {
                    self.known.record_selected(&action.name, loc);
                }
                self.out.actions[bound.id].body = bound.body(loc);
                bound.variants.len() - 1
            }
        };
        let listed = ListedAction {
            action: bound.id,
            may_unwind,
            variant: bound.selector.map(|var| (var, variant as u32)),
        };
        *action.bound.borrow_mut() = Some(bound);
        Ok(listed)
    }

    /// Creates the action of a table's list, without variants.
    fn bound_data(
        &mut self,
        action: &LoweredAction,
        declared: hir::ActionId,
        directed: usize,
        loc: ir::Loc,
    ) -> Lowered<BoundAction> {
        let declaration = &self.hir.actions[declared];
        let storage = self.action_storage(declared);
        let (params, data) = self.collect(|this| {
            this.cx.loc = loc;
            let mut data = Vec::new();
            for (param, inner) in declaration.params.iter().zip(&action.params).skip(directed) {
                let declaration = &this.hir.vars[param.var];
                let name = qualified_name(&storage, &declaration.name.text);
                let mut leaves = Vec::new();
                let loc = this.loc(declaration.name.span);
                let value = this.action_data(declaration.ty, &name, "", loc, &mut leaves);
                if leaves.iter().any(|(_, var)| this.is_varbit(*var)) {
                    return this.unsupported(declaration.name.span, "a varbit as action data");
                }
                this.store(inner, value)?;
                data.extend(leaves.iter().map(|(path, var)| this.action_param(param, path, *var)));
            }
            Ok(data)
        })?;
        let selector = if self.known.is_selected(&action.name, loc) {
            let ty = fold::U32;
            Some(self.scalar_var(&qualified_name(&storage, "$way"), ty, ir::VarRole::Plain, Vec::new(), loc))
        } else {
            None
        };
        let id = self.add_action(&action.name, params, Block::default(), &declaration.annotations, loc);
        Ok(BoundAction { id, data, variants: Vec::new(), selector })
    }

    /// Makes the code of a variant, which copies arguments in, calls the procedure, and copies
    /// results out.
    fn bound_code(
        &mut self,
        action: &LoweredAction,
        item: &hir::TableAction,
    ) -> Lowered<(Vec<ir::Stmt>, bool)> {
        let declaration = &self.hir.actions[item.action];
        let directed = declaration.directed_params();
        let frame = self.cx.frame;
        let context = Context {
            frame,
            kind: BodyKind::Routine,
            storage: self.action_storage(item.action),
            unwind: self.frames[frame].unwind,
            loc: self.loc(item.span),
            ..Context::default()
        };
        let (lowered, context) = self.in_context(context, |this| {
            let arguments = this.arguments(&declaration.params[..directed], &item.bound_args, &[], &[])?;
            this.run_action(action, &arguments)
        });
        lowered.map(|()| (context.output, context.may_unwind))
    }

    fn action_storage(&self, action: hir::ActionId) -> String {
        qualified_name(&self.frames[self.cx.frame].storage, &self.hir.actions[action].name.text)
    }

    /// Variables for action data of any type, each with its path below the parameter, and the value
    /// that they form. A header's validity is `$valid$` below it.
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
                    &qualified_name(name, "$valid$"),
                    &qualified_name(path, "$valid$"),
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
                let (name, path) = (qualified_name(name, &member.name), qualified_name(path, &member.name));
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
