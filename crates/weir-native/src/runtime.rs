//! What machine code finds at run time: the context that it works on, and the functions that it calls.
//!
//! Machine code reaches memory through [`Context`] alone. Whoever enters it ([`crate::Native`]) vouches that the pointers there are good
//! for the length of the run; the functions below lean on that, each says how.

use std::any::Any;
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

use weir_ir::exec::{Environment, Executor, Fault, Value};
use weir_ir::{
    ArgValue, BinaryOp, Bits, Direction, ExternCall, HeaderId, Layout, Leaf, Program, State, TableId,
    ValueSetId, VarId, VarRole,
};

use crate::compile::Sites;

/// What a function of machine code returns.
pub(crate) mod status {
    /// It ran to its end, or the parser accepted.
    pub const DONE: u64 = 0;
    /// `exit`.
    pub const EXIT: u64 = 1;
    /// More turns than allowed.
    pub const LOOP_LIMIT: u64 = 2;
    /// An assertion failed.
    pub const ASSERTION_FAILED: u64 = 3;
    /// The environment panicked; the panic goes on in the caller.
    pub const PANIC: u64 = 4;
    /// The parser rejected.
    pub const REJECT: u64 = 5;
    /// Added to a parser error's position.
    pub const PARSER_ERROR: u64 = 1 << 32;
}

/// What the look-up function adds to the action's position if an entry matched.
pub(crate) const HIT: u64 = 1 << 32;
/// What the look-up and value set functions return if the environment panicked.
pub(crate) const FAILED: u64 = u64::MAX;

/// What machine code works on. Its functions get a pointer to it.
#[repr(C)]
pub(crate) struct Registers {
    /// The state's words, as many as the layout has.
    pub words: *mut u64,
    /// The packet; only `packet_bytes` bytes from here are read.
    pub packet: *const u8,
    pub packet_bytes: u64,
    /// Bits of the packet that are consumed, never more than it has.
    pub position: u64,
    /// Turns of all loops so far.
    pub turns: u64,
    /// Where the output vector begins.
    pub out: *mut u8,
    /// Bits of it that are written.
    pub out_bits: u64,
    /// Bits that it has room for.
    pub out_capacity: u64,
    /// Of a pipeline: the values of its inputs, as many as it has.
    pub inputs: *const u64,
    /// Of a pipeline: where its outputs go; of its scout: where the key goes. As many words as it writes.
    pub outputs: *mut u64,
    /// Of a pipeline: bytes of room before the packet.
    pub room: u64,
    /// Of a pipeline: bytes that the parser took.
    pub consumed: u64,
    /// Of a pipeline that has run to its end: where the packet begins now, in bytes from where it began.
    pub start: i64,
}

impl Registers {
    /// Of nothing.
    pub(crate) const fn empty() -> Self {
        Self {
            words: std::ptr::null_mut(),
            packet: std::ptr::null(),
            packet_bytes: 0,
            position: 0,
            turns: 0,
            out: std::ptr::null_mut(),
            out_bits: 0,
            out_capacity: 0,
            inputs: std::ptr::null(),
            outputs: std::ptr::null_mut(),
            room: 0,
            consumed: 0,
            start: 0,
        }
    }

    pub const WORDS: i32 = 0;
    pub const PACKET: i32 = 8;
    pub const PACKET_BYTES: i32 = 16;
    pub const POSITION: i32 = 24;
    pub const TURNS: i32 = 32;
    pub const OUT: i32 = 40;
    pub const OUT_BITS: i32 = 48;
    pub const OUT_CAPACITY: i32 = 56;
    pub const INPUTS: i32 = 64;
    pub const OUTPUTS: i32 = 72;
    pub const ROOM: i32 = 80;
    pub const CONSUMED: i32 = 88;
    pub const START: i32 = 96;
}

/// What the functions below get: the same with what they need beside.
#[repr(C)]
pub(crate) struct Context<'a> {
    pub registers: Registers,
    pub host: Host<'a>,
}

/// Bytes that can be set aside without memory from the heap.
pub(crate) const ASIDE: usize = 512;

/// What the functions below need beside.
pub(crate) struct Host<'a> {
    pub program: &'a Program,
    pub layout: &'a Layout,
    pub sites: &'a Sites,
    /// Handed to externs.
    pub executor: &'a dyn Executor,
    pub state: &'a mut State,
    pub env: &'a mut dyn Environment,
    /// Where emitted headers go; none in a pipeline, which has places for them.
    pub out: Option<&'a mut Vec<u8>>,
    /// Where what was parsed of the packet is set aside before headers move.
    pub aside: &'a mut MaybeUninit<[u8; ASIDE]>,
    /// Room that is not always needed.
    pub spare: Option<Box<Spare>>,
    /// What the environment panicked with.
    pub panic: Option<Box<dyn Any + Send>>,
}

