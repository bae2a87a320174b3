//! Mathematical functions for distributions.
//!
//! The functions of the standard library differ between platforms and between debug and release
//! builds. The functions in this module give the same bits everywhere. `+ - * / sqrt` also do,
//! because IEEE 754 defines their results exactly, and may be used directly.

use crate::Random;

/// Returns the natural logarithm.
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Returns `x` to the power of `y`.
pub fn power(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// Rounds to the nearest integer, halves away from zero, and clamps to the range of `i64`.
pub fn round_to_i64(x: f64) -> i64 {
    libm::round(x) as i64
}

/// Draws a standard normal random number (Box-Muller method, which draws two numbers each time).
pub fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * ln(random.positive_unit())).sqrt();
    radius * libm::cos(2.0 * std::f64::consts::PI * random.unit())
}

/// Returns the quantile function of the standard normal distribution for `p` between 0 and 1
/// exclusive, to 7 digits (M. J. Wichura 1988, algorithm AS 241, PPND7).
pub fn normal_quantile(p: f64) -> f64 {
    let fraction = |above: [f64; 4], below: [f64; 3], r: f64| {
        let [a0, a1, a2, a3] = above;
        let [b1, b2, b3] = below;
        (((a3 * r + a2) * r + a1) * r + a0) / (((b3 * r + b2) * r + b1) * r + 1.0)
    };
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let above = [3.387_132_717_9, 50.434_271_938, 159.291_132_02, 59.109_374_720];
        return q * fraction(above, [17.895_169_469, 78.757_757_664, 67.187_563_600], 0.180_625 - q * q);
    }
    let r = (-ln(if q < 0.0 { p } else { 1.0 - p })).sqrt();
    let value = if r <= 5.0 {
        let above = [1.423_437_277_7, 2.756_815_390_0, 1.306_728_481_6, 0.170_238_211_03];
        fraction(above, [0.737_001_642_50, 0.120_211_329_75, 0.0], r - 1.6)
    } else {
        let above = [6.657_905_115_0, 3.081_226_386_0, 0.428_682_943_37, 0.017_337_203_997];
        fraction(above, [0.241_978_942_25, 0.012_258_202_635, 0.0], r - 5.0)
    };
    if q < 0.0 { -value } else { value }
}

/// Draws an exponential random number with mean 1.
pub fn exponential(random: &mut Random) -> f64 {
    -ln(random.positive_unit())
}

/// Draws a Pareto random number with minimum 1: P(X > x) = x^-shape.
pub fn pareto(random: &mut Random, shape: f64) -> f64 {
    power(random.positive_unit(), -1.0 / shape)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the mean and the standard deviation of 200 000 draws.
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
        // With shape 5, the mean is 5/4 and the variance 5/(16·3).
        let (mean, deviation) = moments(|random| pareto(random, 5.0));
        assert!((mean - 1.25).abs() < 0.01 && (deviation - 0.3227).abs() < 0.02, "pareto {mean} {deviation}");
    }

    #[test]
    fn normal_quantiles_match_tables() {
        let table = [
            (0.5, 0.0),
            (0.75, 0.674_489_750_196),
            (0.975, 1.959_963_984_540),
            (0.998_650_101_968, 3.0),
            (1e-6, -4.753_424_308_823),
            (1e-12, -7.034_483_825_371),
        ];
        for (p, value) in table {
            assert!((normal_quantile(p) - value).abs() < 2e-6, "{p}: {}", normal_quantile(p));
        }
    }

    #[test]
    fn a_normal_distribution_has_its_tails() {
        let mut random = Random::new(3, "tails");
        let beyond = (0..100_000).filter(|_| normal(&mut random).abs() > 1.959_964).count();
        // The expected share is 5 %; the standard deviation of the count is 69.
        assert!((4700..5300).contains(&beyond), "{beyond}");
    }
}
