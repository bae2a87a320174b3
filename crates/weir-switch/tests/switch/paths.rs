//! Tests every path through v1model and combinations of paths against the documentation of
//! `simple_switch`: those in `testdata/switch/paths.txt`, and many random ones.

use crate::pseudocode;

use std::fmt::Write as _;
use std::sync::OnceLock;

use crate::bench::{compile, run, start};
use crate::by_name::{ByName, CloneSession, Replica, Update};
use rand_core::Rng;
use rand_pcg::Pcg64Mcg;
use weir_device::{Device, Packet};
use weir_ir::ValidProgram;
use weir_switch::SwitchConfig;

const CASES: &str = include_str!("../../../../testdata/switch/paths.txt");
const PLACES: [&str; 7] = [
    "ingress_normal",
    "ingress_recirculated",
    "ingress_resubmitted",
    "egress_normal",
    "egress_ingress_clone",
    "egress_egress_clone",
    "egress_replicated",
];
const OPERATIONS: [&str; 7] =
    ["clone", "again", "multicast", "drop", "truncate", "clone_to_group", "drop_first"];

fn position(names: &[&str], name: &str) -> usize {
    names
        .iter()
        .position(|known| *known == name)
        .unwrap_or_else(|| panic!("unknown `{name}`; known: {names:?}"))
}

fn outcome(script: [u8; 7]) -> String {
    static PROGRAM: OnceLock<ValidProgram> = OnceLock::new();
    let program = PROGRAM.get_or_init(|| compile(include_str!("../../../../testdata/switch/paths.p4"), &[]));
    let mut switch = start(program, SwitchConfig::default().with_ports(1..=8));
    let group = |group, members: [(u32, u16); 2]| Update::SetMulticastGroup {
        group,
        replicas: Some(members.map(|(port, rid)| Replica::new(port, rid)).into()),
    };
    let session = |session, port, group, truncate| Update::SetCloneSession {
        session,
        config: Some(CloneSession { port, group, truncate, ..Default::default() }),
    };
    let setup = [
        group(1, [(3, 11), (4, 12)]),
        group(2, [(7, 21), (8, 22)]),
        session(1, Some(5), None, None),
        session(2, None, Some(2), None),
        session(3, Some(6), None, None),
        session(4, Some(6), Some(2), Some(32)),
    ];
    switch.by_name().write(&setup).unwrap();
    switch.record_drops(true);
    let bytes = [&script[..], &[1], &[0; 22], b"tail"].concat();
    switch.receive(0, 2, Packet::new(0, bytes));
    let mut text = String::new();
    for out in run(&mut switch) {
        let bytes = &out.packet.bytes;
        let word = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        write!(
            text,
            "-> port {}, {} bytes: rid {} length {} lost {} from {}:",
            out.port,
            bytes.len(),
            word(24),
            word(26),
            bytes[28],
            bytes[29]
        )
        .unwrap();
        for step in bytes[8..24].iter().skip_while(|step| **step == 0) {
            let block = if step >> 7 == 1 { 'i' } else { 'e' };
            write!(text, " {block}{}.{}", step >> 4 & 7, step & 15).unwrap();
        }
        text.push('\n');
    }
    for drop in switch.take_drops() {
        writeln!(text, "-> dropped at {}: {}", drop.place, drop.reason).unwrap();
    }
    text
}

#[test]
fn every_path_is_as_listed() {
    let mut got = String::new();
    let mut script = None;
    let finish = |got: &mut String, script: &mut Option<[u8; 7]>| {
        if let Some(script) = script.take() {
            got.push_str(&outcome(script));
            got.push('\n');
        }
    };
    for line in CASES.lines() {
        match (line.chars().next(), line.split_once(" = ")) {
            (Some('['), _) => {
                finish(&mut got, &mut script);
                script = Some([0; 7]);
                writeln!(got, "{line}").unwrap();
            }
            (Some(_), Some((place, deeds))) if !line.starts_with(['/', '-']) => {
                let place = position(&PLACES, place);
                for deed in deeds.split(' ') {
                    script.as_mut().unwrap()[place] |= 1 << position(&OPERATIONS, deed);
                }
                writeln!(got, "{line}").unwrap();
            }
            _ => {}
        }
    }
    finish(&mut got, &mut script);
    let expected = CASES.split_once("\n\n").unwrap().1;
    assert!(got.trim() == expected.trim(), "what happens now:\n\n{got}");
}

#[test]
fn documented_combinations_work() {
    let random = &mut Pcg64Mcg::new(1);
    let mut busiest = 0;
    for _ in 0..1_500 {
        // Each operation is requested in one place of four.
        let mut script = [(); 7].map(|()| (random.next_u64() & random.next_u64()) as u8 & 0x7f);
        // A resubmitted packet comes back unchanged, so it would be resubmitted forever.
        script[pseudocode::INGRESS_RESUBMITTED] &= !pseudocode::AGAIN;
        let expected = pseudocode::outcome(script);
        let got = outcome(script);
        let mut got: Vec<_> = got.lines().collect();
        got.sort_unstable();
        assert_eq!(got, expected, "{script:?}");
        busiest = busiest.max(got.len());
    }
    assert!(busiest > 40, "{busiest} packets at most came of one");
}
