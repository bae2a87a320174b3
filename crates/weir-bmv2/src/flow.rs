//! Converts graphs of control flow to structured statements.
//!
//! A pipeline is a graph of tables and conditions in which branches split and join again. The
//! statements of a node end at the node's immediate post-dominator, where all paths from the node
//! have joined. The statements of the post-dominator follow. If several nodes lead to the same node
//! before they join, that node becomes a procedure that all of them call. So the program grows
//! linearly with the graph.

use weir_ir::program::{Block, Expr, Procedure, Program};
use weir_ir::{Bits, Loc, Stmt, StmtKind};

/// A node of the control flow; `None` means the end.
pub(crate) type Target = Option<usize>;

/// A node of the control-flow graph: its statements and how it ends.
#[derive(Debug)]
pub(crate) struct FlowNode {
    /// The statements that run at the node.
    pub body: Vec<Stmt>,
    /// The end of the node, which gives its successors.
    pub exit: Exit,
    pub loc: Loc,
}

/// The way in which a node ends.
#[derive(Debug)]
pub(crate) enum Exit {
    Goto(Target),
    If { condition: Expr, then: Target, otherwise: Target },
    Switch { scrutinee: Expr, cases: Vec<(Vec<Bits>, Target)>, default: Target },
}

impl Exit {
    /// Returns the nodes that may follow this node.
    fn targets(&self) -> Vec<Target> {
        match self {
            Self::Goto(target) => vec![*target],
            Self::If { then, otherwise, .. } => vec![*then, *otherwise],
            Self::Switch { cases, default, .. } => {
                cases.iter().map(|(_, target)| *target).chain([*default]).collect()
            }
        }
    }
}

/// The error for a graph with a cycle. Contains a node of the cycle.
#[derive(Debug)]
pub(crate) struct Cycle(pub usize);

/// Returns the statements of a graph from a node on. Procedures get names that begin with the
/// prefix.
pub(crate) fn structured_block(
    program: &mut Program,
    prefix: &str,
    nodes: Vec<FlowNode>,
    entry: Target,
) -> Result<Block, Cycle> {
    let order = topological(&nodes, entry)?;
    let joins = Joins::new(&nodes, &order);
    let mut uses = vec![0usize; nodes.len()];
    joins.nodes_between(entry, None).for_each(|node| uses[node] += 1);
    for node in &order {
        for target in nodes[*node].exit.targets() {
            joins.nodes_between(target, joins.join_of[*node]).for_each(|node| uses[node] += 1);
        }
    }
    let mut parts: Vec<FlowPart> = nodes.iter().map(|_| FlowPart::Inline(Vec::new())).collect();
    let mut nodes: Vec<Option<FlowNode>> = nodes.into_iter().map(Some).collect();
    // Nodes are processed after all their successors.
    for node in order.into_iter().rev() {
        let Some(FlowNode { mut body, exit, loc }) = nodes[node].take() else { continue };
        let mut block = |target: Target| {
            let chain: Vec<_> = joins.nodes_between(target, joins.join_of[node]).collect();
            Block(chain.into_iter().flat_map(|node| parts[node].statements()).collect())
        };
        let kind = match exit {
            Exit::Goto(target) => {
                body.extend(block(target).0);
                None
            }
            Exit::If { condition, then, otherwise } => {
                Some(StmtKind::If { condition, then: block(then), otherwise: block(otherwise) })
            }
            Exit::Switch { scrutinee, cases, default } => {
                let cases = cases.into_iter().map(|(values, target)| (values, block(target))).collect();
                Some(StmtKind::Switch { scrutinee, cases, default: block(default) })
            }
        };
        body.extend(kind.map(|kind| Stmt { kind, loc }));
        parts[node] = if uses[node] > 1 && !is_short(&body) {
            let name = format!("{prefix}.$join{node}");
            let procedure = Procedure { name, action: None, body: Block(body), loc };
            FlowPart::Shared(Stmt { kind: StmtKind::Call(program.procedures.push(procedure)), loc })
        } else if uses[node] > 1 {
            FlowPart::Short(body)
        } else {
            FlowPart::Inline(body)
        };
    }
    Ok(Block(joins.nodes_between(entry, None).flat_map(|node| parts[node].statements()).collect()))
}