/// Room that most runs do without.
#[derive(Default)]
pub(crate) struct Spare {
    /// Kept between look-ups for its memory.
    keys: Vec<Bits>,
    /// What was parsed of the packet, if it is much.
    aside: Vec<u8>,
}

/// How a value lies in the words that machine code hands over.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Handed {
    /// ⌈width/64⌉ words.
    Words(u32),
    /// One word: the address of a length and the words of a varbit.
    Varbit,
}

/// A place where a table is applied.
#[derive(Clone, Debug)]
pub(crate) struct TableSite {
    pub table: TableId,
    pub keys: Vec<Handed>,
    /// Of a look-up by words.
    pub key_words: usize,
    pub data_words: usize,
}

/// A place where a value set is asked.
#[derive(Clone, Debug)]
pub(crate) struct SetSite {
    pub set: ValueSetId,
    pub keys: Vec<Handed>,
}

/// A place where an extern is called; machine code hands over the values of its expressions, in order.
#[derive(Clone, Debug)]
pub(crate) struct ExternSite {
    pub call: ExternCall,
    pub values: Vec<Handed>,
}

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
            Handed::Varbit => {
                // SAFETY: machine code hands over the address of a variable or constant: its length, and as many words
                // as that length needs.
                let value = unsafe {
                    let start = *words.add(at) as *const u64;
                    let width = *start as u32;
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
fn guarded<'a>(context: &mut Context<'a>, failed: u64, run: impl FnOnce(&mut Host<'a>) -> u64) -> u64 {
    let host = &mut context.host;
    let end = catch_unwind(AssertUnwindSafe(|| run(host)));
    // The environment has had the state in its hands.
    context.registers.words = context.host.state.words_mut().as_mut_ptr();
    match end {
        Ok(_) if context.host.state.words_mut().len() != context.host.layout.words() => {
            context.host.panic = Some(Box::new("the environment exchanged the state for another program's"));
            failed
        }
        Ok(value) => value,
        Err(panic) => {
            context.host.panic = Some(panic);
            failed
        }
    }
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
        let position = host.program.tables[site.table].actions.iter().position(|a| a.action == action);
        let position = position.expect("the environment answers with an action of the table's list");
        for (param, arg) in host.program.actions[action].params.iter().zip(&found.call.args) {
            host.layout.set(host.state, param.var, arg);
        }
        position as u64 | if found.hit { HIT } else { 0 }
    })
}

/// Runs what may panic over the environment alone.
fn asked_of<'a>(context: &mut Context<'a>, failed: u64, run: impl FnOnce(&mut Host<'a>) -> u64) -> u64 {
    let host = &mut context.host;
    match catch_unwind(AssertUnwindSafe(|| run(host))) {
        Ok(value) => value,
        Err(panic) => {
            host.panic = Some(panic);
            failed
        }
    }
}

/// Asks the environment for an entry by words, which leaves the action's data at `data`. Returns the action's number, with [`HIT`] if an entry matched.
///
/// # Safety
/// The context is good, `key` and `data` point to as many words as the site says.
pub(crate) unsafe extern "C" fn look_up_words(
    context: *mut Context<'_>,
    site: u64,
    key: *const u64,
    data: *mut u64,
) -> u64 {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    asked_of(context, FAILED, |host| {
        let site = &host.sites.tables[site as usize];
        // SAFETY: by this function's contract; key and data do not overlap.
        let (key, data) = unsafe {
            (
                std::slice::from_raw_parts(key, site.key_words),
                std::slice::from_raw_parts_mut(data, site.data_words),
            )
        };
        let found = host.env.lookup_words(host.program, site.table, key, data);
        found.action.index() as u64 | if found.hit { HIT } else { 0 }
    })
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
        host.env.parsed(consumed);
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
    asked_of(context, FAILED, |host| u64::from(host.env.asked()))
}

/// Makes the state 0.
///
/// # Safety
/// The context is good.
pub(crate) unsafe extern "C" fn clear_state(context: *mut Context<'_>) {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    context.host.state.clear();
    context.registers.words = context.host.state.words_mut().as_mut_ptr();
}

