//! Tables that are applied more than once.
//!
//! In p4c's graph of a control, each table is only one node. So a table can occur only once on a
//! path, and must always have the same successors. This module builds a graph with one node for
//! each application of a table, and finds tables that p4c's graph cannot express.

use std::collections::{BTreeMap, BTreeSet};

use weir_compiler::hir::walk::{self, Visitor};
use weir_compiler::hir::{
    Block, Call, Callee, Expr, ExprKind, InstanceId, Program, Stmt, StmtKind, TableId, Type,
};
use weir_syntax::Span;

use crate::code::{Code, Role};
use crate::report::Report;
use crate::rules::APPLIED_TWICE;

/// A table of an instance: the path of instances to its control, and the table.
type AppliedTable = (Vec<InstanceId>, TableId);

/// The number of the node for the end of the control.
const END: usize = 0;

/// The maximum number of nodes that are compared; larger programs are skipped.
const MAX_NODES: usize = 20_000;

/// Checks the order in which the controls apply tables.
pub(crate) fn run(code: &Code<'_>, report: &mut Report<'_>) {
    for block in code.blocks.iter().filter(|block| matches!(block.role, Role::Ingress | Role::Egress)) {
        let Some(root) = block.root else { continue };
        let mut graph =
            Graph { program: code.program, nodes: vec![Node::default()], edges: 0, path: Vec::new() };
        let live = graph.block(&code.program.controls[root].body, Vec::new());
        graph.edges_to(&live, END);
        if graph.nodes.len() < MAX_NODES {
            graph.compare(report);
        }
    }
}

/// A node of the graph: a table, a condition, or other statements.
#[derive(Default)]
struct Node {
    table: Option<(AppliedTable, Span)>,
    next: Vec<usize>,
}

/// An edge without a target yet: its source node, and its number there.
type Edge = (usize, usize);

/// The graph of a control's tables and conditions.
struct Graph<'a> {
    program: &'a Program,
    nodes: Vec<Node>,
    edges: usize,
    path: Vec<InstanceId>,
}

