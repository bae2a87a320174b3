//! `Lpf` and `Wred`: low-pass filters, and random drops that depend on their output.
//!
//! A cell is a cell of a register, so controllers set and read it like one. Its first fields are
//! the specification, the others are the state of the filter.

use weir_device::Nanos;
use weir_ir::{Bits, ConstArg};

use super::super::tables::FILTER;
use super::direct_register::Cells;
use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::{Out, draw_number};
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::low_pass::{Level, LowPass};
use crate::externs::register::RegisterArray;
use crate::path::{ExternContext, ResolvedCall, low_bits, number, write_value};

pub(super) struct Filter;

/// The fields of a cell of `Lpf`. A field has at most 64 bits, so it is one word.
const LPF_FIELDS: [(&str, u32); 6] = [
    ("is_rate", 1),
    ("gain_time_constant_ps", 64),
    ("decay_time_constant_ps", 64),
    ("out_scale_down_factor", 5),
    LEVEL,
    UPDATED,
];

/// The fields of a cell of `Wred`.
const WRED_FIELDS: [(&str, u32); 6] = [
    ("time_constant_ps", 64),
    ("min_thresh_cells", 32),
    ("max_thresh_cells", 32),
    ("max_probability_billionths", 30),
    LEVEL,
    UPDATED,
];

const LEVEL: (&str, u32) = ("level", 64);
const UPDATED: (&str, u32) = ("updated_ns", 64);

/// The largest threshold of a `Wred` that the chip can store.
const MAX_THRESHOLD: u64 = 0xff00_0000;

/// The words in which a cell of `Wred` begins: no level reaches the thresholds.
const WRED_INITIAL: [u64; 6] = [0, MAX_THRESHOLD, MAX_THRESHOLD, 0, 0, 0];

/// The probability 1.
const BILLION: u64 = 1_000_000_000;

impl Extern<Lengths> for Filter {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_all_blocks("DirectLpf.execute"),
                Call::in_all_blocks("DirectWred.execute"),
                Call::in_all_blocks("Lpf.execute"),
                Call::in_all_blocks("Wred.execute"),
            ]
        }
    }

    fn types(&self) -> &'static [&'static str] {
        &["DirectLpf", "DirectWred", "Lpf", "Wred"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let kind = object.instance.kind.as_str();
        let (fields, initial) = match kind {
            "Lpf" | "DirectLpf" => (LPF_FIELDS, None),
            _ => (WRED_FIELDS, Some(WRED_INITIAL.to_vec())),
        };
        let fields: Vec<_> = fields.into_iter().map(|(name, width)| (name.to_owned(), width)).collect();
        if kind.starts_with("Direct") {
            return Ok(super::direct_register::state(object, fields, initial));
        }
        let size = object.cells(0, RegisterArray::cell_bytes(&fields))?;
        Ok(ExternState::register(size, fields, initial, true))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (input, result) = (site.value(0)?, Out::Result.value(site)?);
        let Some(result) = result else { return Ok(ResolvedCall::no_effect()) };
        let is_direct = site.call.callee.starts_with("Direct");
        let index = if is_direct { None } else { Some(site.value(1)?) };
        let cells = Cells::of(site, FILTER)?;
        let is_wred = site.call.callee.ends_with("Wred.execute");
        let first = usize::from(!is_direct);
        let marks =
            if is_wred { Some([drop_value(site, first)?, drop_value(site, first + 1)?]) } else { None };
        Ok(ResolvedCall::new(move |env, words| {
            let input = low_bits(words, input);
            let index = index.map_or(Some(0), |index| number(words, index));
            let output = match (cells.find(env, index), marks) {
                (Some((cells, index)), None) => filter(cells, index, env.context.now, input),
                (Some((cells, index)), Some([drop, keep])) => {
                    if is_dropped(env, (cells, index), input) {
                        drop
                    } else {
                        keep
                    }
                }
                (None, None) => input,
                (None, Some([_, keep])) => keep,
            };
            let most = u64::MAX.checked_shr(64 - result.width.min(64)).unwrap_or(0);
            write_value(words, result, u128::from(output.min(most)));
            Ok(())
        }))
    }
}

/// Returns the result of `Wred` that the constructor argument at this position gives.
fn drop_value(site: &Site<'_>, position: usize) -> Result<u64, LoadError> {
    match site.program.externs[site.object()?].args.get(position) {
        Some(ConstArg::Bits(_, value)) => Ok(value.low_u64()),
        _ => Err(site.unsupported("a Wred without values for its results".to_owned(), None)),
    }
}

/// Computes the output of an `Lpf` for an input.
fn filter(cells: &RegisterArray, index: u64, now: Nanos, input: u64) -> u64 {
    let mut cell = [0; 6];
    cells.read_words(index, &mut cell);
    let [is_rate, gain, decay, scale, level, updated] = cell;
    let low_pass = LowPass { is_rate: is_rate == 1, gain, decay };
    let Level(level) = low_pass.update(Level(level), now.saturating_sub(updated), input);
    (cell[4], cell[5]) = (level, updated.max(now));
    cells.write_words(index, &cell);
    Level(level >> scale).whole()
}

/// Returns whether a `Wred` drops the packet with this input. Between the thresholds, the
/// probability grows linearly from 0 to its maximum; above them, all packets are dropped.
fn is_dropped(env: &mut ExternContext<'_, '_>, (cells, index): (&RegisterArray, u64), input: u64) -> bool {
    let mut cell = [0; 6];
    cells.read_words(index, &mut cell);
    let [constant, min, max, most, level, updated] = cell;
    let now = env.context.now;
    let low_pass = LowPass { is_rate: false, gain: constant, decay: constant };
    let level = low_pass.update(Level(level), now.saturating_sub(updated), input);
    (cell[4], cell[5]) = (level.0, updated.max(now));
    cells.write_words(index, &cell);
    let (min, max) = (Level::of(min), Level::of(max));
    if level.0 >= max.0 || level.0 <= min.0 {
        return level.0 >= max.0;
    }
    let share = u128::from(most) * u128::from(level.0 - min.0) / u128::from(max.0 - min.0);
    let drawn = draw_number(env, (Bits::zero(64), Bits::new(64, u128::from(BILLION - 1))));
    u128::from(drawn.low_u64()) < share
}
