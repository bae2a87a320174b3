//! PSA's externs. To add an extern, add a file here, or a row for a family, and a line in
//! [`EXTERNS`].

mod checksum;
mod digest;
mod direct;
mod engines;
mod hash;
mod internet_checksum;
mod predicates;
mod random;

use std::collections::BTreeSet;

use weir_ir::visit::reached_statements;
use weir_ir::{ExternId, Package, Program, StmtKind};

use super::ARCHITECTURE;
use super::metadata::Fields;
use crate::arch::calls::Call;
use crate::arch::externs::{CallSite, Extern};
use crate::arch::families::{self, Colours, Out};
use crate::error::{LoadError, LoadErrorKind};
use crate::externs::hash::{Algorithm, HashKind};

/// All externs of PSA.
pub(super) const EXTERNS: &[&dyn Extern<Fields>] = &[
    &families::ActionProfile {
        types: &["ActionProfile", "ActionSelector"],
        algorithms: "PSA_HashAlgorithm_t",
        hash: algorithm,
    },
    &families::Assert,
    &checksum::Checksum,
    &families::Counter { types: &["Counter"], calls: &[Call::in_all_blocks("Counter.count")] },
    &digest::Digest,
    &direct::DirectCounter,
    &direct::DirectMeter,
    &engines::Engines,
    &hash::Hash,
    &internet_checksum::InternetChecksum,
    &families::Meter {
        types: &["Meter"],
        calls: &[Call::in_all_blocks("Meter.execute"), Call::in_all_blocks("Meter.dpdk_execute")],
        colour: Out::Result,
        colours: COLOURS,
    },
    &predicates::Predicates,
    &random::Random,
    &families::Register {
        types: &["Register"],
        calls: &[Call::in_all_blocks("Register.read"), Call::in_all_blocks("Register.write")],
        cell: Out::Result,
    },
];

type Site<'a> = CallSite<'a, Fields>;

/// The members of `PSA_MeterColor_t`: green, yellow and red.
const COLOURS: Colours = Colours([1, 2, 0]);

/// The hash with this name in `PSA_HashAlgorithm_t`.
fn algorithm(name: &str) -> Option<HashKind> {
    Some(HashKind::Data(match name {
        "IDENTITY" => Algorithm::Identity,
        "CRC32" => Algorithm::Crc32,
        "CRC32_CUSTOM" => Algorithm::Crc32Custom,
        "CRC16" | "TARGET_DEFAULT" => Algorithm::Crc16,
        "CRC16_CUSTOM" => Algorithm::Crc16Custom,
        "ONES_COMPLEMENT16" => Algorithm::Csum16,
        _ => return None,
    }))
}

/// Refuses checksum objects that several blocks use: the sum of an object begins with 0 in each
/// block.
pub(super) fn shared_checksums(program: &Program, package: &Package) -> Vec<LoadError> {
    let mut seen: BTreeSet<ExternId> = BTreeSet::new();
    let mut errors = Vec::new();
    for role in ARCHITECTURE.blocks {
        let Some((_, block)) = role.find(package) else { continue };
        let mut here = BTreeSet::new();
        for stmt in reached_statements(program, block) {
            let StmtKind::Extern(call) = &stmt.kind else { continue };
            let Some(object) = call.instance else { continue };
            let instance = &program.externs[object];
            if !matches!(instance.kind.as_str(), "Checksum" | "InternetChecksum") || !here.insert(object) {
                continue;
            }
            if !seen.insert(object) {
                let message = format!("the {} `{}` is used by several blocks", instance.kind, instance.name);
                let help = "an object of its own for each block: sums do not go from block to block; \
                            `get_state` and `set_state` carry one in metadata";
                let error = LoadError::new(program, LoadErrorKind::Misplaced, stmt.loc, message);
                errors.push(LoadError { help: Some(help.to_owned()), ..error });
            }
        }
    }
    errors
}