impl Graph<'_> {
    fn new_edge(&mut self, node: usize) -> Edge {
        self.edges += 1;
        (self.edges, node)
    }

    fn edges_to(&mut self, live: &[Edge], node: usize) {
        for &(_, from) in live {
            self.nodes[from].next.push(node);
        }
    }

    /// Adds a node as the target of the edges `live`.
    fn node(&mut self, live: &[Edge], table: Option<(TableId, Span)>) -> usize {
        let node = self.nodes.len();
        let table = table.map(|(table, span)| ((self.path.clone(), table), span));
        self.nodes.push(Node { table, next: Vec::new() });
        self.edges_to(live, node);
        node
    }

    /// Adds a node that all live edges lead to, and returns its edge.
    fn single(&mut self, live: &[Edge], table: Option<(TableId, Span)>) -> Vec<Edge> {
        let node = self.node(live, table);
        vec![self.new_edge(node)]
    }

    /// Adds the nodes of a block.
    fn block(&mut self, block: &Block, mut live: Vec<Edge>) -> Vec<Edge> {
        for stmt in &block.stmts {
            if self.nodes.len() >= MAX_NODES {
                break;
            }
            live = self.stmt(stmt, live);
        }
        live
    }

    /// Adds the nodes of a statement.
    fn stmt(&mut self, stmt: &Stmt, live: Vec<Edge>) -> Vec<Edge> {
        match &stmt.kind {
            StmtKind::ApplyTable(table) => self.single(&live, Some((*table, stmt.span))),
            StmtKind::Block(inner) => self.block(inner, live),
            StmtKind::Declare { init: None, .. } => live,
            StmtKind::Exit => {
                self.edges_to(&live, END);
                Vec::new()
            }
            // In the block itself, `return` ends the block. In other controls, p4c continues with
            // the code after the condition.
            StmtKind::Return(_) if self.path.is_empty() => {
                self.edges_to(&live, END);
                Vec::new()
            }
            StmtKind::Call(call) => self.call(call, live),
            StmtKind::If { links, otherwise } => {
                let mut open = live;
                let mut ends = Vec::new();
                for link in links {
                    let node = self.condition(&link.condition, &open);
                    let then = self.new_edge(node);
                    ends.extend(self.block(&link.then, vec![then]));
                    open = vec![self.new_edge(node)];
                }
                match otherwise {
                    Some(block) => ends.extend(self.block(block, open)),
                    None => ends.extend(open),
                }
                ends
            }
            StmtKind::SwitchAction { table, cases, default } => {
                let node = self.node(&live, Some((*table, stmt.span)));
                let mut ends = vec![self.new_edge(node)];
                for body in cases.iter().map(|case| &case.body).chain(default) {
                    let edge = self.new_edge(node);
                    ends.extend(self.block(body, vec![edge]));
                }
                ends
            }
            StmtKind::SwitchValue { cases, default, .. } => {
                let node = self.node(&live, None);
                let mut ends = vec![self.new_edge(node)];
                for body in cases.iter().map(|case| &case.body).chain(default) {
                    let edge = self.new_edge(node);
                    ends.extend(self.block(body, vec![edge]));
                }
                ends
            }
            StmtKind::For { body, .. } | StmtKind::ForRange { body, .. } | StmtKind::ForEach { body, .. } => {
                self.block(body, live)
            }
            _ => {
                let live = self.tables_of(stmt, live);
                self.single(&live, None)
            }
        }
    }

    /// Adds the nodes of a call.
    fn call(&mut self, call: &Call, live: Vec<Edge>) -> Vec<Edge> {
        let Callee::ApplyControl(object) = &call.callee else { return self.single(&live, None) };
        let (Type::Control { decl, .. }, ExprKind::Instance(instance)) =
            (&self.program.types[object.ty], &object.kind)
        else {
            return self.single(&live, None);
        };
        let program = self.program;
        self.path.push(*instance);
        let ends = self.block(&program.controls[*decl].body, live);
        self.path.pop();
        ends
    }

    /// Returns the node of an `if`. If the condition is the hit or miss of a table, it is the
    /// table's node.
    fn condition(&mut self, condition: &Expr, live: &[Edge]) -> usize {
        let inner = match &condition.kind {
            ExprKind::Unary(_, operand) => operand,
            _ => condition,
        };
        if let ExprKind::Apply { table, .. } = inner.kind {
            return self.node(live, Some((table, condition.span)));
        }
        let mut live = live.to_vec();
        for table in applications(|search| walk::expr(condition, search)) {
            live = self.single(&live, Some((table, condition.span)));
        }
        self.node(&live, None)
    }

    /// Returns the tables that are applied in the expressions of a statement.
    fn tables_of(&mut self, stmt: &Stmt, mut live: Vec<Edge>) -> Vec<Edge> {
        for table in applications(|search| walk::stmt(stmt, search)) {
            live = self.single(&live, Some((table, stmt.span)));
        }
        live
    }

    /// Reports tables that are applied twice on a path, or in places with different successors.
    fn compare(&self, report: &mut Report<'_>) {
        let mut applications: BTreeMap<&AppliedTable, Vec<usize>> = BTreeMap::new();
        for (position, node) in self.nodes.iter().enumerate() {
            if let Some((table, _)) = &node.table {
                applications.entry(table).or_default().push(position);
            }
        }
        for (table, places) in applications.into_iter().filter(|(_, places)| places.len() > 1) {
            let name = &self.program.tables[table.1].name.text;
            let again = places.iter().find(|&&place| places.iter().any(|&from| self.leads_to(from, place)));
            let differs = || places[1..].iter().find(|&&place| !self.continues_like(places[0], place));
            if let Some((_, span)) =
                again.or_else(differs).and_then(|&place| self.nodes[place].table.as_ref())
            {
                report.add(&APPLIED_TWICE, *span, format!("`{name}` is applied elsewhere, too"));
            }
        }
    }

    fn leads_to(&self, from: usize, to: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = self.nodes[from].next.clone();
        while let Some(node) = open.pop() {
            if node == to {
                return true;
            }
            if seen.insert(node) {
                open.extend(&self.nodes[node].next);
            }
        }
        false
    }

    /// Returns whether two nodes have the same successors; all applications of a table count as the
    /// same node.
    fn continues_like(&self, one: usize, other: usize) -> bool {
        let (one, other) = (&self.nodes[one].next, &self.nodes[other].next);
        let table = |node: usize| self.nodes[node].table.as_ref().map(|(table, _)| table);
        let same = |a: usize, b: usize| a == b || (table(a).is_some() && table(a) == table(b));
        let within = |all: &[usize], those: &[usize]| all.iter().all(|&a| those.iter().any(|&b| same(a, b)));
        one.len() == other.len() && within(one, other) && within(other, one)
    }
}

/// Returns the tables that code applies in expressions.
fn applications(walk: impl FnOnce(&mut Applications)) -> Vec<TableId> {
    let mut search = Applications { found: Vec::new() };
    walk(&mut search);
    search.found
}

/// Collects tables that are applied.
struct Applications {
    found: Vec<TableId>,
}

impl Visitor for Applications {
    fn table(&mut self, table: TableId) {
        self.found.push(table);
    }
}
