//! HyStart++ (RFC 9406): ends the first slow start when round-trip times rise, without waiting for
//! a loss. Before that, the window grows at a quarter of slow start's rate for five round trips.

use super::Acked;
use crate::Nanos;

const MIN_RTT_THRESH: Nanos = 4_000_000;
const MAX_RTT_THRESH: Nanos = 16_000_000;
const MIN_RTT_DIVISOR: Nanos = 8;
const N_RTT_SAMPLE: u32 = 8;
const CSS_GROWTH_DIVISOR: u64 = 4;
const CSS_ROUNDS: u32 = 5;
/// The limit L on growth for senders that do not pace.
pub(super) const GROWTH_LIMIT: u64 = 8;

/// The state of RFC 9406, section 4.2. RTTs are None where the RFC uses infinity.
#[derive(Clone, Debug)]
pub(super) struct HyStartPlusPlus {
    last_round: Option<Nanos>,
    this_round: Option<Nanos>,
    samples: u32,
    conservative: Option<Conservative>,
}

/// Conservative slow start: the window grows by a quarter of the usual growth, to see whether the
/// longer RTTs persist.
#[derive(Clone, Debug)]
struct Conservative {
    baseline: Nanos,
    rounds: u32,
}

impl HyStartPlusPlus {
    pub fn new() -> Self {
        HyStartPlusPlus { last_round: None, this_round: None, samples: 0, conservative: None }
    }

    /// Returns the divisor of the growth, and whether slow start is over.
    pub fn observe(&mut self, acked: &Acked) -> (u64, bool) {
        if acked.round_start {
            self.last_round = self.this_round.take();
            self.samples = 0;
            if let Some(css) = &mut self.conservative {
                css.rounds += 1;
                if css.rounds >= CSS_ROUNDS {
                    return (CSS_GROWTH_DIVISOR, true);
                }
            }
        }
        if let Some(rtt) = acked.rtt {
            self.this_round = Some(self.this_round.map_or(rtt, |least| least.min(rtt)));
            self.samples = self.samples.saturating_add(1);
        }
        if self.samples >= N_RTT_SAMPLE
            && let Some(this) = self.this_round
        {
            match &self.conservative {
                Some(css) if this < css.baseline => self.conservative = None,
                Some(_) => {}
                None => {
                    if let Some(last) = self.last_round {
                        let threshold = (last / MIN_RTT_DIVISOR).clamp(MIN_RTT_THRESH, MAX_RTT_THRESH);
                        if this >= last.saturating_add(threshold) {
                            self.conservative = Some(Conservative { baseline: this, rounds: 0 });
                        }
                    }
                }
            }
        }
        (if self.conservative.is_some() { CSS_GROWTH_DIVISOR } else { 1 }, false)
    }
}
