//! v1model's externs, one file each. To add an extern, add a file here and a line in [`EXTERNS`].

mod checksum;
mod checksum16;
mod clone;
mod digest;
mod direct_counter;
mod direct_meter;
mod hash;
mod log_msg;
mod mark_to_drop;
mod random;
mod recirculate;
mod truncate;

use weir_exec::FrameValue;
use weir_ir::{ArgValue, Expr, ExprKind, Leaf, Program, Type, VarId};

use super::metadata::Fields;
use crate::arch::calls::Call;
use crate::arch::externs::{CallSite, Extern};
use crate::arch::families::{self, Colours, Out};
use crate::error::LoadError;
use crate::externs::calls::{calculation_names, calculations};
use crate::externs::hash::{Algorithm, HashKind};
use crate::packet::Keep;
use crate::path::low_bits;

/// All externs of v1model.
pub(super) const EXTERNS: &[&dyn Extern<V1Model>] = &[
    &families::ActionProfile {
        types: &["action_profile", "action_selector"],
        algorithms: "HashAlgorithm",
        hash: HashKind::from_name,
    },
    &families::Assert,
    &checksum16::Checksum16,
    &checksum::Checksum,
    &clone::Clone,
    &families::Counter { types: &["counter"], calls: &[Call::in_all_blocks("counter.count")] },
    &digest::Digest,
    &direct_counter::DirectCounter,
    &hash::Hash,
    &log_msg::LogMsg,
    &mark_to_drop::MarkToDrop,
    &direct_meter::DirectMeter,
    &families::Meter {
        types: &["meter"],
        calls: &[Call::in_all_blocks("meter.execute_meter")],
        colour: Out::Argument(1),
        colours: Colours([0, 1, 2]),
        results: |_| None,
    },
    &random::Random,
    &recirculate::Recirculate,
    &recirculate::Resubmit,
    &families::Register {
        types: &["register"],
        calls: &[Call::in_all_blocks("register.read"), Call::in_all_blocks("register.write")],
        cell: Out::Argument(0),
    },
    &truncate::Truncate,
];

/// The facts about a program that v1model's externs need.
pub(super) struct V1Model {
    pub fields: Fields,
    /// The members of `HashAlgorithm` by ordinal.
    hashes: Vec<(String, Option<HashKind>)>,
    /// The first name of each calculation whose parameters can be set.
    calculations: Vec<String>,
    /// The value of `egress_spec` that means "drop".
    pub drop_port: u64,
}

type Site<'a> = CallSite<'a, V1Model>;

impl V1Model {
    pub(super) fn new(program: &Program, fields: Fields, drop_port: u64) -> Self {
        let members = program.enums.values().filter(|e| e.name == "HashAlgorithm").flat_map(|e| &e.members);
        let hashes = members.map(|name| (name.clone(), HashKind::from_name(name))).collect();
        let calculations = calculations(program).into_iter().map(|(mut names, _)| names.swap_remove(0));
        Self { fields, hashes, calculations: calculations.collect(), drop_port }
    }
}

/// The algorithm of a checksum or hash.
#[derive(Clone)]
enum HashAlgorithm {
    Known(HashKind),
    /// The program chooses the algorithm at run time: the argument is an ordinal of these
    /// algorithms.
    Argument(FrameValue, Vec<Option<HashKind>>),
}

impl HashAlgorithm {
    /// Returns the algorithm that the argument at this position names.
    fn from_argument(site: &Site<'_>, position: usize) -> Result<Self, LoadError> {
        let hashes = &site.architecture.hashes;
        let is_algorithm = site.leaves(position).is_some_and(|leaves| {
            matches!(leaves, [Leaf::Value(expr)]
                if matches!(expr.ty, Type::Enum(id) if site.program.enums[id].name == "HashAlgorithm"))
        });
        let Some(ordinal) = site.constant(position).filter(|_| is_algorithm) else {
            let kinds = hashes.iter().map(|(_, kind)| *kind).collect();
            return Ok(Self::Argument(site.value(position)?, kinds));
        };
        match hashes.get(ordinal.low_u64() as usize) {
            Some((_, Some(kind))) => Ok(Self::Known(Self::calculation(site).unwrap_or(*kind))),
            unknown => {
                let name = unknown.map_or("", |(name, _)| name);
                let feature = format!("HashAlgorithm.{name} in `{}`", site.call.callee);
                Err(site.unsupported(feature, None))
            }
        }
    }

    /// Returns the first calculation that p4c makes from this call.
    fn calculation(site: &Site<'_>) -> Option<HashKind> {
        let name = calculation_names(site.call).next()?;
        let index = site.architecture.calculations.iter().position(|known| known == name)?;
        Some(HashKind::Data(Algorithm::Calculation(index)))
    }

    fn kind(&self, words: &[u64]) -> Option<HashKind> {
        match self {
            Self::Known(kind) => Some(*kind),
            Self::Argument(ordinal, kinds) => {
                kinds.get(usize::try_from(ordinal.read(words).to_u64()?).ok()?).copied()?
            }
        }
    }

    /// Returns whether the value depends on the data alone, and not on random numbers or on
    /// parameters that the control plane sets.
    fn is_pure(&self) -> bool {
        match self {
            Self::Known(HashKind::Data(algorithm)) => !algorithm.is_custom(),
            Self::Known(HashKind::Random) | Self::Argument(..) => false,
        }
    }
}

/// The metadata that a packet keeps in its next pass, or that a clone keeps of its original.
#[derive(Clone)]
enum Kept {
    Known(Keep),
    /// The field list whose number is this argument.
    List(FrameValue),
}

impl Kept {
    /// Keeps the field list whose number is the argument at this position.
    fn list(site: &Site<'_>, position: usize) -> Result<Self, LoadError> {
        Ok(Self::List(site.value(position)?))
    }

    /// Keeps the metadata that an argument of the old forms of clone, resubmit and recirculate
    /// names. Fields of headers, constants and computed values are not kept.
    fn from_data(site: &Site<'_>, position: usize) -> Self {
        let Some(ArgValue::Leaves(leaves)) = site.call.args.get(position).map(|arg| &arg.value) else {
            return Self::Known(Keep::Nothing);
        };
        let metadata = |leaf: &Leaf| match leaf {
            Leaf::Value(Expr { kind: ExprKind::Var(var), .. })
                if site.architecture.fields.is_metadata(*var) =>
            {
                Some(*var)
            }
            _ => None,
        };
        Self::Known(Keep::Vars(leaves.iter().filter_map(metadata).collect::<Vec<VarId>>()))
    }

    fn keep(&self, words: &[u64]) -> Keep {
        match self {
            Self::Known(keep) => keep.clone(),
            Self::List(list) => Keep::List(low_bits(words, *list) & 0xff),
        }
    }
}
