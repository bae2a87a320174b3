//! Random numbers from a range.

use weir_exec::FrameValue;
use weir_ir::Bits;

use crate::externs::random;
use crate::path::ExternContext;
use crate::state::ThreadState;
use crate::trace::StepKind;

/// Sets a result to a random number from `low` to `high`.
pub(in crate::arch) fn draw(
    env: &mut ExternContext<'_, '_>,
    words: &mut [u64],
    result: Option<FrameValue>,
    range: (Bits, Bits),
) {
    let value = draw_number(env, range);
    if let Some(result) = result {
        value.resize(result.width).write_words(&mut words[result.words()]);
    }
}

/// Draws a random number from `low` to `high`.
pub(in crate::arch) fn draw_number(env: &mut ExternContext<'_, '_>, (low, high): (Bits, Bits)) -> Bits {
    let ThreadState { random, choices, .. } = &mut *env.context.thread;
    let (value, choice) = random::choose(random, choices, &low, &high);
    env.trace(|| StepKind::Drawn { value: value.clone(), low, high, choice });
    value
}
