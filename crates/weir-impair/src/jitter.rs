//! Jitter, the random part of the delay.

use std::sync::Arc;

use weir_device::Nanos;

use crate::check::{MAX_DURATION, out_of_range, time};
use crate::{OutOfRange, Random, math};

/// The random time added to the propagation delay of each frame, drawn independently for each
/// frame. The sum of both is never below 0: jitter below minus the delay is replaced by minus the
/// delay.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Jitter {
    /// No jitter.
    #[default]
    None,
    /// A uniform distribution from 0 to this many nanoseconds, inclusive.
    Uniform(Nanos),
    /// A uniform distribution from minus this many to plus this many nanoseconds, as netem's `delay
    /// D J`.
    UniformAround(Nanos),
    /// A normal distribution with mean 0.
    Normal {
        /// The standard deviation in nanoseconds.
        sigma: Nanos,
    },
    /// An exponentially distributed jitter.
    Exponential {
        /// The mean in nanoseconds.
        mean: Nanos,
    },
    /// Pareto: P(X > x) = (scale / x)^shape. The mean is scale · shape / (shape - 1) if the shape
    /// is above 1.
    Pareto {
        /// The minimum in nanoseconds.
        scale: Nanos,
        /// The shape, above 0. If the shape is 2 or less, the variance is infinite.
        shape: f64,
    },
    /// netem's `distribution pareto`: sigma · 4/3 · (X - 1.5), where X is Pareto with minimum 1 and
    /// shape 3, cut off at 4 sigma.
    ParetoAround {
        /// netem's jitter, in nanoseconds.
        sigma: Nanos,
    },
    /// netem's `distribution paretonormal`: a quarter of [`Jitter::Normal`] plus three quarters of
    /// [`Jitter::ParetoAround`], both computed from the same random number.
    ParetoNormalAround {
        /// netem's jitter, in nanoseconds.
        sigma: Nanos,
    },
    /// One of these values in nanoseconds with equal probability: a measured distribution.
    Table(Arc<[Nanos]>),
}

impl Jitter {
    /// Checks that the jitter's settings are in range.
    pub(crate) fn check(&self) -> Result<(), OutOfRange> {
        match self {
            Jitter::None => Ok(()),
            // Twice the bound must also be in range.
            Jitter::UniformAround(bound) => time("jitter", bound.saturating_mul(2)),
            Jitter::Uniform(time_or_scale)
            | Jitter::Normal { sigma: time_or_scale }
            | Jitter::Exponential { mean: time_or_scale }
            | Jitter::ParetoAround { sigma: time_or_scale }
            | Jitter::ParetoNormalAround { sigma: time_or_scale } => time("jitter", *time_or_scale),
            Jitter::Pareto { scale, shape } => {
                time("jitter", *scale)?;
                // With a smaller shape, most values would exceed the range of the numbers.
                if (0.1..=1e6).contains(shape) {
                    return Ok(());
                }
                out_of_range("jitter", format!("shape {shape}"), "a shape from 0.1 to 1000000")
            }
            Jitter::Table(values) => {
                if values.is_empty() {
                    return out_of_range("jitter", "a table without values".into(), "at least one");
                }
                values.iter().try_for_each(|value| time("jitter", *value))
            }
        }
    }

    /// Returns how far below 0 a drawn number may be, in nanoseconds; `None` if there is no bound.
    pub fn max_reduction(&self) -> Option<Nanos> {
        match self {
            Jitter::None
            | Jitter::Uniform(_)
            | Jitter::Exponential { .. }
            | Jitter::Pareto { .. }
            | Jitter::Table(_) => Some(0),
            Jitter::UniformAround(bound) => Some(*bound),
            // The exact bound is 2/3 sigma.
            Jitter::ParetoAround { sigma } => Some(*sigma),
            Jitter::Normal { .. } | Jitter::ParetoNormalAround { .. } => None,
        }
    }

    /// Draws the nanoseconds to add, within ± 2^62; the number may be negative.
    pub(crate) fn draw(&self, random: &mut Random) -> i64 {
        match self {
            Jitter::None => 0,
            Jitter::Uniform(bound) => random.up_to(*bound) as i64,
            Jitter::UniformAround(bound) => random.up_to(2 * bound) as i64 - *bound as i64,
            Jitter::Normal { sigma } => scale_time(*sigma, math::normal(random)),
            Jitter::Exponential { mean } => scale_time(*mean, math::exponential(random)),
            Jitter::Pareto { scale, shape } => scale_time(*scale, math::pareto(random, *shape)),
            Jitter::ParetoAround { sigma } => scale_time(*sigma, netem_pareto(math::pareto(random, 3.0))),
            Jitter::ParetoNormalAround { .. } => self.quantile(random.unit()),
            Jitter::Table(values) => values[random.up_to(values.len() as u64 - 1) as usize] as i64,
        }
    }

    /// Evaluates the quantile function at `at` in [0, 1).
    pub(crate) fn quantile(&self, at: f64) -> i64 {
        // The logarithm is finite at both ends of this range.
        let at = at.clamp(1e-12, 1.0 - 1e-12);
        let pareto = |shape: f64| math::power(1.0 - at, -1.0 / shape);
        match self {
            Jitter::None => 0,
            Jitter::Uniform(bound) => scale_time(*bound, at),
            Jitter::UniformAround(bound) => scale_time(*bound, 2.0 * at - 1.0),
            Jitter::Normal { sigma } => scale_time(*sigma, math::normal_quantile(at)),
            Jitter::Exponential { mean } => scale_time(*mean, -math::ln(1.0 - at)),
            Jitter::Pareto { scale, shape } => scale_time(*scale, pareto(*shape)),
            Jitter::ParetoAround { sigma } => scale_time(*sigma, netem_pareto(pareto(3.0))),
            Jitter::ParetoNormalAround { sigma } => {
                scale_time(*sigma, 0.25 * math::normal_quantile(at) + 0.75 * netem_pareto(pareto(3.0)))
            }
            Jitter::Table(values) => {
                let place = (at * values.len() as f64) as usize;
                values[place.min(values.len() - 1)] as i64
            }
        }
    }
}

/// Returns `by` times the unit, clamped to ± 2^62.
fn scale_time(unit: Nanos, by: f64) -> i64 {
    let longest = MAX_DURATION as i64;
    math::round_to_i64(unit as f64 * by).clamp(-longest, longest)
}

/// Returns netem's Pareto table, computed from a draw with shape 3.
fn netem_pareto(pareto: f64) -> f64 {
    ((pareto - 1.5) * 4.0 / 3.0).min(4.0)
}
