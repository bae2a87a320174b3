//! A second implementation of the behaviour after ingress and after egress that
//! p4lang/behavioral-model documents in `docs/simple_switch.md`. It is for one program only,
//! `testdata/switch/paths.p4`: headers are a struct, and there is no time.

use std::collections::VecDeque;

pub const CLONE: u8 = 1;
pub const AGAIN: u8 = 2;
pub const MULTICAST: u8 = 4;
pub const DROP: u8 = 8;
pub const TRUNCATE: u8 = 16;
pub const CLONE_TO_GROUP: u8 = 32;
pub const DROP_FIRST: u8 = 64;

/// The positions of the script's bytes.
const INGRESS_NORMAL: usize = 0;
const INGRESS_RECIRCULATED: usize = 1;
pub const INGRESS_RESUBMITTED: usize = 2;
const EGRESS: [(u8, usize); 4] = [(0, 3), (1, 4), (2, 5), (5, 6)];

const HEADER_BYTES: usize = 30;
const DROP_PORT: u32 = 511;
const GROUP_1: [(u32, u16); 2] = [(3, 11), (4, 12)];
const GROUP_2: [(u32, u16); 2] = [(7, 21), (8, 22)];

/// The packet's bytes.
#[derive(Clone)]
struct Bytes {
    script: [u8; 7],
    /// Block (`i` or `e`), instance type and kept metadata of each step.
    trail: Vec<(char, u8, u8)>,
    rid: u16,
    length: u16,
    lost: u8,
    from: u8,
    payload: usize,
}

impl Bytes {
    fn len(&self) -> usize {
        HEADER_BYTES + self.payload
    }
}

/// A packet between ingress and egress.
#[derive(Clone)]
struct Frame {
    bytes: Bytes,
    instance: u8,
    kept: u8,
    lost: u8,
    rid: u16,
    length: usize,
    cut: Option<usize>,
}

enum Work {
    Ingress { bytes: Bytes, instance: u8, port: u32, kept: u8 },
    Egress { port: u32, frame: Frame },
}

#[derive(Default)]
struct Switch {
    work: VecDeque<Work>,
    /// A line for each packet that left or was dropped, in any order.
    pub came: Vec<String>,
}

/// Returns the lines for a packet with this script, sorted.
pub fn outcome(script: [u8; 7]) -> Vec<String> {
    let bytes = Bytes { script, trail: Vec::new(), rid: 0, length: 0, lost: 0, from: 0, payload: 4 };
    let mut switch = Switch::default();
    switch.work.push_back(Work::Ingress { bytes, instance: 0, port: 2, kept: 0 });
    for _ in 0..10_000 {
        match switch.work.pop_front() {
            Some(Work::Ingress { bytes, instance, port, kept }) => {
                switch.ingress(&bytes, instance, port, kept);
            }
            Some(Work::Egress { port, frame }) => switch.egress(port, frame),
            None => break,
        }
    }
    assert!(switch.work.is_empty(), "{script:?} loops");
    switch.came.sort();
    switch.came
}

