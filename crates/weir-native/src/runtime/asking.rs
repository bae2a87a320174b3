//! What machine code asks of the environment: look-ups and externs.
//!
//! Nothing can unwind through machine code, so a panic of the environment is kept and goes on in the caller of the code.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use weir_exec::{Fault, Value};
use weir_ir::{ActionId, ArgValue, Bits, Direction, HeaderId, Leaf, Program, TableId, Type, VarId, VarRole};

use super::{Context, FAILED, HIT, Handed, Host, status};
use crate::recall::data_words;

/// # Safety
/// `words` points to as many words as `keys` say.
unsafe fn handed(keys: &[Handed], words: *const u64, into: &mut Vec<Bits>) {
    into.clear();
    let mut at = 0;
    for key in keys {
        let value = match key {
            Handed::Words(width) => {
                let count = width.div_ceil(64) as usize;
                // SAFETY: by this function's contract, the words are there.
                let slice = unsafe { std::slice::from_raw_parts(words.add(at), count) };
                at += count;
                Bits::from_words(*width, slice)
            }
            Handed::Varbit(max) => {
                // SAFETY: machine code hands over the address of a variable or constant: its length, and as many words
                // as the longest needs. Somebody may have put any length into the state.
                let value = unsafe {
                    let start = *words.add(at) as *const u64;
                    let width = (*start).min(u64::from(*max)) as u32;
                    Bits::from_words(
                        width,
                        std::slice::from_raw_parts(start.add(1), width.div_ceil(64) as usize),
                    )
                };
                at += 1;
                value
            }
        };
        into.push(value);
    }
}

/// Runs what may panic, and keeps the panic for the caller of the machine code, through which it cannot unwind.
fn asked_of<'a>(context: &mut Context<'a>, failed: u64, run: impl FnOnce(&mut Host<'a>) -> u64) -> u64 {
    match catch_unwind(AssertUnwindSafe(|| {
        context.ask();
        run(&mut context.host)
    })) {
        Ok(value) => value,
        Err(panic) => {
            context.host.spare.get_or_insert_default().panic = Some(panic);
            failed
        }
    }
}

/// The same where the environment has the state in its hands.
fn guarded<'a>(context: &mut Context<'a>, failed: u64, run: impl FnOnce(&mut Host<'a>) -> u64) -> u64 {
    let end = asked_of(context, failed, run);
    let Context { registers, host } = context;
    registers.words = host.state.words_mut().as_mut_ptr();
    end
}

/// Asks the environment for an entry and puts its action data into the parameters. Returns the position of the action in
/// the table's list, with [`HIT`] if an entry matched.
///
/// # Safety
/// The context is good, `keys` points to the words of the site's keys.
pub(crate) unsafe extern "C" fn look_up(context: *mut Context<'_>, site: u64, keys: *const u64) -> u64 {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    guarded(context, FAILED, |host| {
        let site = &host.sites.tables[site as usize];
        let values = &mut host.spare.get_or_insert_default().keys;
        // SAFETY: by this function's contract.
        unsafe { handed(&site.keys, keys, values) };
        let found = host.env.lookup(site.table, values);
        let action = found.call.action;
        let position = host.program().tables[site.table].actions.iter().position(|a| a.action == action);
        let Some(position) = position else {
            panic!("{}", unlisted(host.program(), site.table, action.index()))
        };
        let params = &host.program().actions[action].params;
        let widths = params.iter().map(|param| host.program().vars[param.var].ty.width());
        if !widths.eq(found.call.args.iter().map(Bits::width)) {
            let (table, action) = names(host.program(), site.table, action);
            panic!(
                "the lookup in table `{table}` gave action `{action}` data that do not fit its parameters"
            );
        }
        for (param, arg) in params.iter().zip(&found.call.args) {
            host.layout().set(host.state, param.var, arg);
        }
        position as u64 | if found.hit { HIT } else { 0 }
    })
}

