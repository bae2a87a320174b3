//! The widths and port numbers in which the chips differ.

use weir_device::Port;
use weir_ir::{Program, Type};

use crate::arch::blocks::Blocks;
use crate::generators::GeneratorFormat;

use super::IG;

/// A chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chip {
    /// The first one, of TNA.
    Tofino1,
    /// The second one, of T2NA.
    Tofino2,
}

impl Chip {
    /// Returns the chip for which a program was written. The field `mirror_type` has 3 bits in TNA
    /// and 4 in T2NA.
    pub(super) fn of(program: &Program, blocks: &Blocks<'_>) -> Self {
        let kind = blocks.find_field(program, (IG, 4), "mirror_type");
        match kind.map(|kind| program.vars[kind].ty) {
            Some(Type::Bits { width: 4, .. }) => Self::Tofino2,
            _ => Self::Tofino1,
        }
    }

    /// Returns the number of bits of port data or resubmit data between the intrinsic metadata and
    /// a packet, and the number of unused bits after them.
    pub(super) fn port_data(self) -> (u32, u32) {
        match self {
            Self::Tofino1 => (64, 0),
            Self::Tofino2 => (128, 64),
        }
    }

    /// Returns the port to which `copy_to_cpu` copies packets.
    pub fn cpu_port(self) -> Port {
        match self {
            Self::Tofino1 => 64,
            Self::Tofino2 => 2,
        }
    }

    /// Returns the function that tests whether packets to a port are recirculated.
    pub fn recirculates(self) -> fn(Port) -> bool {
        match self {
            Self::Tofino1 => |port| (68..72).contains(&(port & 0x7f)),
            Self::Tofino2 => |port| {
                let (pipe, local) = (port >> 7, port & 0x7f);
                if pipe == 0 { matches!(local, 1 | 6 | 7) } else { local < 8 }
            },
        }
    }

    /// Returns the port to the CPU over the board's bus.
    pub fn pcie_port(self) -> Port {
        match self {
            Self::Tofino1 => 320,
            Self::Tofino2 => 0,
        }
    }

    /// Returns the form of the chip's packet generators.
    pub(crate) fn generators(self) -> GeneratorFormat {
        let is_second = self == Self::Tofino2;
        GeneratorFormat {
            app_bits: if is_second { 4 } else { 3 },
            pattern_bytes: if is_second { 16 } else { 4 },
            has_context: is_second,
            gaps_begin_at_end: is_second,
        }
    }

    /// Returns the number of ports of a pipe, including the chip's own ports.
    pub fn ports_per_pipe(self) -> Port {
        72
    }

    /// Returns the fields of the egress metadata, with their widths, in the order of the bytes. `_`
    /// is padding.
    pub(super) fn egress_fields(self) -> Vec<(&'static str, u32)> {
        let is_second = self == Self::Tofino2;
        let first =
            [("_", 7), ("egress_port", 9), ("_", 5), ("enq_qdepth", 19), ("_", 6), ("enq_congest_stat", 2)];
        let second =
            [("_", 5), ("deq_qdepth", 19), ("_", 6), ("deq_congest_stat", 2), ("app_pool_congest_stat", 8)];
        let third = [("egress_rid", 16), ("_", 7), ("egress_rid_first", 1)];
        let last = [("_", 5), ("egress_cos", 3), ("_", 7), ("deflection_flag", 1), ("pkt_length", 16)];
        let time = |name| if is_second { vec![(name, 32)] } else { vec![("_", 14), (name, 18)] };
        let queue = if is_second { [("_", 1), ("egress_qid", 7)] } else { [("_", 3), ("egress_qid", 5)] };
        let mut fields = first.to_vec();
        fields.extend(time("enq_tstamp"));
        fields.extend(second);
        fields.extend(time("deq_timedelta"));
        fields.extend(third);
        fields.extend(queue);
        fields.extend(last);
        fields.extend(is_second.then_some(("_", 8)));
        fields
    }

    /// Returns the number of bytes before packets in ingress.
    pub(super) fn ingress_bytes(self) -> usize {
        let (data, unused) = self.port_data();
        8 + (data + unused) as usize / 8
    }

    /// Returns the number of bytes before packets in egress.
    pub(super) fn egress_bytes(self) -> usize {
        self.egress_fields().iter().map(|(_, width)| *width as usize).sum::<usize>() / 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_fill_the_bytes_that_the_chips_have() {
        let bytes = |chip: Chip| (chip.ingress_bytes(), chip.egress_bytes());
        assert_eq!(bytes(Chip::Tofino1), (16, 27));
        assert_eq!(bytes(Chip::Tofino2), (32, 28));
    }

    #[test]
    fn packets_recirculate_through_ports_of_each_pipe() {
        let ports = |chip: Chip| (0..512).filter(|port| (chip.recirculates())(*port)).collect::<Vec<Port>>();
        let first = [68, 69, 70, 71, 196, 197, 198, 199, 324, 325, 326, 327, 452, 453, 454, 455];
        assert_eq!(ports(Chip::Tofino1), first);
        let second =
            [1, 6, 7].into_iter().chain([128, 256, 384].into_iter().flat_map(|first| first..first + 8));
        assert_eq!(ports(Chip::Tofino2), second.collect::<Vec<_>>());
    }
}