impl Switch {
    fn ingress(&mut self, received: &Bytes, instance: u8, port: u32, preserved: u8) {
        let mut bytes = received.clone();
        let mut kept = preserved;
        bytes.trail.push(('i', instance, kept));
        let todo = match instance {
            0 => bytes.script[INGRESS_NORMAL],
            4 => std::mem::take(&mut bytes.script[INGRESS_RECIRCULATED]),
            _ => bytes.script[INGRESS_RESUBMITTED],
        };
        kept = (kept + 1) & 15;
        bytes.from = port as u8;
        let (mut egress_spec, mut group) = (1, false);
        if todo & DROP_FIRST != 0 {
            (egress_spec, group) = (DROP_PORT, false);
        }
        if todo & MULTICAST != 0 {
            group = true;
        }
        if todo & DROP != 0 {
            (egress_spec, group) = (DROP_PORT, false);
        }

        // if (a clone primitive action was called); the last one's session counts
        if todo & (CLONE | CLONE_TO_GROUP) != 0 {
            let to_group = todo & CLONE_TO_GROUP != 0;
            let clone = Frame {
                bytes: Bytes { from: 0xff, ..received.clone() },
                instance: 1,
                kept: if to_group { 0 } else { kept },
                lost: 0,
                rid: 0,
                length: received.len(),
                cut: None,
            };
            if to_group {
                self.copies(GROUP_2, &clone);
            } else {
                self.work.push_back(Work::Egress { port: 5, frame: clone });
            }
        }
        // if (resubmit was called)
        if todo & AGAIN != 0 {
            return self.work.push_back(Work::Ingress { bytes: received.clone(), instance: 6, port, kept });
        }
        let cut = (todo & TRUNCATE != 0).then_some(31);
        let frame = Frame {
            bytes,
            instance: if group { 5 } else { 0 },
            kept,
            lost: 1,
            rid: 0,
            length: received.len(),
            cut,
        };
        if group {
            // else if (mcast_grp != 0)
            self.copies(GROUP_1, &frame);
        } else if egress_spec == DROP_PORT {
            // else if (egress_spec == DROP_PORT)
            self.came.push("-> dropped at ingress: drop port".into());
        } else {
            self.work.push_back(Work::Egress { port: egress_spec, frame });
        }
    }

    fn copies(&mut self, group: [(u32, u16); 2], frame: &Frame) {
        for (port, rid) in group {
            self.work.push_back(Work::Egress { port, frame: Frame { rid, ..frame.clone() } });
        }
    }

    fn egress(&mut self, port: u32, mut frame: Frame) {
        let Frame { bytes, instance, kept, lost, rid, length, .. } = &mut frame;
        bytes.trail.push(('e', *instance, *kept));
        (bytes.rid, bytes.length, bytes.lost) = (*rid, *length as u16, *lost);
        let (_, place) =
            EGRESS.into_iter().find(|(other, _)| other == instance).expect("an instance type of egress");
        let todo = std::mem::take(&mut bytes.script[place]);
        *kept = (*kept + 1) & 15;
        let kept = *kept;

        // if (a clone primitive action was called)
        if todo & (CLONE | CLONE_TO_GROUP) != 0 {
            let to_group = todo & CLONE_TO_GROUP != 0;
            let clone = Frame {
                instance: 2,
                kept: if to_group { 0 } else { kept },
                lost: 0,
                rid: 0,
                cut: to_group.then_some(32),
                ..frame.clone()
            };
            if to_group {
                self.copies(GROUP_2, &clone);
            }
            self.work.push_back(Work::Egress { port: 6, frame: clone });
        }
        // if (egress_spec == DROP_PORT); DROP_FIRST takes its drop back
        if todo & DROP != 0 {
            return self.came.push("-> dropped at egress: drop port".into());
        }
        let cut = [frame.cut, (todo & TRUNCATE != 0).then_some(30)].into_iter().flatten().min();
        let mut bytes = frame.bytes;
        bytes.payload = bytes.payload.min(cut.unwrap_or(usize::MAX).saturating_sub(HEADER_BYTES));
        if todo & AGAIN != 0 {
            // else if (recirculate was called)
            self.work.push_back(Work::Ingress { bytes, instance: 4, port: 0, kept });
        } else {
            self.came.push(describe(port, &bytes));
        }
    }
}

/// Returns a packet as the tests of the switch describe it. The trail has room for 16 steps.
fn describe(port: u32, bytes: &Bytes) -> String {
    let Bytes { rid, length, lost, from, .. } = bytes;
    let first = bytes.trail.len().saturating_sub(16);
    let way: Vec<_> =
        bytes.trail[first..].iter().map(|(block, of, kept)| format!(" {block}{of}.{kept}")).collect();
    let way = way.concat();
    format!("-> port {port}, {} bytes: rid {rid} length {length} lost {lost} from {from}:{way}", bytes.len())
}
