//! Adds actions that run two of a table's actions as one.
//!
//! An action set of an entry may have a *group action* (P4Runtime 1.6, "One Shot Action Selector
//! Programming"), which runs before the action that the table's selector chooses. Executors run one
//! action for each lookup, so tables list an action for each pair of an action that is marked
//! `@groupaction` and an action that is not.

use rustc_hash::FxHashMap;

use crate::loc::Loc;
use crate::program::{
    Action, ActionId, ActionParam, ActionRef, Block, Composed, Expr, ExprKind, Place, Program, Stmt,
    StmtKind, TableId, Var, VarRole,
};

/// Adds the composed actions of all tables that have an implementation and list actions for action
/// sets. A program that already has them is not changed.
pub fn compose(program: &mut Program) {
    let mut new_actions = FxHashMap::default();
    for id in (0..program.tables.len()).map(TableId::new) {
        let table = &program.tables[id];
        if table.implementation.is_none() || table.actions.iter().any(|listed| listed.composed.is_some()) {
            continue;
        }
        let actions = |group_only: bool| {
            let wanted = table.listed().filter(move |listed| listed.group_only == group_only);
            wanted.filter(|listed| !listed.default_only).map(|listed| listed.action).collect::<Vec<_>>()
        };
        let (firsts, seconds) = (actions(true), actions(false));
        for first in firsts {
            for &second in &seconds {
                let composed = Composed { first, second };
                let action =
                    *new_actions.entry((first, second)).or_insert_with(|| compose_action(program, composed));
                program.tables[id].actions.push(ActionRef {
                    action,
                    default_only: false,
                    table_only: false,
                    group_only: false,
                    composed: Some(composed),
                    annotations: Vec::new(),
                });
            }
        }
    }
}

/// Returns an action that calls both actions. Its parameters are the parameters of the first
/// action, then those of the second.
fn compose_action(program: &mut Program, composed: Composed) -> ActionId {
    let [first, second] = [composed.first, composed.second].map(|id| program.actions[id].name.clone());
    let name = format!("{first}, {second}");
    let (mut params, mut body) = (Vec::new(), Vec::new());
    let mut stmt = |kind| body.push(Stmt { kind, loc: Loc::NONE });
    for (action, action_name) in [(composed.first, &first), (composed.second, &second)] {
        for param in program.actions[action].params.clone() {
            let ty = program.vars[param.var].ty;
            let var = program.vars.push(Var {
                name: format!("{name}.{action_name}.{}", param.name),
                ty,
                role: VarRole::Plain,
                annotations: Vec::new(),
                loc: Loc::NONE,
            });
            stmt(StmtKind::Assign(Place::Var(param.var), Expr { kind: ExprKind::Var(var), ty }));
            params.push(ActionParam { name: format!("{action_name}.{}", param.name), var, ..param });
        }
    }
    stmt(StmtKind::CallAction(composed.first));
    stmt(StmtKind::CallAction(composed.second));
    program.actions.push(Action {
        name,
        control_plane: None,
        params,
        body: Block(body),
        annotations: Vec::new(),
        loc: Loc::NONE,
    })
}
