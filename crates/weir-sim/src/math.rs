//! The functions of real numbers that distributions need.
//!
//! The standard library's differ between platforms and some between debug and release builds; these are one piece of code everywhere,
//! so that equal seeds give equal bytes. `+ - * / sqrt` are exact by IEEE 754 and may be used as they are.

use crate::Random;

/// The natural logarithm.
pub(crate) fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `x` to the power of `y`.
pub(crate) fn power(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// The nearest whole number, halves away from zero, held within what 64 signed bits take.
pub(crate) fn whole(x: f64) -> i64 {
    libm::round(x) as i64
}

/// A number of the standard normal distribution (Box and Muller: always two draws).
pub(crate) fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * ln(random.positive_unit())).sqrt();
    radius * libm::cos(2.0 * std::f64::consts::PI * random.unit())
}

/// A number of the exponential distribution of mean 1.
pub(crate) fn exponential(random: &mut Random) -> f64 {
    -ln(random.positive_unit())
}

/// A number of the Pareto distribution of minimum 1: P(X > x) = x^-shape.
pub(crate) fn pareto(random: &mut Random, shape: f64) -> f64 {
    power(random.positive_unit(), -1.0 / shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean and standard deviation of 200 000 draws.
    fn moments(mut draw: impl FnMut(&mut Random) -> f64) -> (f64, f64) {
        let mut random = Random::new(11, "moments");
        let values: Vec<f64> = (0..200_000).map(|_| draw(&mut random)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / values.len() as f64;
        (mean, variance.sqrt())
    }

    #[test]
    fn distributions_have_their_moments() {
        let (mean, deviation) = moments(normal);
        assert!(mean.abs() < 0.01 && (deviation - 1.0).abs() < 0.01, "normal {mean} {deviation}");
        let (mean, deviation) = moments(exponential);
        assert!(
            (mean - 1.0).abs() < 0.01 && (deviation - 1.0).abs() < 0.02,
            "exponential {mean} {deviation}"
        );
        // Of shape 5: mean 5/4, variance 5/(16·3).
        let (mean, deviation) = moments(|random| pareto(random, 5.0));
        assert!((mean - 1.25).abs() < 0.01 && (deviation - 0.3227).abs() < 0.02, "pareto {mean} {deviation}");
    }

    #[test]
    fn a_normal_distribution_has_its_tails() {
        let mut random = Random::new(3, "tails");
        let beyond = (0..100_000).filter(|_| normal(&mut random).abs() > 1.959_964).count();
        // 5 % of them; a standard deviation is 69.
        assert!((4700..5300).contains(&beyond), "{beyond}");
    }
}
