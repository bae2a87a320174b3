//! `Hash`: a hash of values.
//!
//! The values are one number, the first value in its upper bits, with zeros before it up to whole
//! bytes.

use std::sync::Arc;

use weir_exec::FrameValue;
use weir_ir::{
    AnnotationArg, AnnotationValue, ArgValue, Bits, ConstArg, Expr, ExprKind, ExternCall, ExternInstance,
    Leaf, Program, VarId,
};

use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::hash_object::{HashFunction, HashInput, HashObject, HashPart, HashSettings, OwnCrc};
use crate::externs::wide_crc::{WideCrc, WideParameters};
use crate::path::{ResolvedCall, valid_values, write_value};

pub(super) struct Hash;

impl Extern<Lengths> for Hash {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("Hash.get")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["Hash"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let polynomial = object.instance.args.get(1);
        let polynomial = polynomial.and_then(|polynomial| match polynomial {
            ConstArg::Extern(id) => Some(&object.program.externs[*id]),
            _ => None,
        });
        let function = function(object.member(0).unwrap_or_default(), polynomial)
            .map_err(|problem| object.malformed(&problem))?;
        let call = object.calls.iter().find(|call| call.callee == "Hash.get");
        let fields = call.map_or_else(Vec::new, |call| fields(object.program, call));
        let inputs = inputs(object.instance, &fields);
        let width = object.instance.type_args.first().map_or(0, |ty| ty.width());
        let (own, settings) = ((function, inputs), HashSettings::default());
        Ok(ExternState::Hash(Arc::new(HashObject { fields, width, own, settings, chosen: None })))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (id, data) = (site.object()?, site.values(0)?);
        let ExternState::Hash(own) = &site.objects[id.index()] else { return Ok(ResolvedCall::no_effect()) };
        let Some(result) = Out::Result.value(site)? else { return Ok(ResolvedCall::no_effect()) };
        let (function, is_plain) = (own.own.0.clone(), own.is_plain());
        Ok(ResolvedCall::new(move |env, words| {
            let hash = match &env.context.control.settings.externs[id.index()] {
                ExternState::Hash(object) if !is_plain || object.settings != HashSettings::default() => {
                    let value = |value: &FrameValue| match value.is_present(words) {
                        true => value.read(words),
                        false => Bits::zero(value.width),
                    };
                    object.compute(&data.iter().map(value).collect::<Vec<_>>())
                }
                _ => {
                    let bits: u32 = valid_values(words, &data).map(|value| value.bits(words)).sum();
                    let bytes = env.pack_after_zeros(bits.next_multiple_of(8) - bits, &data, words);
                    function.compute(bytes, result.width)
                }
            };
            write_value(words, result, hash);
            Ok(())
        })
        .pure())
    }
}

/// Returns the names and widths of the values that a call passes, in order.
fn fields(program: &Program, call: &ExternCall) -> Vec<(String, u32)> {
    let Some(ArgValue::Leaves(leaves)) = call.args.first().map(|arg| &arg.value) else { return Vec::new() };
    let mut fields = Vec::new();
    let of_var = |var: VarId| (program.vars[var].name.clone(), program.vars[var].ty.width());
    for leaf in leaves {
        match leaf {
            Leaf::Value(Expr { kind: ExprKind::Var(var), .. }) => fields.push(of_var(*var)),
            Leaf::Value(expr) => fields.push((format!("f{}", fields.len() + 1), expr.ty.width())),
            Leaf::Header(header) => {
                fields.extend(program.headers[*header].fields.iter().copied().map(of_var));
            }
        }
    }
    fields
}

/// Returns the inputs that the program chooses: all values, of which those that `@symmetric` names
/// are pairs.
fn inputs(instance: &ExternInstance, fields: &[(String, u32)]) -> Vec<HashInput> {
    let named = |arg: Option<&AnnotationArg>| match arg.map(|arg| &arg.value) {
        Some(AnnotationValue::Text(name)) => fields.iter().position(|(field, _)| field == name),
        _ => None,
    };
    let symmetric = instance.annotations.iter().filter(|annotation| annotation.name == "symmetric");
    let pairs: Vec<_> = symmetric
        .filter_map(|annotation| Some((named(annotation.args.first())?, named(annotation.args.get(1))?)))
        .filter(|(one, other)| one != other && fields[*one].1 == fields[*other].1)
        .collect();
    let whole = |value: usize| HashPart { value, low: 0, width: fields[value].1 };
    let input = |value: usize| match pairs.iter().find(|(one, other)| *one == value || *other == value) {
        Some((one, other)) => (value == *one.min(other)).then(|| HashInput::Pair(whole(*one), whole(*other))),
        None => Some(HashInput::One(whole(value))),
    };
    (0..fields.len()).filter_map(input).collect()
}

