//! What is added to frames' delay.

use std::sync::Arc;

use weir_device::Nanos;

use super::{bad, time};
use crate::time::MAX_DURATION;
use crate::{Error, Random, math};

/// What is added to each frame's propagation delay, drawn anew for each frame. The sum is never below 0: a distribution around 0 is
/// cut at minus the delay.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Jitter {
    /// Nothing.
    #[default]
    None,
    /// Uniform from 0 to so many nanoseconds, both included.
    Uniform(Nanos),
    /// Uniform around 0, from minus to plus so many nanoseconds: netem's `delay D J`.
    UniformAround(Nanos),
    /// Normal around 0.
    Normal {
        /// The standard deviation in nanoseconds.
        sigma: Nanos,
    },
    /// Exponential: as between events that do not know of one another.
    Exponential {
        /// The mean in nanoseconds.
        mean: Nanos,
    },
    /// Pareto: P(more than x) = (scale / x)^shape. Its mean is scale · shape / (shape - 1) where the shape is above 1.
    Pareto {
        /// The least, in nanoseconds.
        scale: Nanos,
        /// How fast the tail falls, above 0; heavy below 2.
        shape: f64,
    },
    /// netem's `distribution pareto`: sigma · 4/3 · (X - 1.5), X Pareto of minimum 1 and shape 3, cut at 4 sigma.
    ParetoAround {
        /// netem's jitter, in nanoseconds.
        sigma: Nanos,
    },
    /// netem's `distribution paretonormal`: a quarter of [`Jitter::Normal`] and three quarters of [`Jitter::ParetoAround`], both of one draw.
    ParetoNormalAround {
        /// netem's jitter, in nanoseconds.
        sigma: Nanos,
    },
    /// One of these values in nanoseconds, each as likely: a measured distribution.
    Table(Arc<[Nanos]>),
}

impl Jitter {
    pub(super) fn check(&self) -> Result<(), Error> {
        match self {
            Jitter::None => Ok(()),
            // Twice the bound has to fit, too.
            Jitter::UniformAround(bound) => time("jitter", bound.saturating_mul(2)),
            Jitter::Uniform(time_or_scale)
            | Jitter::Normal { sigma: time_or_scale }
            | Jitter::Exponential { mean: time_or_scale }
            | Jitter::ParetoAround { sigma: time_or_scale }
            | Jitter::ParetoNormalAround { sigma: time_or_scale } => time("jitter", *time_or_scale),
            Jitter::Pareto { scale, shape } => {
                time("jitter", *scale)?;
                // The tail of smaller shapes leaves the range of numbers too often to mean anything.
                if (0.1..=1e6).contains(shape) {
                    return Ok(());
                }
                bad("jitter", format!("shape {shape}"), "a shape from 0.1 to 1000000")
            }
            Jitter::Table(values) => {
                if values.is_empty() {
                    return bad("jitter", "a table without values".into(), "at least one");
                }
                values.iter().try_for_each(|value| time("jitter", *value))
            }
        }
    }

    /// Nanoseconds to add, perhaps below 0; within ± 2^62.
    pub(crate) fn draw(&self, random: &mut Random) -> i64 {
        match self {
            Jitter::None => 0,
            Jitter::Uniform(bound) => random.up_to(*bound) as i64,
            Jitter::UniformAround(bound) => random.up_to(2 * bound) as i64 - *bound as i64,
            Jitter::Normal { sigma } => scaled(*sigma, math::normal(random)),
            Jitter::Exponential { mean } => scaled(*mean, math::exponential(random)),
            Jitter::Pareto { scale, shape } => scaled(*scale, math::pareto(random, *shape)),
            Jitter::ParetoAround { sigma } => scaled(*sigma, around(math::pareto(random, 3.0))),
            Jitter::ParetoNormalAround { .. } => self.quantile(random.unit()),
            Jitter::Table(values) => values[random.up_to(values.len() as u64 - 1) as usize] as i64,
        }
    }

    /// The value that a share `at` of all draws, from 0 up to 1, lies below.
    pub(super) fn quantile(&self, at: f64) -> i64 {
        // Both ends of the range have finite logarithms.
        let at = at.clamp(1e-12, 1.0 - 1e-12);
        let pareto = |shape: f64| math::power(1.0 - at, -1.0 / shape);
        match self {
            Jitter::None => 0,
            Jitter::Uniform(bound) => scaled(*bound, at),
            Jitter::UniformAround(bound) => scaled(*bound, 2.0 * at - 1.0),
            Jitter::Normal { sigma } => scaled(*sigma, math::normal_quantile(at)),
            Jitter::Exponential { mean } => scaled(*mean, -math::ln(1.0 - at)),
            Jitter::Pareto { scale, shape } => scaled(*scale, pareto(*shape)),
            Jitter::ParetoAround { sigma } => scaled(*sigma, around(pareto(3.0))),
            Jitter::ParetoNormalAround { sigma } => {
                scaled(*sigma, 0.25 * math::normal_quantile(at) + 0.75 * around(pareto(3.0)))
            }
            Jitter::Table(values) => {
                let place = (at * values.len() as f64) as usize;
                values[place.min(values.len() - 1)] as i64
            }
        }
    }
}

/// So many times a unit, within ± 2^62.
fn scaled(unit: Nanos, by: f64) -> i64 {
    let longest = MAX_DURATION as i64;
    math::whole(unit as f64 * by).clamp(-longest, longest)
}

/// netem's table of the Pareto distribution, from a draw of shape 3.
fn around(pareto: f64) -> f64 {
    ((pareto - 1.5) * 4.0 / 3.0).min(4.0)
}
