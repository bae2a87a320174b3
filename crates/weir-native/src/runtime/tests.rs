//! The functions that machine code calls, called from Rust: `tests/sanitize miri` runs these tests
//! in Miri's interpreter.

use std::mem::MaybeUninit;
use std::sync::Arc;

use weir_exec::{Environment, Executor, Fault, Lookup, Value};
use weir_interp::Interpreter;
use weir_ir::{ActionCall, ActionId, Bits, ExternCall, State, TableId, ValueSetId};

use super::*;
use crate::abi::{CallSites, ExternSite, Registers, TableSite, ValueForm, status};

const TEXT: &str = "errors { NoError }
    var x: bit<100>
    var v: varbit<70>
    var a.x: bit<100>
    var r: bit<16>
    action a(x = a.x) { }
    table t { key r: exact r action a default a(100w7) }
    control c { extern r = go(in v = v); }";

struct World;

impl Environment for World {
    fn lookup(&mut self, _: TableId, keys: &[Bits]) -> Lookup {
        let call = ActionCall { action: ActionId::new(0), args: vec![keys[0].resize(100)] };
        Lookup { hit: true, call: Arc::new(call), entry: None }
    }

    fn in_value_set(&mut self, _: ValueSetId, _: &[Bits]) -> bool {
        unreachable!("there is no value set")
    }

    fn call(
        &mut self,
        _: &ExternCall,
        args: &mut [Value],
        _: &dyn Executor,
        _: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        let given = args[0].scalar().expect("there is one argument");
        Ok(vec![Bits::new(16, u128::from(given.width()))])
    }

    fn call_words(&mut self, call: u32, words: &mut [u64]) -> Result<(), Fault> {
        words.reverse();
        if call == 0 { Ok(()) } else { Err(Fault::AssertionFailed) }
    }

    fn parser_finished(&mut self, consumed: usize) {
        assert!(consumed < 100, "so much was parsed");
    }
}

