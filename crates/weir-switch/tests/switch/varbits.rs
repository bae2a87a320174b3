//! Large varbits on their whole path through a switch, with both executors and traced:
//! `testdata/switch/varbits.p4`.

use std::sync::Arc;

use crate::bench::{compile, send};
use proptest::prelude::*;
use weir_device::Packet;
use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_native::Native;
use weir_switch::trace::StepKind;
use weir_switch::{Switch, SwitchConfig};

/// Returns a switch for each executor, in programs whose varbits have at most `bits` bits.
fn switches(bits: u32) -> [Switch; 2] {
    let size = bits.to_string();
    let program = compile(include_str!("../../../../testdata/switch/varbits.p4"), &[("SIZE", &size)]);
    let interpreter = Arc::new(Interpreter::new(program.clone()));
    let native = Arc::new(Native::new(program).unwrap().with_tracer(interpreter.clone()));
    let config = SwitchConfig::default().with_ports(1..=2);
    let executors: [Arc<dyn Executor>; 2] = [interpreter, native];
    executors.map(|executor| Switch::new(executor, config.clone()).unwrap())
}

/// Returns a packet that requests `asked` bytes of data.
fn order(asked: u16, rest: &[u8]) -> Vec<u8> {
    [&[0], &asked.to_be_bytes()[..], rest].concat()
}

/// Returns the packet that the program sends for a packet.
fn expected(asked: u16, rest: &[u8], bits: u32) -> Vec<u8> {
    let size = usize::from(asked);
    let answer = |marks: u8, parts: &[&[u8]]| [&[marks], &asked.to_be_bytes()[..], &parts.concat()].concat();
    if size > rest.len() {
        return answer(0x80, &[rest]);
    }
    if 8 * size > bits as usize {
        return answer(0x40, &[rest]);
    }
    let (data, payload) = rest.split_at(size);
    let empty = u8::from(size == 0);
    // The data itself, the two valid elements of the stack, the copy.
    answer(empty | 2 | 4 | empty << 3, &[data, data, data, data, payload])
}

fn outputs(switch: &mut Switch, bytes: Vec<u8>) -> Vec<Vec<u8>> {
    let output = send(switch, 0, 2, Packet::new(0, bytes));
    output.into_iter().map(|sent| sent.packet.bytes).collect()
}

fn check(switches: &mut [Switch], asked: u16, rest: &[u8], bits: u32) {
    for switch in switches {
        let expected = [expected(asked, rest, bits)];
        assert!(outputs(switch, order(asked, rest)) == expected, "{asked} bytes of {bits} bits");
        switch.trace_next(1);
        assert!(outputs(switch, order(asked, rest)) == expected, "{asked} bytes of {bits} bits, traced");
        let steps = switch.take_trace().0;
        let mut extracted = steps.iter().filter_map(|step| match &step.what {
            StepKind::Extracted { fields, .. } => fields.last(),
            _ => None,
        });
        let varbit = extracted.rfind(|field| field.name == "data");
        let valid = usize::from(asked) <= rest.len() && u32::from(asked) * 8 <= bits;
        assert_eq!(varbit.is_some(), valid, "{asked} bytes of {bits} bits");
        if let Some(field) = varbit {
            assert_eq!(field.value.to_be_bytes(), rest[..usize::from(asked)]);
        }
    }
}

#[test]
fn sizes_around_the_limits() {
    for bits in [8, 2040, 2048, 2056, 8032, 131_072] {
        let mut switches = switches(bits);
        let largest = (bits / 8) as u16;
        for asked in [largest, 0, largest - 1, 1, largest + 1, largest / 2] {
            let rest: Vec<u8> = (0..asked + 5).map(|at| (at.wrapping_mul(31) >> 3) as u8 | 1).collect();
            check(&mut switches, asked, &rest, bits);
            check(&mut switches, asked, &rest[..usize::from(asked.saturating_sub(1))], bits);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_size(
        bytes in 1..=16_384u32,
        packets in prop::collection::vec((0..20_000u16, prop::collection::vec(any::<u8>(), 0..200)), 1..6),
    ) {
        let mut switches = switches(8 * bytes);
        for (asked, pattern) in packets {
            let rest: Vec<u8> = pattern.iter().copied().cycle().take(pattern.len() * 100).collect();
            check(&mut switches, asked, &rest, 8 * bytes);
        }
    }
}
