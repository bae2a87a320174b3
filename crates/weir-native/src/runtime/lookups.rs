//! Lookups in tables and value sets.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use weir_ir::{ActionId, Bits, Program, TableId};

use super::context::Context;
use super::environment::{call_environment, call_with_state, keep_panics, raise_panic, read_values};
use crate::abi::data_words;
use crate::abi::status::{FAILED, HIT};

/// Looks up a table and stores the action data in the parameters. Returns the position of the
/// action in the table's list, plus [`HIT`] if an entry matched.
///
/// # Safety
/// The context is valid, and `keys` points to the values of the site's keys.
pub(crate) unsafe extern "C" fn look_up(context: *mut Context<'_>, site: u64, keys: *const u64) -> u64 {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut *context };
    call_with_state(context, FAILED, |host| {
        let (program, layout) = (host.program, host.layout);
        let site = &host.sites.tables[site as usize];
        let values = &mut host.rare.get_or_insert_default().keys;
        // SAFETY: by this function's contract.
        unsafe { read_values(&site.keys, keys, values) };
        let outcome = host.env.lookup(site.table, values);
        let action = outcome.call.action;
        let position = program.tables[site.table].actions.iter().position(|listed| listed.action == action);
        let Some(position) = position else {
            panic!("{}", unlisted_action(program, site.table, action.index()))
        };
        let params = &program.actions[action].params;
        let widths = params.iter().map(|param| program.vars[param.var].ty.width());
        if !widths.eq(outcome.call.args.iter().map(Bits::width)) {
            let (table, action) = table_and_action_names(program, site.table, action);
            panic!(
                "the lookup in table `{table}` gave action `{action}` data that do not fit its parameters"
            );
        }
        for (param, arg) in params.iter().zip(&outcome.call.args) {
            layout.set(host.state, param.var, arg);
        }
        position as u64 | if outcome.hit { HIT } else { 0 }
    })
}

/// Looks up a table by words. `table` holds the table, and in the upper 32 bits the position of its
/// region plus 1, or 0 if it has none. `sizes` holds the number of words of the key, and in the
/// upper 32 bits the number of words of a row. Returns the address of the result's row, which has
/// that many words; the lowest bit says whether an entry matched. Returns 0 if the environment
/// panicked. `selector` is the (odd) selector of the table's region if the result is to be cached,
/// else 0.
///
/// The row belongs to the environment, or to machine code if it is in the space after the key. The
/// row borrows the environment. [`HostState::env`](super::HostState::env) borrows the environment
/// for the whole run, so no code can change the row before a function of this module calls it
/// again. Machine code reads the row before it calls any such function; `emit::tables` is the only
/// place that reads rows.
///
/// # Safety
/// The context is valid; `key` points to as many words as a key and a row have, which nobody else
/// uses.
pub(crate) unsafe extern "C" fn look_up_words(
    context: *mut Context<'_>,
    table: u64,
    sizes: u64,
    key: *mut u64,
    selector: u64,
) -> u64 {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut *context };
    keep_panics(context, 0, |context| {
        // Lookups in a table with a version are the same for all packets.
        let has_version =
            |region: u64| context.host.cache.is_some_and(|cache| cache.has_version(region as usize));
        if !(table >> 32).checked_sub(1).is_some_and(has_version) {
            context.announce_last_packet();
        }
        let host = &mut context.host;
        let key_words = sizes as u32 as usize;
        // SAFETY: by this function's contract. Key and room are next to each other and do not
        // overlap.
        let (key, room) = unsafe {
            let room = key.add(key_words).cast::<AtomicU64>();
            (
                std::slice::from_raw_parts(key, key_words),
                std::slice::from_raw_parts(room, (sizes >> 32) as usize),
            )
        };
        let (program, table) = (host.program, TableId::new(table as u32 as usize));
        let mut result = host.env.lookup_words(program, table, key, room);
        if result.row.len() < room.len() {
            check_short_row(program, table, result.row);
            room.iter().zip(result.row).for_each(|(to, from)| to.store(from.load(Relaxed), Relaxed));
            result.row = room;
        }
        if let (1.., Some(cache)) = (selector, host.cache) {
            cache.store(selector, key, &result);
        }
        result.row.as_ptr() as u64 | u64::from(result.hit)
    })
}

/// Checks that a row that is shorter than the longest row of its table has all data of its action.
/// Machine code refuses an action that is not in the table's list.
fn check_short_row(program: &Program, table: TableId, row: &[AtomicU64]) {
    let Some(action) = row.first() else {
        panic!("the lookup in table `{}` gave an empty row", program.tables[table].name);
    };
    let action = ActionId::new(action.load(Relaxed) as usize);
    if action.index() < program.actions.len() && row.len() < 1 + data_words(program, action) {
        let (table, action) = table_and_action_names(program, table, action);
        panic!("the lookup in table `{table}` gave action `{action}` a row without all of its data");
    }
}

/// Refuses an action. Machine code calls this function when a lookup gave an action that is not in
/// the table's list, and then returns.
///
/// # Safety
/// The context is valid.
pub(crate) unsafe extern "C" fn refuse_action(context: *mut Context<'_>, table: u64, action: u64) {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let host = unsafe { &mut (*context).host };
    let message = unlisted_action(host.program, TableId::new(table as usize), action as usize);
    raise_panic(host, &message);
}

fn unlisted_action(program: &Program, table: TableId, action: usize) -> String {
    let action = match program.actions.values().nth(action) {
        Some(action) => format!("`{}`", action.name),
        None => format!("number {action}"),
    };
    let table = &program.tables[table].name;
    format!("the lookup in table `{table}` gave action {action}, which the table does not list")
}

fn table_and_action_names(program: &Program, table: TableId, action: ActionId) -> (&str, &str) {
    (&program.tables[table].name, &program.actions[action].name)
}

/// Asks the environment whether a value set contains the keys.
///
/// # Safety
/// As for [`look_up`].
pub(crate) unsafe extern "C" fn in_value_set(context: *mut Context<'_>, site: u64, keys: *const u64) -> u64 {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut *context };
    call_environment(context, FAILED, |host| {
        let site = &host.sites.value_sets[site as usize];
        let values = &mut host.rare.get_or_insert_default().keys;
        // SAFETY: by this function's contract.
        unsafe { read_values(&site.keys, keys, values) };
        u64::from(host.env.in_value_set(site.set, values))
    })
}