/// Runs something with the context of a run over a packet.
fn with_context<T>(packet: &[u8], out: &mut Vec<u8>, run: impl FnOnce(&mut Context<'_>) -> T) -> T {
    let program = weir_ir::validate(weir_ir::text::parse(TEXT).expect("it is IR")).expect("it is valid");
    let interp = Interpreter::new(program);
    let control = &interp.program().controls.values().next().expect("there is a control").body;
    let weir_ir::StmtKind::Extern(call) = &control.0[0].kind else { panic!("the control calls an extern") };
    let sites = CallSites {
        tables: vec![TableSite { table: TableId::new(0), keys: vec![ValueForm::Words(16)] }],
        value_sets: Vec::new(),
        externs: vec![ExternSite { call: call.clone(), values: vec![ValueForm::Varbit(70)] }],
        calls: Vec::new(),
    };
    let mut state = interp.layout().state();
    let registers = Registers {
        packet: packet.as_ptr(),
        packet_bytes: packet.len() as u64,
        consumed: packet.len() as u64,
        out: out.as_mut_ptr(),
        out_bits: out.len() as u64 * 8,
        out_capacity: out.capacity() as u64 * 8,
        ..Registers::empty()
    };
    let host = HostState {
        executor: &interp,
        program: interp.program(),
        layout: interp.layout(),
        sites: &sites,
        state: &mut state,
        env: &mut World,
        first_view: std::ptr::null(),
        announced: 0,
        announced_restarts: 0,
        cache: None,
        out: Some(out),
        saved: &mut MaybeUninit::uninit(),
        rare: None,
    };
    let mut context = Context { registers, host };
    context.find_words();
    run(&mut context)
}

#[test]
fn bits_are_read_from_any_bit_on() {
    let packet: Vec<u8> = (1..=12).map(|byte| byte * 17).collect();
    let whole = packet.iter().fold(0u128, |all, byte| all << 8 | u128::from(*byte));
    with_context(&packet, &mut Vec::new(), |context| {
        for (offset, width) in [(0, 1), (3, 5), (7, 2), (0, 64), (5, 64), (31, 33), (32, 64), (95, 1)] {
            // SAFETY: the context is valid.
            let read = unsafe { read_bits(context, offset, width) };
            let expected = (whole >> (96 - offset - width)) & ((1 << width) - 1);
            assert_eq!(u128::from(read), expected, "{width} bits from bit {offset} on");
        }
        let mut varbit = [u64::MAX; 3];
        // SAFETY: the context is valid, and there is room for a varbit of 128 bits.
        unsafe { read_varbit(context, varbit.as_mut_ptr(), 4, 72, 128) };
        let expected = (whole >> 20) & ((1 << 72) - 1);
        assert_eq!(varbit, [72, expected as u64, (expected >> 64) as u64]);
    });
}

#[test]
fn bits_are_appended_at_any_bit() {
    let mut output = vec![0xaa];
    with_context(&[], &mut output, |context| {
        // SAFETY: the context is valid, and a varbit of 70 bits has two words.
        unsafe {
            push_bits(context, 0b101, 3);
            push_bits(context, 0x0123_4567_89ab_cdef, 64);
            push_varbit(context, [u64::MAX, u64::MAX, u64::MAX].as_ptr(), 70);
            push_varbit(context, [0, 5, 5].as_ptr(), 70);
            push_bits(context, 0, 7);
            grow(context, 4096);
        }
        assert_eq!(context.registers.out_bits, 8 + 3 + 64 + 70 + 7);
        assert!(context.registers.out_capacity >= context.registers.out_bits + 4096);
        let written = context.registers.out_bits as usize / 8;
        let output = context.host.out.as_mut().expect("there is an output");
        // SAFETY: that many bytes were written.
        unsafe { output.set_len(written) };
    });
    assert_eq!(output[..3], [0xaa, 0xa0, 0x24]);
    assert_eq!((output.len(), output[output.len() - 1]), (19, 0x80));
}

#[test]
fn operators_may_write_over_their_operands() {
    let (mul, narrow) = (0, 100u64);
    let spec = mul | narrow << 16 | narrow << 32;
    let mut words = [3u64, 1 << 35, 5, 0];
    let at = words.as_mut_ptr();
    // SAFETY: each operand and the result has two words. The result is written when the operands
    // have been read.
    unsafe { binary(at, at, at.add(2), spec) };
    assert_eq!(words, [15, 5 << 35 & ((1 << 36) - 1), 5, 0]);
    // SAFETY: three words from each of these on are within the array.
    unsafe { copy_words(at.add(1), at, 3) };
    assert_eq!(words[1..], [15, 5 << 35 & ((1 << 36) - 1), 5]);
}

#[test]
fn listed_words_are_cleared() {
    let mut words = [1u64, 2, 3, 4];
    let positions = [3u64, 0];
    // SAFETY: both positions of the list are within the words.
    unsafe { clear_listed(words.as_mut_ptr(), positions.as_ptr(), 2) };
    assert_eq!(words, [0, 2, 3, 0]);
}

#[test]
fn varbits_are_compared_within_their_type() {
    let (a, b) = ([u64::MAX, 1, 2], [u64::MAX, 1, 3]);
    // SAFETY: both have the words of a varbit of 128 bits.
    let same = |a: &[u64; 3], b: &[u64; 3]| unsafe { same_varbit(a.as_ptr(), b.as_ptr(), 128) };
    assert_eq!((same(&a, &a), same(&a, &b), same(&[64, 1, 2], &[64, 1, 3])), (1, 0, 1));
}

#[test]
fn headers_are_saved_near_or_far() {
    for length in [0, 5, 512, 513, 2000] {
        let packet: Vec<u8> = (0..length).map(|i| i as u8).collect();
        with_context(&packet, &mut Vec::new(), |context| {
            // SAFETY: the context is valid, and all of the packet was parsed.
            let copy = unsafe { std::slice::from_raw_parts(save_headers(context), length) };
            assert_eq!(copy, packet);
        });
    }
}

#[test]
fn calls_receive_their_values() {
    with_context(&[0; 4], &mut Vec::new(), |context| {
        let mut varbit = [u64::MAX, 7, 7];
        let mut words = [0x1_0005u64, 0, varbit.as_mut_ptr() as u64];
        // SAFETY: the context is valid, and the words are values of the sites' forms.
        unsafe {
            assert_eq!(look_up(context, 0, words.as_ptr()), status::HIT);
            assert_eq!(call_extern(context, 0, words.as_ptr().add(2)), status::DONE);
            assert_eq!(call_words(context, 0, words.as_mut_ptr(), 2), status::DONE);
            assert_eq!(call_words(context, 1, words.as_mut_ptr(), 2), status::ASSERTION_FAILED);
            assert_eq!((parser_finished(context), has_deferred_work(context)), (0, 0));
            clear_state(context);
        }
    });
}

#[test]
fn rows_have_all_words_of_an_action() {
    with_context(&[], &mut Vec::new(), |context| {
        let mut words = [9u64, 0xdead, 0xdead, 0xdead];
        let sizes = 1 | 3 << 32;
        // SAFETY: the context is valid, and there is room for a key of one word and a row of three.
        // The row is read before the environment is called again.
        let row = unsafe {
            let result = look_up_words(context, 0, sizes, words.as_mut_ptr(), 0);
            assert_eq!(result & 1, 1);
            std::slice::from_raw_parts((result ^ 1) as *const u64, 3).to_vec()
        };
        assert_eq!(row, [0, 9, 0]);
    });
}

#[test]
fn panics_are_kept_for_the_caller() {
    with_context(&[0; 200], &mut Vec::new(), |context| {
        // SAFETY: the context is valid.
        assert_eq!(unsafe { parser_finished(context) }, 1);
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| context.host.resume_panic()));
        let Err(panic) = panic;
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"so much was parsed"));
        // SAFETY: the context is valid.
        unsafe { refuse_action(context, 0, 5) };
        let Err(panic) =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| context.host.resume_panic()));
        let message = "the lookup in table `t` gave action number 5, which the table does not list";
        assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some(message));
    });
}
