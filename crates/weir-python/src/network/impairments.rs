//! Conversion of jitter, loss and correlations from their Python form.

use pyo3::prelude::*;
use weir_sim::{Correlations, Jitter, Loss};

use crate::errors;

/// The correlations of jitter, loss, duplicates, reordering and corruption: 0 to 1 each.
pub(super) type CorrelationRow = (f64, f64, f64, f64, f64);

pub(super) fn correlations((jitter, loss, duplicate, reorder, corrupt): CorrelationRow) -> Correlations {
    Correlations { jitter, loss, duplicate, reorder, corrupt }
}

/// Converts jitter, given by its kind, its times and its shape.
pub(super) fn jitter((kind, times, shape): &(String, Vec<u64>, f64)) -> PyResult<Jitter> {
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
        (other, _) => return Err(errors::network(format!("there is no jitter {other}"))),
    })
}

/// Converts a loss model, given by its kind, its probabilities and its numbers.
pub(super) fn loss((kind, shares, numbers): &(String, Vec<f64>, Vec<u64>)) -> PyResult<Loss> {
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
        (other, ..) => return Err(errors::network(format!("there is no loss {other}"))),
    })
}
