//! Lowered actions and tables: what calls and applications refer to.

use std::cell::RefCell;

use weir_ir as ir;
use weir_ir::{Block, StmtKind};

use super::fold;
use super::store::Store;

/// How an action is run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// All its parameters are scalars of the control plane's, so tables can run it as it is.
    Action(ir::ActionId),
    /// It has parameters with a direction or with members: tables run another action that fills them in and calls this.
    Procedure(ir::ProcedureId),
}

/// An action of one instance of a control.
#[derive(Debug)]
pub(super) struct LoweredAction {
    pub entry: Entry,
    /// Its name outside.
    pub name: String,
    pub params: Vec<Store>,
    pub may_unwind: bool,
    /// What tables run in its place, once one lists it.
    pub bound: RefCell<Option<BoundAction>>,
}

/// The action that tables run.
#[derive(Debug)]
pub(super) struct BoundAction {
    pub id: ir::ActionId,
    /// Puts the control plane's data into the parameters.
    pub data: Vec<ir::Stmt>,
    /// What runs for each way in which tables bind arguments.
    pub ways: Vec<Vec<ir::Stmt>>,
    /// Says which of the ways is meant, if they are several.
    pub way: Option<ir::VarId>,
}

impl BoundAction {
    /// The action's body.
    pub(super) fn body(&self, loc: ir::Loc) -> Block {
        let mut body = self.data.clone();
        match (self.ways.as_slice(), self.way) {
            (ways, Some(way)) => {
                let cases = ways
                    .iter()
                    .enumerate()
                    .map(|(index, stmts)| (vec![ir::Bits::new(32, index as u128)], Block(stmts.clone())));
                let kind = StmtKind::Switch {
                    scrutinee: fold::var(way, fold::U32),
                    cases: cases.collect(),
                    default: Block::default(),
                };
                body.push(ir::Stmt { kind, loc });
            }
            ([only, ..], None) => body.extend(only.iter().cloned()),
            ([], None) => {}
        }
        Block(body)
    }
}

/// A table of one instance of a control.
#[derive(Debug)]
pub(super) struct LoweredTable {
    pub id: ir::TableId,
    /// What has to run before each application so that the keys are pure.
    pub before: Vec<ir::Stmt>,
    /// Whether an `exit` of one of the actions comes step by step.
    pub may_unwind: bool,
    /// Says to actions that several tables list whose arguments are meant.
    pub ways: Vec<(ir::VarId, u32)>,
}