/// Returns the function with this name, or that of a polynomial. `CUSTOM` needs a polynomial.
fn function(name: &str, polynomial: Option<&ExternInstance>) -> Result<HashFunction, String> {
    let crc = |width, polynomial, reflected: bool, ones: bool| {
        let ones = if ones { u64::MAX >> (64 - width) } else { 0 };
        let parameters = WideParameters { polynomial, initial: ones, final_xor: ones, reflected };
        let crc = WideCrc::new(width, parameters);
        HashFunction::Crc(Box::new(OwnCrc { crc, takes_upper: false, repeats: false }))
    };
    // As with p4c, a polynomial counts more than the name.
    if let Some(polynomial) = polynomial {
        return custom(polynomial);
    }
    Ok(match name {
        "CUSTOM" => return Err("CUSTOM needs a CRCPolynomial".to_owned()),
        "IDENTITY" => HashFunction::Identity,
        "XOR8" => HashFunction::Xor(8),
        "XOR16" => HashFunction::Xor(16),
        "XOR32" => HashFunction::Xor(32),
        "CRC8" => crc(8, 0x07, false, false),
        "CRC16" => crc(16, 0x8005, true, false),
        "CRC32" => crc(32, 0x04c1_1db7, true, true),
        "CRC64" => crc(64, 0x42f0_e1eb_a9ea_3693, false, false),
        // Any fixed function of the data will do.
        "RANDOM" => crc(64, 0xad93_d235_94c9_3659, true, true),
        name => return Err(format!("Weir does not compute HashAlgorithm_t.{name}")),
    })
}

/// Returns the function that a `CRCPolynomial(coeff, reversed, msb, extended, init, xor)`
/// describes.
fn custom(polynomial: &ExternInstance) -> Result<HashFunction, String> {
    let number = |position: usize| match polynomial.args.get(position) {
        Some(ConstArg::Bits(_, bits)) => Ok(bits),
        _ => Err(format!("argument {} of the CRCPolynomial must be a number", position + 1)),
    };
    let (coefficients, [reflected, takes_upper, repeats]) =
        (number(0)?, [number(1)?, number(2)?, number(3)?].map(|flag| !flag.is_zero()));
    if coefficients.is_zero() {
        return Err(
            "the coefficients of its CRCPolynomial are 0, so all data would have the same hash".to_owned()
        );
    }
    let width = width_of(coefficients);
    if !(1..=64).contains(&width) {
        return Err(format!("a CRCPolynomial of degree {width}; Weir computes up to 64"));
    }
    let own = |bits: &Bits| bits.resize(width).low_u64();
    let (initial, final_xor) = (own(number(4)?), own(number(5)?));
    let parameters = WideParameters { polynomial: own(coefficients), initial, final_xor, reflected };
    let crc = WideCrc::new(width, parameters);
    Ok(HashFunction::Crc(Box::new(OwnCrc { crc, takes_upper, repeats })))
}

/// Returns the degree of a polynomial. A number of 8, 16, 32 or 64 bits leaves out the highest
/// coefficient; in other numbers, the highest 1 is that coefficient.
fn width_of(coefficients: &Bits) -> u32 {
    match coefficients.width() {
        width @ (8 | 16 | 32 | 64) => width,
        width => {
            (0..width).rev().find(|bit| coefficients.shr(u64::from(*bit)).low_u64() & 1 == 1).unwrap_or(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(name: &str, width: u32, bytes: &[u8]) -> u128 {
        function(name, None).unwrap().compute(bytes, width) & ((1 << width) - 1)
    }

    #[test]
    fn hashes_have_the_check_values_of_the_catalogue() {
        let check = b"123456789";
        assert_eq!(hash("CRC8", 8, check), 0xf4, "CRC-8/SMBUS");
        assert_eq!(hash("CRC16", 16, check), 0xbb3d, "CRC-16/ARC");
        assert_eq!(hash("CRC32", 32, check), 0xcbf4_3926, "CRC-32/ISO-HDLC");
        assert_eq!(hash("CRC64", 64, check), 0x6c40_df5f_0b49_7347, "CRC-64/ECMA-182");
    }

    #[test]
    fn other_hashes_fold_the_data_from_its_end() {
        let data = [0x12, 0x34, 0x56];
        assert_eq!(hash("IDENTITY", 16, &data), 0x3456);
        assert_eq!(hash("XOR8", 8, &data), 0x12 ^ 0x34 ^ 0x56);
        assert_eq!(hash("XOR16", 16, &data), 0x12 ^ 0x3456);
        assert!(function("CUSTOM", None).is_err() && function("CRC7", None).is_err());
    }
}
