//! TNA's externs. To add an extern, add a file here, or a row for a family, and a line in
//! [`EXTERNS`].

mod checksum;
mod clear;
mod direct_register;
mod filter;
mod hash;
mod math_unit;
mod objects;
mod random;
mod register_param;
mod selector;

pub(super) use checksum::steps as checksum_steps;

use std::collections::BTreeSet;

use weir_ir::visit::reached_statements;
use weir_ir::{ConstArg, ExternCall, ExternId, ExternInstance, PackageArg, Program, StmtKind, Type};

use super::chip::Chip;
use super::tables::{COUNTER, METER};
use super::{Blocks, EG, ID};
use crate::arch::calls::Call;
use crate::arch::externs::{CallSite, Extern};
use crate::arch::families::{self, Colours, Out, portable};

/// All externs of TNA.
pub(super) const EXTERNS: &[&dyn Extern<Lengths>] = &[
    &checksum::Checksum,
    &clear::Clear,
    &families::Counter { types: &["Counter"], calls: &[Call::in_all_blocks("Counter.count")] },
    &portable::Digest(&[Call::in_blocks("Digest.pack", &[ID], objects::INGRESS_REQUESTS)]),
    &portable::DirectCounter(COUNTER),
    &direct_register::DirectRegister,
    &portable::DirectMeter { property: METER, colours: COLOURS, results: |object| own_colours(object, 1) },
    &filter::Filter,
    &hash::Hash,
    &math_unit::MathUnit,
    &families::Meter {
        types: &["Meter"],
        calls: &[Call::in_all_blocks("Meter.execute")],
        colour: Out::Result,
        colours: COLOURS,
        results: |object| own_colours(object, 2),
    },
    &objects::Missing,
    &objects::Objects,
    &random::Random,
    &families::Register {
        types: &["Register"],
        calls: &[Call::in_all_blocks("Register.read"), Call::in_all_blocks("Register.write")],
        cell: Out::Result,
    },
    &register_param::RegisterParam,
    &selector::Selector,
];

/// The members of `MeterColor_t`: green, yellow and red.
const COLOURS: Colours = Colours([0, 1, 3]);

/// Returns the numbers for red, yellow and green that a constructor takes, beginning with this
/// argument.
fn own_colours(object: &ExternInstance, first: usize) -> Option<Colours> {
    let number = |position: usize| match object.args.get(position)? {
        ConstArg::Bits(Type::Bits { .. }, number) => number.to_u64(),
        _ => None,
    };
    let [red, yellow, green] = [0, 1, 2].map(|position| number(first + position));
    Some(Colours([green?, yellow?, red?]))
}

/// Returns the calls that programs of TNA can make.
pub(super) fn calls() -> Vec<&'static Call> {
    EXTERNS.iter().flat_map(|known| known.calls()).collect()
}

type Site<'a> = CallSite<'a, Lengths>;

/// The bytes of the frame check sequence, which counters count.
const FRAME_CHECK: isize = 4;

/// The bytes that counters and meters add to the length of packets.
pub(super) struct Lengths {
    in_egress: BTreeSet<ExternId>,
    ingress: isize,
    egress: isize,
}

impl Lengths {
    pub(super) fn new(program: &Program, blocks: &Blocks<'_>, chip: Chip) -> Self {
        let stmts = reached_statements(program, &PackageArg::Control(blocks.control(EG)));
        let objects = stmts.into_iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Extern(call) => call.instance,
            _ => None,
        });
        let offset = |bytes: usize| FRAME_CHECK - bytes as isize;
        Self {
            in_egress: objects.collect(),
            ingress: offset(chip.ingress_bytes()),
            egress: offset(chip.egress_bytes()),
        }
    }

    /// Returns the number that a call adds to the length of a packet, so that the bytes before the
    /// packet are not counted.
    pub(super) fn offset(&self, call: &ExternCall) -> isize {
        let is_of_egress = call.instance.is_some_and(|object| self.in_egress.contains(&object));
        if is_of_egress { self.egress } else { self.ingress }
    }
}
