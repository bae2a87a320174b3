//! Calls: no recursion, and parser and control statements only where they are allowed.

use crate::loc::Loc;
use crate::program::{ActionId, Block, ProcedureId, Program, Stmt, StmtKind, TableId};
use crate::text;
use crate::visit::{Visitor, walk_expr, walk_parser, walk_stmt};
use crate::{Expr, ExprKind};

use super::Validator;

/// A body that statements run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    Procedure(ProcedureId),
    Action(ActionId),
    Table(TableId),
}

/// The kind of block that runs code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runner {
    Parser,
    Control,
}

/// The contents of a body that the checks of calls need.
#[derive(Default)]
struct Facts {
    calls: Vec<Body>,
    /// The statements that only one kind of block may run: the kind, the statement as text, and its
    /// place.
    only: Vec<(Runner, String, Loc)>,
}

/// The state of collecting the facts of a block.
struct Collector<'p> {
    program: &'p Program,
    loc: Loc,
    facts: Facts,
}

impl Visitor for Collector<'_> {
    fn place(&mut self, _item: &str, loc: Loc) {
        self.loc = loc;
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let only = match &stmt.kind {
            StmtKind::Extract { .. }
            | StmtKind::Lookahead(_)
            | StmtKind::Advance(_)
            | StmtKind::Verify { .. } => Some(Runner::Parser),
            StmtKind::Emit(_) | StmtKind::Exit | StmtKind::Apply { .. } => Some(Runner::Control),
            _ => None,
        };
        if let Some(runner) = only {
            self.facts.only.push((runner, text::stmt(self.program, &stmt.kind), stmt.loc));
        }
        match &stmt.kind {
            StmtKind::Call(id) => self.facts.calls.push(Body::Procedure(*id)),
            StmtKind::CallAction(id) => self.facts.calls.push(Body::Action(*id)),
            StmtKind::Apply { table, .. } => self.facts.calls.push(Body::Table(*table)),
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        if expr.kind == ExprKind::PacketLength {
            self.facts.only.push((Runner::Parser, "packet_length".into(), self.loc));
        }
        walk_expr(self, expr);
    }
}

/// Collects the facts about calls in a block.
fn facts(program: &Program, block: &Block) -> Facts {
    let mut collector = Collector { program, loc: Loc::NONE, facts: Facts::default() };
    collector.block(block);
    collector.facts
}

/// The facts of every body that can be called.
struct Bodies {
    procedures: Vec<Facts>,
    actions: Vec<Facts>,
    tables: Vec<Facts>,
}

impl Bodies {
    fn facts_of(&self, body: Body) -> &Facts {
        match body {
            Body::Procedure(id) => &self.procedures[id.index()],
            Body::Action(id) => &self.actions[id.index()],
            Body::Table(id) => &self.tables[id.index()],
        }
    }
}

/// The progress of the search in a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitState {
    Unseen,
    Open,
    Done,
}

/// The progress of the search in each body.
struct VisitStates {
    procedures: Vec<VisitState>,
    actions: Vec<VisitState>,
    tables: Vec<VisitState>,
}

impl VisitStates {
    fn new(bodies: &Bodies) -> Self {
        Self {
            procedures: vec![VisitState::Unseen; bodies.procedures.len()],
            actions: vec![VisitState::Unseen; bodies.actions.len()],
            tables: vec![VisitState::Unseen; bodies.tables.len()],
        }
    }

    fn state_of(&mut self, body: Body) -> &mut VisitState {
        match body {
            Body::Procedure(id) => &mut self.procedures[id.index()],
            Body::Action(id) => &mut self.actions[id.index()],
            Body::Table(id) => &mut self.tables[id.index()],
        }
    }
}

impl Validator<'_> {
    /// Checks that calls do not recurse and that their targets may be called there.
    pub(super) fn calls(&mut self) {
        let program = self.program;
        let bodies = Bodies {
            procedures: program.procedures.values().map(|p| facts(program, &p.body)).collect(),
            actions: program.actions.values().map(|a| facts(program, &a.body)).collect(),
            tables: program.tables.values().map(table_facts).collect(),
        };
        if !self.is_acyclic(&bodies) {
            return;
        }
        for parser in program.parsers.values() {
            let mut collector = Collector { program, loc: Loc::NONE, facts: Facts::default() };
            walk_parser(&mut collector, parser);
            self.check_allowed(&parser.name, Runner::Parser, &collector.facts, &bodies);
        }
        for control in program.controls.values() {
            self.check_allowed(&control.name, Runner::Control, &facts(program, &control.body), &bodies);
        }
    }

    fn body_name(&self, body: Body) -> (&str, Loc) {
        match body {
            Body::Procedure(id) => (&self.program.procedures[id].name, self.program.procedures[id].loc),
            Body::Action(id) => (&self.program.actions[id].name, self.program.actions[id].loc),
            Body::Table(id) => (&self.program.tables[id].name, self.program.tables[id].loc),
        }
    }

    /// Searches depth first with an explicit stack, so that long chains of calls cannot overflow
    /// the thread's stack.
    fn is_acyclic(&mut self, bodies: &Bodies) -> bool {
        let procedures = (0..bodies.procedures.len()).map(|i| Body::Procedure(ProcedureId::new(i)));
        let actions = (0..bodies.actions.len()).map(|i| Body::Action(ActionId::new(i)));
        let tables = (0..bodies.tables.len()).map(|i| Body::Table(TableId::new(i)));
        let mut states = VisitStates::new(bodies);
        for root in procedures.chain(actions).chain(tables) {
            let mut path = vec![(root, 0)];
            while let Some((body, next)) = path.pop() {
                if next == 0 {
                    match states.state_of(body) {
                        VisitState::Done => continue,
                        VisitState::Open => {
                            let (name, loc) = self.body_name(body);
                            let name = name.to_owned();
                            self.enter(&name, loc);
                            self.fail(format!("`{name}` calls itself, directly or through others"));
                            return false;
                        }
                        mark => *mark = VisitState::Open,
                    }
                }
                match bodies.facts_of(body).calls.get(next) {
                    Some(callee) => path.extend([(body, next + 1), (*callee, 0)]),
                    None => *states.state_of(body) = VisitState::Done,
                }
            }
        }
        true
    }

    /// Checks that a block runs only statements that are allowed in it.
    fn check_allowed(&mut self, block: &str, runner: Runner, own: &Facts, bodies: &Bodies) {
        let mut states = VisitStates::new(bodies);
        let mut rest = vec![own];
        while let Some(facts) = rest.pop() {
            for (only, what, loc) in &facts.only {
                if *only != runner {
                    self.enter(block, *loc);
                    self.fail(match runner {
                        Runner::Parser => format!("`{what}` is for controls, but a parser runs it"),
                        Runner::Control => format!("`{what}` is for parsers, but a control runs it"),
                    });
                }
            }
            for callee in &facts.calls {
                if *states.state_of(*callee) == VisitState::Unseen {
                    *states.state_of(*callee) = VisitState::Done;
                    rest.push(bodies.facts_of(*callee));
                }
            }
        }
    }
}

fn table_facts(table: &crate::Table) -> Facts {
    let mut packet_length = Facts::default();
    for key in &table.keys {
        let empty = Program::default();
        let mut collector = Collector { program: &empty, loc: key.loc, facts: Facts::default() };
        collector.expr(&key.expr);
        packet_length.only.extend(collector.facts.only);
    }
    packet_length.calls = table.actions.iter().map(|action| Body::Action(action.action)).collect();
    packet_length
}