/// Copies what was parsed of the packet, and tells where the copy is.
///
/// # Safety
/// The context is good, and not more bytes were parsed than the packet has.
pub(crate) unsafe extern "C" fn set_aside(context: *mut Context<'_>) -> *const u8 {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let Context { registers, host } = unsafe { &mut *context };
    // SAFETY: by this function's contract. Nothing writes to the packet meanwhile.
    let parsed = unsafe { std::slice::from_raw_parts(registers.packet, registers.consumed as usize) };
    if parsed.len() <= ASIDE {
        let near = host.aside.as_mut_ptr().cast::<u8>();
        // SAFETY: there is room for that many bytes, in memory of its own.
        unsafe { std::ptr::copy_nonoverlapping(parsed.as_ptr(), near, parsed.len()) };
        return near;
    }
    let far = &mut host.spare.get_or_insert_default().aside;
    far.clear();
    far.extend_from_slice(parsed);
    far.as_ptr()
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
        let result = match host.env.call(&site.call, &mut args, host.executor, host.state) {
            Ok(result) => result,
            Err(Fault::LoopLimit) => return status::LOOP_LIMIT,
            Err(Fault::AssertionFailed) => return status::ASSERTION_FAILED,
        };
        for (arg, value) in site.call.args.iter().zip(&args) {
            if let (ArgValue::Vars { vars, .. }, Value::Bits(values)) = (&arg.value, value)
                && arg.direction != Direction::In
            {
                write_all(host, vars, values);
            }
        }
        write_all(host, &site.call.result, &result);
        status::DONE
    })
}

fn argument(host: &Host<'_>, value: &ArgValue, values: &mut impl Iterator<Item = Bits>) -> Value {
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

fn is_valid(host: &Host<'_>, header: HeaderId) -> bool {
    host.layout.get_u64(host.state, host.program.headers[header].valid) != 0
}

/// Writes several variables, validity bits first so that fields of headers that become valid take their values.
fn write_all(host: &mut Host<'_>, vars: &[VarId], values: &[Bits]) {
    for validity in [true, false] {
        for (var, value) in vars.iter().zip(values) {
            match host.program.vars[*var].role {
                VarRole::Validity(header) if validity => set_valid(host, header, value.is_true()),
                VarRole::Field(header) if !validity && !is_valid(host, header) => {}
                VarRole::Field(_) | VarRole::Plain | VarRole::NextIndex(_) if !validity => {
                    host.layout.set(host.state, *var, value);
                }
                _ => {}
            }
        }
    }
}

fn set_valid(host: &mut Host<'_>, header: HeaderId, valid: bool) {
    let header = &host.program.headers[header];
    host.layout.set_u64(host.state, header.valid, u64::from(valid));
    if !valid {
        for field in &header.fields {
            host.layout.set(host.state, *field, &host.program.vars[*field].ty.zero());
        }
    }
}

/// Operators that machine code leaves to [`binary`], by their position here.
pub(crate) const OPERATORS: [BinaryOp; 7] = [
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Mod,
    BinaryOp::SatAdd,
    BinaryOp::SatSub,
    BinaryOp::Shl,
    BinaryOp::Shr,
];

/// Computes an operator of wide values; the result has the left operand's width. `spec` is the operator's position in [`OPERATORS`], the left operand's sign
/// from bit 8, the widths from bits 16 and 32.
///
/// # Safety
/// `a` and `b` point to as many words as their widths need, `to` to room for as many as `a`.
pub(crate) unsafe extern "C" fn binary(to: *mut u64, a: *const u64, b: *const u64, spec: u64) {
    let (a_width, b_width) = (spec as u32 >> 16, (spec >> 32) as u32);
    let count = |width: u32| width.div_ceil(64) as usize;
    // SAFETY: by this function's contract. All operands are copied before the result is written.
    let (a, b) = unsafe {
        (
            Bits::from_words(a_width, std::slice::from_raw_parts(a, count(a_width))),
            Bits::from_words(b_width, std::slice::from_raw_parts(b, count(b_width))),
        )
    };
    let result = OPERATORS[spec as usize & 0xff].apply(&a, &b, spec >> 8 & 1 == 1);
    // SAFETY: by this function's contract; nothing else refers to these words.
    result.write_words(unsafe { std::slice::from_raw_parts_mut(to, count(a_width)) });
}

/// Reads at most 64 bits from any bit on.
///
/// # Safety
/// The context is good.
pub(crate) unsafe extern "C" fn read_bits(context: *const Context<'_>, offset: u64, width: u64) -> u64 {
    // SAFETY: the packet's pointer and length in a good context belong together.
    let packet = unsafe {
        let registers = &(*context).registers;
        std::slice::from_raw_parts(registers.packet, registers.packet_bytes as usize)
    };
    (0..width.div_ceil(32)).fold(0, |value, part| {
        // The first part takes what does not fill 32 bits.
        let head = (width - 1) % 32 + 1;
        let (at, bits) = if part == 0 { (offset, head) } else { (offset + head + 32 * (part - 1), 32) };
        let window = packet.iter().skip((at / 8) as usize).take(5);
        let count = window.len() as u64;
        let window = window.fold(0u64, |window, byte| window << 8 | u64::from(*byte));
        let window = window << (8 * (5 - count));
        value << (bits % 64) | (window >> (40 - at % 8 - bits)) & ((1 << bits) - 1)
    })
}

/// Reads `bits` bits from `offset` on into a varbit of at most `max` bits.
///
/// # Safety
/// The context is good, `to` points to a length and the words of a varbit of `max` bits.
pub(crate) unsafe extern "C" fn read_varbit(
    context: *const Context<'_>,
    to: *mut u64,
    offset: u64,
    bits: u64,
    max: u64,
) {
    // SAFETY: by this function's contract.
    let words = unsafe { std::slice::from_raw_parts_mut(to, 1 + max.div_ceil(64) as usize) };
    words.fill(0);
    let bits = bits.min(max);
    words[0] = bits;
    for (i, word) in words[1..].iter_mut().take(bits.div_ceil(64) as usize).enumerate() {
        let end = bits - 64 * i as u64;
        let width = end.min(64);
        // SAFETY: the context is good by this function's contract.
        *word = unsafe { read_bits(context, offset + end - width, width) };
    }
}

/// Makes room for `bits` more bits of output, and a word more.
///
/// # Safety
/// The context is good.
pub(crate) unsafe extern "C" fn grow(context: *mut Context<'_>, bits: u64) {
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut *context };
    let registers = &mut context.registers;
    let written = registers.out_bits.div_ceil(8) as usize;
    let Some(out) = &mut context.host.out else { return };
    // SAFETY: machine code and `push_bits` have written all bytes up to `out_bits`, within the capacity.
    unsafe { out.set_len(written) };
    out.reserve(bits.div_ceil(8) as usize + 8);
    registers.out = out.as_mut_ptr();
    registers.out_capacity = out.capacity() as u64 * 8;
}

