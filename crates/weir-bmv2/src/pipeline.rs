//! Pipelines: tables, conditions and calls of actions, and the edges between them.

use std::collections::BTreeMap;

use weir_ir::program::{Block, Control, Param};
use weir_ir::{Bits, ControlId, Stmt, StmtKind, Type};
use weir_json::Node;

use crate::action::Actions;
use crate::flow::{Exit, FlowNode, Target, structured_block};
use crate::input::{Result, declare, list, name, optional, unknown};
use crate::reader::Reader;
use crate::table::called_action;

/// The kinds of nodes of a pipeline.
#[derive(Clone, Copy)]
enum Kind {
    Table,
    Conditional,
    ActionCall,
}

/// The names of a pipeline's nodes.
struct Names<'d>(BTreeMap<&'d str, usize>);

impl Names<'_> {
    /// Finds the node of this name; none for `null`, the end of the pipeline.
    fn target(&self, node: Node<'_>) -> Result<Target> {
        if node.is_null() {
            return Ok(None);
        }
        let name = node.text("the name of a table or condition")?;
        let names = self.0.keys().copied();
        let found = self.0.get(name).copied();
        found.map(Some).ok_or_else(|| unknown(node, "table or condition", name, names))
    }

    /// Finds the node that a member such as `true_next` names.
    fn member(&self, node: Node<'_>, key: &str) -> Result<Target> {
        node.get(key).map_or(Ok(None), |target| self.target(target))
    }
}

impl<'d> Reader<'d> {
    /// Translates the pipeline of this name to a control.
    pub(crate) fn pipeline(
        &mut self,
        wanted: &str,
        actions: &mut Actions<'d>,
        params: Vec<Param>,
    ) -> Result<ControlId> {
        let pipelines = list(self.root, "pipelines")?;
        let pipeline_node = pipelines.iter().find(|node| name(**node, "").is_ok_and(|name| name == wanted));
        let node =
            *pipeline_node.ok_or_else(|| self.root.error(format!("there is no pipeline \"{wanted}\"")))?;
        let (mut names, mut nodes) = (Names(BTreeMap::new()), Vec::new());
        for (key, kind) in
            [("tables", Kind::Table), ("conditionals", Kind::Conditional), ("action_calls", Kind::ActionCall)]
        {
            for part in list(node, key)? {
                let name = name(part, "the name of a table or condition")?;
                declare(&mut names.0, name, nodes.len(), part, "tables or conditions")?;
                nodes.push((part, kind));
            }
        }
        let entry = names.member(node, "init_table")?;
        let mut flow = Vec::new();
        for (part, kind) in &nodes {
            flow.push(match kind {
                Kind::Table => self.table_node(*part, actions, &names)?,
                Kind::Conditional => self.conditional(*part, &names)?,
                Kind::ActionCall => self.action_call(*part, actions, &names)?,
            });
        }
        let body = structured_block(&mut self.program, wanted, flow, entry)
            .map_err(|circle| nodes[circle.0].0.error("the pipeline leads back to this"))?;
        let loc = self.loc(node);
        Ok(self.program.controls.push(Control { name: wanted.to_owned(), params, body, loc }))
    }

    /// Translates a conditional, which is a branch of the pipeline.
    fn conditional(&mut self, node: Node<'d>, names: &Names<'_>) -> Result<FlowNode> {
        let condition = self.condition(node.require("expression")?)?;
        let (then, otherwise) = (names.member(node, "true_next")?, names.member(node, "false_next")?);
        let exit = Exit::If { condition, then, otherwise };
        Ok(FlowNode { body: Vec::new(), exit, loc: self.loc(node) })
    }

    fn action_call(
        &mut self,
        node: Node<'d>,
        actions: &mut Actions<'d>,
        names: &Names<'_>,
    ) -> Result<FlowNode> {
        let id = node.require("action_id")?;
        let next = names.member(node, "next_node")?;
        self.call_node(node, id, id.integer("an action's id", 0, u64::MAX)?, actions, next)
    }

