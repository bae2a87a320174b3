//! `MathUnit`: an approximation of a function by a table of 16 numbers. The upper four bits of the
//! input choose the number; the position of these bits decides how far the number is shifted.

use weir_ir::{Bits, ConstArg, ExternInstance};

use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::path::{ResolvedCall, low_bits, write_value};

pub(super) struct MathUnit;

/// The parameters of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Unit {
    /// Whether the result shrinks when the input grows.
    invert: bool,
    /// The power of the input, as a binary logarithm: 1 for squares, -1 for square roots.
    shift: i32,
    /// The number of bits by which results are shifted to the left.
    scale: i32,
    table: [u8; 16],
}

impl Extern<Lengths> for MathUnit {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("MathUnit.execute")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["MathUnit"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        unit(object.instance, object.member(0)).map_err(|problem| object.malformed(&problem))?;
        Ok(ExternState::Stateless)
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, input) = (site.object()?, site.value(0)?);
        let Some(result) = Out::Result.value(site)? else { return Ok(ResolvedCall::no_effect()) };
        let unit = unit(&site.program.externs[object], site.member(object, 0))
            .map_err(|problem| site.unsupported(problem, None))?;
        Ok(ResolvedCall::new(move |_, words| {
            let output = unit.compute(low_bits(words, input));
            let most = u128::MAX.checked_shr(128 - result.width).unwrap_or(0);
            write_value(words, result, output.min(most));
            Ok(())
        })
        .pure())
    }
}

impl Unit {
    /// Returns the unit that computes `factor` times a function; `None` if there is no such
    /// function.
    fn of(function: &str, factor: f64) -> Option<Self> {
        let (invert, shift) = match function {
            "MUL" => (false, 0),
            "SQR" => (false, 1),
            "SQRT" => (false, -1),
            "DIV" => (true, 0),
            "RSQR" => (true, 1),
            "RSQRT" => (true, -1),
            _ => return None,
        };
        let power = |x: f64| match shift {
            0 => x,
            1 => x * x,
            _ => x.sqrt(),
        };
        let value = |eighths: i32| {
            let power = power(f64::from(eighths) / 8.0);
            factor * if invert { 1.0 / power } else { power }
        };
        // The normal inputs are those from 1 to below 2, or from 1/2 on for roots, whose exponents
        // are even.
        let first = if shift < 0 { 4 } else { 8 };
        let largest = value(if invert { first } else { 15 });
        // The scale with which the largest number of the table has eight bits.
        let mut scale = -32;
        while scale < 31 && largest >= exp2(scale + 8) {
            scale += 1;
        }
        let mut table = [0; 16];
        for at in first..16 {
            let entry = (value(at) / exp2(scale)).round_ties_even();
            table[at as usize] = entry.clamp(0.0, 255.0) as u8;
        }
        Some(Self { invert, shift, scale, table })
    }

    fn compute(self, input: u64) -> u128 {
        let top = input.checked_ilog2().map_or(0, |top| top as i32);
        // Exponents are even for roots.
        let exponent = if self.shift < 0 && top % 2 != 0 { top + 1 } else { top };
        let at = shifted(u128::from(input), 3 - exponent) & 15;
        let power = match self.shift {
            0 => exponent,
            1 => 2 * exponent,
            _ => exponent / 2,
        };
        let power = if self.invert { -power } else { power };
        shifted(u128::from(self.table[at as usize]), self.scale + power)
    }
}

/// Shifts a number to the left, or to the right by a negative number of bits. A number that is too
/// large becomes the largest number.
fn shifted(number: u128, by: i32) -> u128 {
    match u32::try_from(by) {
        Ok(_) if number == 0 => 0,
        Ok(by) if by > number.leading_zeros() => u128::MAX,
        Ok(by) => number << by,
        Err(_) => number.checked_shr(by.unsigned_abs()).unwrap_or(0),
    }
}

/// Computes a power of 2.
fn exp2(power: i32) -> f64 {
    2f64.powi(power)
}

