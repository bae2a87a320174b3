//! Rows: the position of an action in the program, then the action's data in words.

use weir_ir::{ActionId, Program, TableId};

/// Returns the number of words in a row of any action of a table.
pub(crate) fn row_words(program: &Program, table: TableId) -> usize {
    let table = &program.tables[table];
    let listed = table.actions.iter().map(|listed| listed.action).chain([table.default_action.action]);
    1 + listed.map(|action| data_words(program, action)).max().unwrap_or(0)
}

/// Returns the number of words of an action's data.
pub(crate) fn data_words(program: &Program, action: ActionId) -> usize {
    let params = program.actions[action].params.iter();
    params.map(|param| program.vars[param.var].ty.width().div_ceil(64) as usize).sum()
}