/// Asks the environment for an entry by words; `sizes` are the words of the key and, above 32 bits, those of a row. Returns the address of what the entry
/// does, a row of so many words, which is good until something else is asked; its lowest bit says whether an entry matched. 0 if the environment
/// panicked. `keep` is what [`Part::whither`](crate::recall::Part::whither) held if the answer is to be kept, else 0.
///
/// # Safety
/// The context is good; `key` points to as many words as a key and a row have, which nobody else uses.
pub(crate) unsafe extern "C" fn look_up_words(
    context: *mut Context<'_>,
    table: u64,
    sizes: u64,
    key: *mut u64,
    keep: u64,
) -> u64 {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    asked_of(context, 0, |host| {
        let key_words = sizes as u32 as usize;
        // SAFETY: by this function's contract.
        let (key, room) = unsafe {
            let room = key.add(key_words).cast::<AtomicU64>();
            (
                std::slice::from_raw_parts(key, key_words),
                std::slice::from_raw_parts(room, (sizes >> 32) as usize),
            )
        };
        let table = TableId::new(table as usize);
        let program = host.program();
        let mut answer = host.env.lookup_words(program, table, key, room);
        if answer.row.len() < room.len() {
            check_short_row(program, table, answer.row);
            room.iter().zip(answer.row).for_each(|(to, from)| to.store(from.load(Relaxed), Relaxed));
            answer.row = room;
        }
        if let (1.., Some(recall)) = (keep, host.recall) {
            recall.keep(keep, key, &answer);
        }
        answer.row.as_ptr() as u64 | u64::from(answer.hit)
    })
}

/// Whether a row that is shorter than the longest of its table holds all data of its action. Machine code refuses an action that is not the table's.
fn check_short_row(program: &Program, table: TableId, row: &[AtomicU64]) {
    let Some(action) = row.first() else {
        panic!("the lookup in table `{}` gave an empty row", program.tables[table].name);
    };
    let action = ActionId::new(action.load(Relaxed) as usize);
    if action.index() < program.actions.len() && row.len() < 1 + data_words(program, action) {
        let (table, action) = names(program, table, action);
        panic!("the lookup in table `{table}` gave action `{action}` a row without all of its data");
    }
}

/// Machine code has found that a lookup gave an action that is not one of its table's: the panic goes on in the caller.
///
/// # Safety
/// The context is good.
pub(crate) unsafe extern "C" fn refuse_action(context: *mut Context<'_>, table: u64, action: u64) {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let host = unsafe { &mut (*context).host };
    fail(host, &unlisted(host.program(), TableId::new(table as usize), action as usize));
}

/// Begins a panic that goes on in the caller of the machine code. It is told at once, as other panics are.
#[cold]
fn fail(host: &mut Host<'_>, message: &str) {
    let Err(panic) = catch_unwind(|| panic!("{message}"));
    host.spare.get_or_insert_default().panic = Some(panic);
}

fn unlisted(program: &Program, table: TableId, action: usize) -> String {
    let action = match program.actions.values().nth(action) {
        Some(known) => format!("`{}`", known.name),
        None => format!("number {action}"),
    };
    format!(
        "the lookup in table `{}` gave action {action}, which the table does not list",
        program.tables[table].name
    )
}

fn names(program: &Program, table: TableId, action: ActionId) -> (&str, &str) {
    (&program.tables[table].name, &program.actions[action].name)
}

/// Makes a call by words.
///
/// # Safety
/// The context is good, `words` points to so many words.
pub(crate) unsafe extern "C" fn call_words(
    context: *mut Context<'_>,
    call: u64,
    words: *mut u64,
    count: u64,
) -> u64 {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    asked_of(context, status::PANIC, |host| {
        // SAFETY: by this function's contract.
        let words = unsafe { std::slice::from_raw_parts_mut(words, count as usize) };
        match host.env.call_words(call as u32, words) {
            Ok(()) => status::DONE,
            Err(Fault::LoopLimit) => status::LOOP_LIMIT,
            Err(Fault::AssertionFailed) => status::ASSERTION_FAILED,
        }
    })
}

/// Tells the environment how many bytes were parsed. Returns 1 if it panicked.
///
/// # Safety
/// The context is good.
pub(crate) unsafe extern "C" fn parsed(context: *mut Context<'_>) -> u64 {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    let consumed = context.registers.consumed as usize;
    asked_of(context, 1, |host| {
        host.env.parser_finished(consumed);
        0
    })
}

/// Whether the environment was asked for something that comes later.
///
/// # Safety
/// The context is good.
pub(crate) unsafe extern "C" fn asked(context: *mut Context<'_>) -> u64 {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    asked_of(context, FAILED, |host| u64::from(host.env.has_deferred_work()))
}

/// Asks the environment whether a value set holds keys.
///
/// # Safety
/// As for [`look_up`].
pub(crate) unsafe extern "C" fn in_value_set(context: *mut Context<'_>, site: u64, keys: *const u64) -> u64 {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    guarded(context, FAILED, |host| {
        let site = &host.sites.sets[site as usize];
        let values = &mut host.spare.get_or_insert_default().keys;
        // SAFETY: by this function's contract.
        unsafe { handed(&site.keys, keys, values) };
        u64::from(host.env.in_value_set(site.set, values))
    })
}

