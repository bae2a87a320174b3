//! Actions: their data and their statements, with jumps.
//!
//! p4c creates a separate action for each table that lists one, so several actions have the same
//! name. The control plane uses this name for all of them. In the IR, all but the first have a
//! number appended to their names.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;
use weir_ir::program::{Action, ActionParam, Block};
use weir_ir::{ActionId, BinaryOp, Bits, Expr, ExprKind, Loc, MAX_WIDTH, Place, Stmt, StmtKind, Type};
use weir_json::Node;

use crate::flow::{Exit, FlowNode, Target, structured_block};
use crate::input::{Result, declare, id, list, name, number};
use crate::number::{Number, constant};
use crate::reader::Reader;

/// The actions of the document by their ids.
#[derive(Default)]
pub(crate) struct Actions<'d> {
    nodes: BTreeMap<u64, Node<'d>>,
    read: BTreeMap<u64, ActionId>,
    names: BTreeSet<String>,
}

impl<'d> Actions<'d> {
    /// Finds the actions of a document.
    pub(crate) fn new(root: Node<'d>) -> Result<Self> {
        let mut actions = Self::default();
        for node in list(root, "actions")? {
            let number = id(node)?;
            declare(&mut actions.nodes, number, node, node, "actions with the id")?;
        }
        Ok(actions)
    }

    /// Returns the id of the first action of this name.
    pub(crate) fn by_name(&self, wanted: &str) -> Option<u64> {
        let mut matching =
            self.nodes.iter().filter(|(_, node)| name(**node, "").is_ok_and(|name| name == wanted));
        matching.next().map(|(id, _)| *id)
    }

    /// Returns the action with an id. If `first` is given, a separate action is created that begins
    /// with this statement.
    pub(crate) fn get(
        &mut self,
        reader: &mut Reader<'d>,
        node: Node<'_>,
        number: u64,
        first: Option<Stmt>,
    ) -> Result<ActionId> {
        if first.is_none()
            && let Some(known) = self.read.get(&number)
        {
            return Ok(*known);
        }
        let Some(found) = self.nodes.get(&number).copied() else {
            return Err(node.error(format!("there is no action with the id {number}")));
        };
        let is_alone = first.is_none();
        let action = self.action(reader, found, number, first)?;
        if is_alone {
            self.read.insert(number, action);
        }
        Ok(action)
    }

    /// Translates an action's node to an action of the program.
    fn action(
        &mut self,
        reader: &mut Reader<'d>,
        node: Node<'d>,
        number: u64,
        first: Option<Stmt>,
    ) -> Result<ActionId> {
        let known_as = name(node, "an action's name")?.to_owned();
        let mut unique = known_as.clone();
        let mut copy = number;
        while !self.names.insert(unique.clone()) {
            unique = format!("{known_as}#{copy}");
            copy += 1;
        }
        let mut params = Vec::new();
        for param in list(node, "runtime_data")? {
            let width = param.require("bitwidth")?;
            let width = width.integer("the width of a parameter in bits", 0, u64::from(MAX_WIDTH))? as u32;
            let name = name(param, "a parameter's name")?.to_owned();
            let var = reader.program.add_var(format!("{unique}.{name}"), Type::bit(width), Loc::NONE);
            params.push(ActionParam { name, var, declared: None, annotations: Vec::new() });
        }
        reader.data = params.iter().map(|param| param.var).collect();
        let mut body = reader.primitives(node.require("primitives")?, &unique)?;
        reader.data.clear();
        body.0.splice(0..0, first);
        // p4c writes no place for an action, so the place of its first statement is used.
        let loc = body.0.iter().map(|stmt| stmt.loc).find(|loc| loc.is_some()).unwrap_or(Loc::NONE);
        let control_plane = Some(known_as).filter(|known_as| *known_as != unique);
        Ok(reader.program.actions.push(Action {
            name: unique,
            control_plane,
            params,
            body,
            annotations: Vec::new(),
            loc,
        }))
    }
}

/// The place at which execution continues after a primitive.
enum Jump {
    To(usize),
    /// A jump if the condition is false.
    Unless(Expr, usize),
}

