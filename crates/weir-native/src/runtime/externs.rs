//! Calls of externs.

use weir_exec::{Fault, Value};
use weir_ir::{ArgValue, Bits, Direction, ExternCall, HeaderId, Leaf, Program, Type, VarId, VarRole};

use super::context::{Context, HostState};
use super::environment::{call_environment, call_with_state, read_values};
use crate::abi::status;

fn status_of(end: Result<(), Fault>) -> u64 {
    match end {
        Ok(()) => status::DONE,
        Err(Fault::LoopLimit) => status::LOOP_LIMIT,
        Err(Fault::AssertionFailed) => status::ASSERTION_FAILED,
        Err(Fault::ExternFailed) => status::EXTERN_FAILED,
    }
}

/// Makes a call by words.
///
/// # Safety
/// The context is valid, and `words` points to `count` words that nobody else uses.
pub(crate) unsafe extern "C" fn call_words(
    context: *mut Context<'_>,
    call: u64,
    words: *mut u64,
    count: u64,
) -> u64 {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut *context };
    call_environment(context, status::PANIC, |host| {
        // SAFETY: by this function's contract.
        let words = unsafe { std::slice::from_raw_parts_mut(words, count as usize) };
        status_of(host.env.call_words(call as u32, words))
    })
}

/// Makes a call over the words of its frame that may read and write the state.
///
/// # Safety
/// The context is valid, and `words` points to `count` words that nobody else uses.
pub(crate) unsafe extern "C" fn call_frame(
    context: *mut Context<'_>,
    site: u64,
    words: *mut u64,
    count: u64,
) -> u64 {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut *context };
    call_with_state(context, status::PANIC, |host| {
        let call = &host.sites.calls[site as usize];
        // SAFETY: by this function's contract.
        let words = unsafe { std::slice::from_raw_parts_mut(words, count as usize) };
        let end = host.env.call_frame(call, words, host.executor, host.state);
        check_size(host, call);
        status_of(end)
    })
}

/// Calls an extern by values: reads its arguments from the state and writes its results to the
/// state.
///
/// # Safety
/// The context is valid, and `words` points to the values of the site's expressions.
pub(crate) unsafe extern "C" fn call_extern(context: *mut Context<'_>, site: u64, words: *const u64) -> u64 {
    // SAFETY: machine code passes the context that it got and does not use it meanwhile.
    let context = unsafe { &mut *context };
    call_with_state(context, status::PANIC, |host| {
        let site = &host.sites.externs[site as usize];
        let mut values = Vec::with_capacity(site.values.len());
        // SAFETY: by this function's contract.
        unsafe { read_values(&site.values, words, &mut values) };
        let (call, mut values) = (&site.call, values.into_iter());
        let mut args: Vec<Value> =
            call.args.iter().map(|arg| argument(host, &arg.value, &mut values)).collect();
        let end = host.env.call(call, &mut args, host.executor, host.state);
        check_size(host, call);
        let result = match end {
            Ok(result) => result,
            Err(fault) => return status_of(Err(fault)),
        };
        for (arg, value) in call.args.iter().zip(&args) {
            if let (ArgValue::Vars { vars, .. }, Value::Bits(values)) = (&arg.value, value)
                && arg.direction != Direction::In
            {
                check_values(host.program, &call.callee, vars, values);
                write_all(host, vars, values);
            }
        }
        check_values(host.program, &call.callee, &call.result, &result);
        write_all(host, &call.result, &result);
        status::DONE
    })
}

fn check_size(host: &mut HostState<'_>, call: &ExternCall) {
    let same_size = host.state.words_mut().len() == host.layout.words();
    assert!(same_size, "the extern `{}` replaced the state by one of another size", call.callee);
}

/// Checks that an extern's values fit the variables that they are written to.
fn check_values(program: &Program, callee: &str, vars: &[VarId], values: &[Bits]) {
    let fits = |(var, value): (&VarId, &Bits)| match program.vars[*var].ty {
        Type::Varbit { max } => value.width() <= max,
        ty => value.width() == ty.width(),
    };
    let fit = vars.len() == values.len() && vars.iter().zip(values).all(fits);
    assert!(fit, "the extern `{callee}` gave values that do not fit the variables that take them");
}

/// Reads an argument of an extern call as a value.
fn argument(host: &HostState<'_>, value: &ArgValue, values: &mut impl Iterator<Item = Bits>) -> Value {
    let read = |var: &VarId| host.layout.get(host.state, *var);
    match value {
        ArgValue::Leaves(leaves) => {
            let mut bits = Vec::with_capacity(leaves.len());
            for leaf in leaves {
                match leaf {
                    Leaf::Value(_) => bits.extend(values.next()),
                    Leaf::Header(header) if is_valid(host, *header) => {
                        bits.extend(host.program.headers[*header].fields.iter().map(read));
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

fn is_valid(host: &HostState<'_>, header: HeaderId) -> bool {
    host.layout.get_u64(host.state, host.program.headers[header].valid) != 0
}

/// Writes several variables. Validity bits are written first, so that the fields of a header that
/// becomes valid keep their values.
fn write_all(host: &mut HostState<'_>, vars: &[VarId], values: &[Bits]) {
    for validity in [true, false] {
        for (var, value) in vars.iter().zip(values) {
            match host.program.vars[*var].role {
                VarRole::Validity(header) if validity => set_valid(host, header, value.is_true()),
                VarRole::Field(_) | VarRole::Plain | VarRole::NextIndex(_) if !validity => {
                    host.layout.set(host.state, *var, value);
                }
                _ => {}
            }
        }
    }
}

/// Makes a header valid or invalid. The fields of a header that becomes valid are 0.
fn set_valid(host: &mut HostState<'_>, header: HeaderId, valid: bool) {
    let becomes_valid = valid && !is_valid(host, header);
    let header = &host.program.headers[header];
    host.layout.set_u64(host.state, header.valid, u64::from(valid));
    if becomes_valid {
        for field in &header.fields {
            host.layout.set(host.state, *field, &host.program.vars[*field].ty.zero());
        }
    }
}