/// Returns the parameters in a constructor, which has a function and one or two factors, or all
/// parameters.
fn unit(object: &ExternInstance, function: Option<&str>) -> Result<Unit, String> {
    if let Some(function) = function {
        let factor = |position: usize| match object.args.get(position) {
            // The type is `int`, so the highest bit is the sign.
            Some(ConstArg::Bits(_, factor)) if !factor.sign_bit() => {
                factor.to_u64().filter(|factor| *factor > 0)
            }
            _ => None,
        };
        let is_ratio = object.args.len() > 2;
        let factor = factor(1).zip(if is_ratio { factor(2) } else { Some(1) });
        let (number, by) = factor.ok_or("its factors must be positive numbers")?;
        let unit = Unit::of(function, number as f64 / by as f64);
        return unit.ok_or_else(|| format!("Weir does not compute MathOp_t.{function}"));
    }
    let [
        ConstArg::Bits(_, invert),
        ConstArg::Bits(_, shift),
        ConstArg::Bits(_, scale),
        ConstArg::List(numbers),
    ] = &object.args[..]
    else {
        return Err("it needs a function and factors, or all its parameters".to_owned());
    };
    let signed = |bits: &Bits| i32::try_from(bits.to_signed()).unwrap_or(0);
    let (shift, scale) = (signed(shift), signed(scale));
    if !(-1..=1).contains(&shift) {
        return Err(format!("its shift is {shift}; it must be -1, 0 or 1"));
    }
    let mut table = [0; 16];
    // The constructor lists the numbers from 15 down.
    for (at, number) in (0..16).rev().zip(numbers) {
        if let ConstArg::Bits(_, number) = number {
            table[at] = number.low_u64() as u8;
        }
    }
    Ok(Unit { invert: !invert.is_zero(), shift, scale, table })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn computed(function: &str, factor: f64, inputs: [u64; 5]) -> [u128; 5] {
        let unit = Unit::of(function, factor).unwrap();
        inputs.map(|input| unit.compute(input))
    }

    #[test]
    fn functions_are_exact_for_four_bits() {
        assert_eq!(computed("MUL", 1.0, [0, 1, 9, 15, 15 << 20]), [0, 1, 9, 15, 15 << 20]);
        assert_eq!(computed("MUL", 2.5, [0, 2, 4, 8, 12]), [0, 5, 10, 20, 30]);
        assert_eq!(computed("SQR", 1.0, [0, 1, 3, 12, 16]), [0, 1, 9, 144, 256]);
        assert_eq!(computed("SQRT", 1.0, [0, 1, 4, 64, 256]), [0, 1, 2, 8, 16]);
        assert_eq!(computed("DIV", 1024.0, [1, 2, 8, 1024, 2048]), [1024, 512, 128, 1, 0]);
        assert_eq!(computed("RSQR", 1024.0, [1, 2, 4, 8, 32]), [1024, 256, 64, 16, 1]);
        assert_eq!(computed("RSQRT", 1024.0, [1, 4, 16, 64, 1 << 20]), [1024, 512, 256, 128, 1]);
        assert_eq!(Unit::of("CUBE", 1.0), None);
    }

    #[test]
    fn results_are_within_about_a_quarter() {
        type Function = fn(f64) -> f64;
        let functions: [(&str, Function); 4] =
            [("MUL", |x| x), ("SQR", |x| x * x), ("SQRT", f64::sqrt), ("DIV", |x| 1e9 / x)];
        for (function, exact) in functions {
            let unit = Unit::of(function, exact(1.0)).unwrap();
            for input in (1u64..100_000).step_by(77) {
                let (result, exact) = (unit.compute(input) as f64, exact(input as f64));
                let error = (result - exact).abs();
                assert!(error <= exact * 0.26 + 1.0, "{function}({input}) = {result}, not {exact}");
            }
        }
    }

    #[test]
    fn results_do_not_wrap() {
        assert_eq!(Unit::of("SQR", 1.0).unwrap().compute(u64::MAX), 225 << 120);
        assert_eq!(shifted(3, 126), 3 << 126);
        assert_eq!([shifted(3, 127), shifted(0, 200), shifted(8, -200)], [u128::MAX, 0, 0]);
    }
}