impl<'d> Reader<'d> {
    /// Translates a list of primitives, which may contain jumps.
    pub(crate) fn primitives(&mut self, list: Node<'d>, within: &str) -> Result<Block> {
        let nodes: Vec<_> = list.items()?.collect();
        let mut jumps = BTreeMap::new();
        for (position, node) in nodes.iter().enumerate() {
            if let Some(jump) = self.jump(*node, nodes.len())? {
                jumps.insert(position, jump);
            }
        }
        if jumps.is_empty() {
            let mut statements = Vec::new();
            nodes.into_iter().try_for_each(|node| self.primitive(node, &mut statements))?;
            return Ok(Block(statements));
        }
        let targets = jumps.values().map(|jump| match jump {
            Jump::To(target) | Jump::Unless(_, target) => *target,
        });
        let ends = jumps.keys().map(|position| position + 1);
        let starts: BTreeSet<usize> = targets.chain(ends).chain([0]).filter(|at| *at < nodes.len()).collect();
        let starts: Vec<usize> = starts.into_iter().collect();
        let block_at = |position: usize| starts.binary_search(&position).ok();
        let leads_back = jumps.iter().any(|(position, jump)| match jump {
            Jump::To(target) | Jump::Unless(_, target) => target <= position,
        });
        let mut flow = Vec::new();
        for (number, start) in starts.iter().enumerate() {
            let end = starts.get(number + 1).copied().unwrap_or(nodes.len());
            let mut body = Vec::new();
            let mut exit = Exit::Goto(block_at(end));
            for (position, node) in nodes.iter().enumerate().take(end).skip(*start) {
                match jumps.remove(&position) {
                    None => self.primitive(*node, &mut body)?,
                    Some(Jump::To(target)) => exit = Exit::Goto(block_at(target)),
                    Some(Jump::Unless(condition, target)) => {
                        exit = Exit::If { condition, then: block_at(end), otherwise: block_at(target) };
                    }
                }
            }
            let loc = self.loc(nodes[end - 1]);
            flow.push(FlowNode { body, exit, loc });
        }
        if leads_back {
            return Ok(self.stepwise(flow));
        }
        structured_block(&mut self.program, within, flow, Some(0))
            .map_err(|_| list.error("the jumps of these primitives lead in a circle"))
    }

    /// Reads a primitive as a jump; `None` if it is another primitive.
    fn jump(&self, node: Node<'_>, count: usize) -> Result<Option<Jump>> {
        let op = node.require("op")?.text("a primitive's name")?;
        if !matches!(op, "_jump" | "_jump_if_zero") {
            return Ok(None);
        }
        let args: Vec<_> = node.require("parameters")?.items()?.collect();
        let target = |node: Node<'_>| {
            let target = match self.number(node)? {
                Number::Const(target) => usize::try_from(target).ok().filter(|target| *target <= count),
                _ => None,
            };
            target.ok_or_else(|| node.error(format!("expected the position of a primitive, at most {count}")))
        };
        match (op, &args[..]) {
            ("_jump", [to]) => Ok(Some(Jump::To(target(*to)?))),
            ("_jump_if_zero", [condition, to]) => {
                Ok(Some(Jump::Unless(self.condition(*condition)?, target(*to)?)))
            }
            _ => Err(node.error(format!("\"{op}\" does not take {} parameters", args.len()))),
        }
    }

    /// Converts a graph with loops. A loop runs the nodes one after the other, and each node sets
    /// the number of its successor.
    fn stepwise(&mut self, flow: Vec<FlowNode>) -> Block {
        let ty = Type::bit(32);
        let end = flow.len();
        let next = self.temporary(ty);
        let number = |target: Target| constant(ty, &BigInt::from(target.unwrap_or(end)));
        let go = |target: Target, loc| Stmt { kind: StmtKind::Assign(Place::Var(next), number(target)), loc };
        let mut cases = Vec::new();
        for (position, FlowNode { mut body, exit, loc }) in flow.into_iter().enumerate() {
            match exit {
                Exit::Goto(target) => body.push(go(target, loc)),
                Exit::If { condition, then, otherwise } => {
                    let (then, otherwise) = (Block(vec![go(then, loc)]), Block(vec![go(otherwise, loc)]));
                    body.push(Stmt { kind: StmtKind::If { condition, then, otherwise }, loc });
                }
                Exit::Switch { .. } => unreachable!("primitives only jump"),
            }
            cases.push((vec![Bits::new(32, position as u128)], Block(body)));
        }
        let scrutinee = self.read(next);
        let condition = Expr {
            kind: ExprKind::Binary(BinaryOp::Ne, Box::new(scrutinee.clone()), Box::new(number(None))),
            ty: Type::Bool,
        };
        let body = StmtKind::Switch { scrutinee, cases, default: Block::default() };
        let body = Block(vec![Stmt { kind: body, loc: Loc::NONE }]);
        let repeat = StmtKind::Loop { condition, body, step: Block::default() };
        Block(vec![go(Some(0), Loc::NONE), Stmt { kind: repeat, loc: Loc::NONE }])
    }

    /// Reads an action's data as constants in the widths of its parameters.
    pub(crate) fn action_data(&self, action: ActionId, data: Node<'_>) -> Result<Vec<Bits>> {
        let params = &self.program.actions[action].params;
        let values: Vec<_> = data.items()?.collect();
        if values.len() != params.len() {
            let count = values.len();
            return Err(
                data.error(format!("the action has {} parameters, found {count} values", params.len()))
            );
        }
        let width = |param: &ActionParam| self.program.vars[param.var].ty.width();
        let value =
            |(node, param): (Node<'_>, &ActionParam)| Ok(Bits::wrap_signed(width(param), &number(node)?));
        values.into_iter().zip(params).map(value).collect()
    }
}
