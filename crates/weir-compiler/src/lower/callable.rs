//! Lowered actions and tables: what calls and applications refer to.

use std::cell::RefCell;

use weir_ir as ir;
use weir_ir::{Block, StmtKind};

use super::fold;
use super::store::Store;

/// The form in which an action runs: an action of the IR, or a procedure.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entry {
    /// All its parameters are scalars from the control plane, so tables can run it directly.
    Action(ir::ActionId),
    /// It has parameters with a direction or with members: tables run a [`BoundAction`] that sets
    /// the parameters and calls this procedure.
    Procedure(ir::ProcedureId),
}

/// The code of an action in one instance of a control.
#[derive(Debug)]
pub(super) struct LoweredAction {
    pub entry: Entry,
    /// The name that the control plane uses.
    pub name: String,
    pub params: Vec<Store>,
    pub may_unwind: bool,
    /// The action that tables run instead, once a table lists it.
    pub bound: RefCell<Option<BoundAction>>,
}

/// The action that tables run in place of one whose parameters have a direction or members.
#[derive(Debug)]
pub(super) struct BoundAction {
    pub id: ir::ActionId,
    /// Copies the action data into the parameters.
    pub data: Vec<ir::Stmt>,
    /// The code for each distinct list of bound arguments.
    pub variants: Vec<Vec<ir::Stmt>>,
    /// The variable that selects the variant, if there are several.
    pub selector: Option<ir::VarId>,
}

impl BoundAction {
    /// Builds the action's body.
    pub(super) fn body(&self, loc: ir::Loc) -> Block {
        let mut body = self.data.clone();
        match (self.variants.as_slice(), self.selector) {
            (variants, Some(selector)) => {
                let cases = variants
                    .iter()
                    .enumerate()
                    .map(|(index, stmts)| (vec![ir::Bits::new(32, index as u128)], Block(stmts.clone())));
                let kind = StmtKind::Switch {
                    scrutinee: fold::var(selector, fold::U32),
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

/// A table in one instance of a control.
#[derive(Debug)]
pub(super) struct LoweredTable {
    pub id: ir::TableId,
    /// The statements to run before each application, which make the keys pure.
    pub before: Vec<ir::Stmt>,
    /// Whether one of the actions may execute an `exit` that unwinds.
    pub may_unwind: bool,
    /// The selectors of bound actions, each with the variant to select.
    pub variants: Vec<(ir::VarId, u32)>,
}