/// Calls an extern with all that goes before and comes after, over the state in memory.
///
/// # Safety
/// As for [`look_up`], with the words of the site's values.
pub(crate) unsafe extern "C" fn call_extern(context: *mut Context<'_>, site: u64, words: *const u64) -> u64 {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    guarded(context, status::PANIC, |host| {
        let site = &host.sites.externs[site as usize];
        let mut values = Vec::with_capacity(site.values.len());
        // SAFETY: by this function's contract.
        unsafe { handed(&site.values, words, &mut values) };
        let mut values = values.into_iter();
        let mut args: Vec<Value> =
            site.call.args.iter().map(|arg| argument(host, &arg.value, &mut values)).collect();
        let end = host.env.call(&site.call, &mut args, host.executor, host.state);
        let same_size = host.state.words_mut().len() == host.layout().words();
        assert!(same_size, "the extern `{}` replaced the state by one of another size", site.call.callee);
        let result = match end {
            Ok(result) => result,
            Err(Fault::LoopLimit) => return status::LOOP_LIMIT,
            Err(Fault::AssertionFailed) => return status::ASSERTION_FAILED,
        };
        for (arg, value) in site.call.args.iter().zip(&args) {
            if let (ArgValue::Vars { vars, .. }, Value::Bits(values)) = (&arg.value, value)
                && arg.direction != Direction::In
            {
                check_values(host.program(), &site.call.callee, vars, values);
                write_all(host, vars, values);
            }
        }
        check_values(host.program(), &site.call.callee, &site.call.result, &result);
        write_all(host, &site.call.result, &result);
        status::DONE
    })
}

/// Whether what an extern gave has the shape of the variables that take it.
fn check_values(program: &Program, callee: &str, vars: &[VarId], values: &[Bits]) {
    let fits = |(var, value): (&VarId, &Bits)| match program.vars[*var].ty {
        Type::Varbit { max } => value.width() <= max,
        ty => value.width() == ty.width(),
    };
    let fit = vars.len() == values.len() && vars.iter().zip(values).all(fits);
    assert!(fit, "the extern `{callee}` gave values that do not fit the variables that take them");
}

fn argument(host: &Host<'_>, value: &ArgValue, values: &mut impl Iterator<Item = Bits>) -> Value {
    let read = |var: &VarId| host.layout().get(host.state, *var);
    match value {
        ArgValue::Leaves(leaves) => {
            let mut bits = Vec::with_capacity(leaves.len());
            for leaf in leaves {
                match leaf {
                    Leaf::Value(_) => bits.extend(values.next()),
                    Leaf::Header(header) if is_valid(host, *header) => {
                        bits.extend(host.program().headers[*header].fields.iter().map(read));
                    }
                    Leaf::Header(_) => {}
                }
            }
            Value::Bits(bits)
        }
        ArgValue::Vars { vars, .. } => Value::Bits(vars.iter().map(read).collect()),
        ArgValue::Text(text) => Value::Text(text.clone()),
        ArgValue::Extern(id) => Value::Extern(*id),
    }
}

fn is_valid(host: &Host<'_>, header: HeaderId) -> bool {
    host.layout().get_u64(host.state, host.program().headers[header].valid) != 0
}

/// Writes several variables, validity bits first so that fields of headers that become valid take their values.
fn write_all(host: &mut Host<'_>, vars: &[VarId], values: &[Bits]) {
    for validity in [true, false] {
        for (var, value) in vars.iter().zip(values) {
            match host.program().vars[*var].role {
                VarRole::Validity(header) if validity => set_valid(host, header, value.is_true()),
                VarRole::Field(header) if !validity && !is_valid(host, header) => {}
                VarRole::Field(_) | VarRole::Plain | VarRole::NextIndex(_) if !validity => {
                    host.layout().set(host.state, *var, value);
                }
                _ => {}
            }
        }
    }
}

fn set_valid(host: &mut Host<'_>, header: HeaderId, valid: bool) {
    let header = &host.program().headers[header];
    host.layout().set_u64(host.state, header.valid, u64::from(valid));
    if !valid {
        for field in &header.fields {
            host.layout().set(host.state, *field, &host.program().vars[*field].ty.zero());
        }
    }
}