/// The statements of a node, up to where its paths join.
enum FlowPart {
    /// Statements that are used once.
    Inline(Vec<Stmt>),
    /// Statements that are used several times, but are too short for a procedure.
    Short(Vec<Stmt>),
    Shared(Stmt),
}

impl FlowPart {
    /// Returns the statements to insert in place of the node; statements that are inserted once are
    /// moved out.
    fn statements(&mut self) -> Vec<Stmt> {
        match self {
            Self::Inline(statements) => std::mem::take(statements),
            Self::Short(statements) => statements.clone(),
            Self::Shared(call) => vec![call.clone()],
        }
    }
}

/// Returns whether the statements are too short for a procedure.
fn is_short(body: &[Stmt]) -> bool {
    let is_plain = |stmt: &Stmt| {
        !matches!(stmt.kind, StmtKind::If { .. } | StmtKind::Switch { .. } | StmtKind::Loop { .. })
    };
    body.len() <= 1 && body.iter().all(is_plain)
}

/// The node where the paths from each node have joined: its immediate post-dominator.
struct Joins {
    join_of: Vec<Target>,
    /// The number of joins between a node and the end.
    depth: Vec<usize>,
}

impl Joins {
    fn new(nodes: &[FlowNode], order: &[usize]) -> Self {
        let mut joins = Self { join_of: vec![None; nodes.len()], depth: vec![0; nodes.len()] };
        for node in order.iter().rev() {
            let targets = nodes[*node].exit.targets();
            let join = targets.into_iter().reduce(|one, other| joins.common(one, other)).flatten();
            joins.join_of[*node] = join;
            joins.depth[*node] = joins.depth(join) + 1;
        }
        joins
    }

    /// Returns the depth of a node in the tree; 0 for the end of the pipeline.
    fn depth(&self, target: Target) -> usize {
        target.map_or(0, |node| self.depth[node])
    }

    /// Returns the first node on all paths from both nodes.
    fn common(&self, mut one: Target, mut other: Target) -> Target {
        while one != other {
            if self.depth(one) >= self.depth(other) {
                one = one.and_then(|node| self.join_of[node]);
            } else {
                other = other.and_then(|node| self.join_of[node]);
            }
        }
        one
    }

    /// Returns the nodes on every path from one node to another one where all paths have joined.
    fn nodes_between(&self, from: Target, to: Target) -> impl Iterator<Item = usize> {
        std::iter::successors(from, |node| self.join_of[*node]).take_while(move |node| Some(*node) != to)
    }
}

/// Returns the reachable nodes, each before its successors.
fn topological(nodes: &[FlowNode], entry: Target) -> Result<Vec<usize>, Cycle> {
    #[derive(Clone, Copy, PartialEq)]
    enum VisitState {
        Unseen,
        Open,
        Done,
    }
    let mut marks = vec![VisitState::Unseen; nodes.len()];
    let (mut order, mut stack) = (Vec::new(), Vec::new());
    let visit = |node: usize| (node, nodes[node].exit.targets().into_iter().flatten().collect::<Vec<_>>());
    if let Some(entry) = entry {
        marks[entry] = VisitState::Open;
        stack.push(visit(entry));
    }
    while let Some((node, targets)) = stack.last_mut() {
        match targets.pop() {
            Some(next) if marks[next] == VisitState::Unseen => {
                marks[next] = VisitState::Open;
                stack.push(visit(next));
            }
            Some(next) if marks[next] == VisitState::Open => return Err(Cycle(next)),
            Some(_) => {}
            None => {
                marks[*node] = VisitState::Done;
                order.push(*node);
                stack.pop();
            }
        }
    }
    order.reverse();
    Ok(order)
}
