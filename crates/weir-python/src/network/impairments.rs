//! Converts jitter, loss and correlations from their Python form.

use pyo3::prelude::*;
use weir_sim::{Correlations, Jitter, Loss};

use crate::errors;

/// The correlations of the effects on packets, each from 0 to 1.
#[derive(FromPyObject)]
pub(super) struct CorrelationsOf {
    jitter: f64,
    loss: f64,
    duplicate: f64,
    reorder: f64,
    corrupt: f64,
}

impl From<CorrelationsOf> for Correlations {
    fn from(correlations: CorrelationsOf) -> Self {
        let CorrelationsOf { jitter, loss, duplicate, reorder, corrupt } = correlations;
        Correlations { jitter, loss, duplicate, reorder, corrupt }
    }
}

/// A jitter model: the distribution, the times in nanoseconds, and the shape parameter.
#[derive(FromPyObject)]
pub(super) struct JitterModel {
    kind: String,
    times: Vec<u64>,
    shape: f64,
}

/// A loss model: its name, its probabilities, and its numbers of packets.
#[derive(FromPyObject)]
pub(super) struct LossModel {
    kind: String,
    shares: Vec<f64>,
    numbers: Vec<u64>,
}

/// Converts jitter.
pub(super) fn jitter(JitterModel { kind, times, shape }: &JitterModel) -> PyResult<Jitter> {
    Ok(match (kind.as_str(), times.as_slice()) {
        ("none", []) => Jitter::None,
        ("uniform", [most]) => Jitter::Uniform(*most),
        ("around", [spread]) => Jitter::UniformAround(*spread),
        ("normal", [sigma]) => Jitter::Normal { sigma: *sigma },
        ("exponential", [mean]) => Jitter::Exponential { mean: *mean },
        ("pareto", [scale]) => Jitter::Pareto { scale: *scale, shape: *shape },
        ("pareto around", [sigma]) => Jitter::ParetoAround { sigma: *sigma },
        ("pareto normal around", [sigma]) => Jitter::ParetoNormalAround { sigma: *sigma },
        ("table", values) => Jitter::Table(values.into()),
        (other, _) => return Err(errors::network_error(format!("there is no jitter {other}"))),
    })
}

/// Converts a loss model.
pub(super) fn loss(LossModel { kind, shares, numbers }: &LossModel) -> PyResult<Loss> {
    Ok(match (kind.as_str(), shares.as_slice(), numbers.as_slice()) {
        ("random", [0.0], []) => Loss::None,
        ("random", [share], []) => Loss::Random(*share),
        ("gilbert-elliott", [enter, leave, good, bad], []) => {
            Loss::GilbertElliott { enter: *enter, leave: *leave, good: *good, bad: *bad }
        }
        ("four states", [p13, p31, p32, p23, p14], []) => {
            Loss::FourState { p13: *p13, p31: *p31, p32: *p32, p23: *p23, p14: *p14 }
        }
        ("every", [], [n]) => Loss::Every(*n),
        ("frames", [], numbers) => Loss::Frames(numbers.into()),
        (other, ..) => return Err(errors::network_error(format!("there is no loss {other}"))),
    })
}
