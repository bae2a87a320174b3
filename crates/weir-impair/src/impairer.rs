//! The effects on each frame.
//!
//! Each effect has its own random stream and draws once for each frame, so that turning one effect
//! on or off does not change another.

use crate::loss::Losses;
use crate::{Correlated, Impairments};

/// The effect of the impairments on one frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameEffects {
    /// The frame is lost.
    pub lost: bool,
    /// The number of nanoseconds to add to the delay; may be negative.
    pub extra: i64,
    /// A duplicate arrives directly after the frame, unless the frame is lost.
    pub duplicated: bool,
    /// The frame may be reordered: it may arrive before frames sent earlier, and later frames
    /// before it.
    pub overtakes: bool,
    /// The random number that selects the bit to flip, if one is flipped; see
    /// [`FrameEffects::corrupt`].
    corrupted: Option<u64>,
}

impl FrameEffects {
    /// Flips a bit of the frame if these effects include corruption. Returns whether a bit was
    /// flipped.
    pub fn corrupt(&self, bytes: &mut [u8]) -> bool {
        let Some(draw) = self.corrupted else { return false };
        let bit = ((u128::from(draw) * (bytes.len() as u128 * 8)) >> 64) as usize;
        let Some(byte) = bytes.get_mut(bit / 8) else { return false };
        *byte ^= 1 << (bit % 8);
        true
    }
}

/// The state of the impairments of one direction.
#[derive(Clone, Debug)]
pub struct Impairer {
    config: Impairments,
    /// Whether there are no effects at all.
    inactive: bool,
    jitter: Correlated,
    loss: Correlated,
    duplicate: Correlated,
    reorder: Correlated,
    corrupt: Correlated,
    losses: Losses,
}

impl Impairer {
    /// Creates an impairer; `name` names the place where frames are impaired, such as `link
    /// h1-eth0->s1-p1`.
    pub fn new(config: &Impairments, seed: u64, name: &str) -> Self {
        let stream = |effect| Correlated::new(seed, &format!("{name} {effect}"));
        Impairer {
            inactive: *config == Impairments::default(),
            config: config.clone(),
            jitter: stream("jitter"),
            loss: stream("loss"),
            duplicate: stream("duplicate"),
            reorder: stream("reorder"),
            corrupt: stream("corrupt"),
            losses: Losses::default(),
        }
    }

    /// Changes the settings, starting with the next frame. The random streams continue. A changed
    /// loss model starts in its initial state.
    pub fn set_config(&mut self, config: &Impairments) {
        if config.loss != self.config.loss {
            self.losses = Losses::default();
        }
        self.inactive = *config == Impairments::default();
        self.config = config.clone();
    }

    /// Draws the effects on the next frame.
    pub fn next_effects(&mut self) -> FrameEffects {
        if self.inactive {
            return FrameEffects::default();
        }
        let Impairments { jitter, overtake, loss, duplicate, reorder, corrupt, correlation } = &self.config;
        let lost = self.losses.next(loss, &mut self.loss, correlation.loss);
        let mut extra = if correlation.jitter == 0.0 {
            jitter.draw(&mut self.jitter.random)
        } else {
            jitter.quantile(self.jitter.unit(correlation.jitter))
        };
        let duplicated = *duplicate > 0.0 && self.duplicate.chance(*duplicate, correlation.duplicate);
        let mut overtakes = *overtake;
        if let Some((share, by)) = *reorder
            && self.reorder.chance(share, correlation.reorder)
        {
            extra = extra.saturating_add(by as i64);
            overtakes = true;
        }
        let corrupted = (*corrupt > 0.0 && self.corrupt.chance(*corrupt, correlation.corrupt))
            .then(|| self.corrupt.random.next_u64());
        FrameEffects { lost, extra, duplicated, overtakes, corrupted }
    }
}