    fn call_node(
        &mut self,
        node: Node<'d>,
        list: Node<'d>,
        id: u64,
        actions: &mut Actions<'d>,
        next: Target,
    ) -> Result<FlowNode> {
        let action = actions.get(self, list, id, None)?;
        if !self.program.actions[action].params.is_empty() {
            return Err(list.error("an action with parameters is called without values for them"));
        }
        let loc = self.loc(node);
        let body = vec![Stmt { kind: StmtKind::CallAction(action), loc }];
        Ok(FlowNode { body, exit: Exit::Goto(next), loc })
    }

    fn table_node(
        &mut self,
        node: Node<'d>,
        actions: &mut Actions<'d>,
        names: &Names<'_>,
    ) -> Result<FlowNode> {
        let next = node.require("next_tables")?;
        let base = names.member(node, "base_default_next")?;
        if let Some(action) = called_action(node)? {
            let next = match next.members()?.next() {
                Some((_, target)) => names.target(target)?,
                None => base,
            };
            return self.call_node(node, node, action, actions, next);
        }
        let loc = self.loc(node);
        let read = self.table(node, actions)?;
        let is_by_hit = next.get("__HIT__").is_some() || next.get("__MISS__").is_some();
        if is_by_hit {
            let way = |key: &str| next.get(key).map_or(Ok(base), |target| names.target(target));
            let (then, otherwise) = (way("__HIT__")?, way("__MISS__")?);
            if then == otherwise {
                return Ok(apply_node(read.id, (read.hit, None), Exit::Goto(then), loc));
            }
            let hit = read.hit.unwrap_or_else(|| self.temporary(Type::Bool));
            let exit = Exit::If { condition: self.read(hit), then, otherwise };
            return Ok(apply_node(read.id, (Some(hit), None), exit, loc));
        }
        let table = &self.program.tables[read.id];
        let last = table.actions.len().saturating_sub(1);
        let mut targets = Vec::new();
        for (position, listed) in table.actions.iter().enumerate() {
            let name = self.program.actions[listed.action].control_plane_name();
            let target = match optional(next, name) {
                // An action that the document does not name is followed by the same node as in a
                // table without a default.
                _ if read.without_default && position == last => base,
                Some(target) => names.target(target)?,
                None if next.get(name).is_some() => None,
                None => base,
            };
            targets.push(target);
        }
        let default = targets.last().copied().unwrap_or(base);
        if targets.iter().all(|target| *target == default) {
            return Ok(apply_node(read.id, (read.hit, None), Exit::Goto(default), loc));
        }
        let mut cases: Vec<(Vec<Bits>, Target)> = Vec::new();
        for (position, target) in targets.iter().enumerate().filter(|(_, target)| **target != default) {
            let value = Bits::new(32, position as u128);
            match cases.iter_mut().find(|(_, known)| known == target) {
                Some((values, _)) => values.push(value),
                None => cases.push((vec![value], *target)),
            }
        }
        let run = self.temporary(Type::bit(32));
        let exit = Exit::Switch { scrutinee: self.read(run), cases, default };
        Ok(apply_node(read.id, (read.hit, Some(run)), exit, loc))
    }

    /// Adds a control that consists of this body.
    pub(crate) fn control(
        &mut self,
        name: &str,
        params: Vec<Param>,
        body: Block,
        node: Option<Node<'_>>,
    ) -> ControlId {
        let loc = node.map_or(weir_ir::Loc::NONE, |node| self.loc(node));
        self.program.controls.push(Control { name: name.to_owned(), params, body, loc })
    }
}

fn apply_node(
    table: weir_ir::TableId,
    (hit, action_run): (Option<weir_ir::VarId>, Option<weir_ir::VarId>),
    exit: Exit,
    loc: weir_ir::Loc,
) -> FlowNode {
    let body = vec![Stmt { kind: StmtKind::Apply { table, hit, action_run }, loc }];
    FlowNode { body, exit, loc }
}