/// Appends at most 64 bits to the output.
///
/// # Safety
/// The context is good.
pub(crate) unsafe extern "C" fn push_bits(context: *mut Context<'_>, value: u64, width: u64) {
    // SAFETY: the context is good.
    let (at, capacity) = unsafe { ((*context).registers.out_bits, (*context).registers.out_capacity) };
    if at + width + 8 > capacity {
        // SAFETY: the context is good.
        unsafe { grow(context, width + 8) };
    }
    // SAFETY: machine code passes the context that it got and uses nothing of it meanwhile.
    let context = unsafe { &mut (*context).registers };
    let mut left = width;
    while left > 0 {
        let taken = context.out_bits % 8;
        let put = left.min(8 - taken);
        let bits = (value >> (left - put)) as u8 & ((1u16 << put) - 1) as u8;
        let shifted = bits << (8 - taken - put);
        // SAFETY: there is room for `width` bits; a byte that has begun was written when it began.
        unsafe {
            let byte = context.out.add((context.out_bits / 8) as usize);
            *byte = if taken == 0 { shifted } else { *byte | shifted };
        }
        context.out_bits += put;
        left -= put;
    }
}

/// Appends a varbit to the output.
///
/// # Safety
/// The context is good, `value` points to a length and as many words as it needs.
pub(crate) unsafe extern "C" fn push_varbit(context: *mut Context<'_>, value: *const u64) {
    // SAFETY: by this function's contract.
    let bits = unsafe { *value };
    for i in (0..bits.div_ceil(64)).rev() {
        // SAFETY: by this function's contract.
        unsafe { push_bits(context, *value.add(1 + i as usize), (bits - 64 * i).min(64)) };
    }
}

/// Copies words; the places may overlap.
///
/// # Safety
/// Both point to `count` words.
pub(crate) unsafe extern "C" fn copy_words(to: *mut u64, from: *const u64, count: u64) {
    // SAFETY: by this function's contract.
    unsafe { std::ptr::copy(from, to, count as usize) };
}

/// Whether two varbits have one length and the same bits.
///
/// # Safety
/// Both point to a length and as many words as it needs.
pub(crate) unsafe extern "C" fn same_varbit(a: *const u64, b: *const u64) -> u64 {
    // SAFETY: by this function's contract.
    u64::from(unsafe {
        *a == *b && {
            let count = 1 + (*a).div_ceil(64) as usize;
            std::slice::from_raw_parts(a, count) == std::slice::from_raw_parts(b, count)
        }
    })
}
