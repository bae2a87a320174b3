//! `Checksum`: in parsers, a ones' complement sum to which values are added, and from which values
//! are subtracted (RFC 1624); in deparsers, the checksum of values.

use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::hash::{add_words, subtract_words};
use crate::path::{ResolvedCall, low_bits, write_value};

pub(super) struct Checksum;

impl Extern<Lengths> for Checksum {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_blocks("Checksum.add", PARSERS, IN_PARSERS),
                Call::in_blocks("Checksum.subtract", PARSERS, IN_PARSERS),
                Call::in_blocks("Checksum.verify", PARSERS, IN_PARSERS),
                Call::in_blocks("Checksum.get", PARSERS, IN_PARSERS),
                Call::in_blocks("Checksum.subtract_all_and_deposit", PARSERS, IN_PARSERS),
                Call::in_blocks(
                    "Checksum.update",
                    &[super::super::ID, super::super::ED],
                    "only deparsers compute checksums; parsers add and subtract values",
                ),
            ]
        }
    }

    fn types(&self) -> &'static [&'static str] {
        &["Checksum"]
    }

    fn object(&self, _object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::Stateless)
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let object = site.object()?;
        let method = site.call.callee.rsplit('.').next().unwrap_or_default();
        let resolved = match method {
            "add" | "subtract" => {
                let data = site.values(0)?;
                let change = if method == "add" { add_words } else { subtract_words };
                ResolvedCall::new(move |env, words| {
                    let sum = *env.sum_mut(object);
                    *env.sum_mut(object) = change(sum, env.pack(&data, words));
                    Ok(())
                })
            }
            "update" => {
                let (data, result) = (site.values(0)?, Out::Result.value(site)?);
                let zeros_as_ones = site.named("zeros_as_ones");
                let Some(result) = result else { return Ok(ResolvedCall::no_effect()) };
                return Ok(ResolvedCall::new(move |env, words| {
                    let checksum = !add_words(0, env.pack(&data, words));
                    let as_ones = checksum == 0 && zeros_as_ones.is_some_and(|on| low_bits(words, on) == 1);
                    write_value(words, result, u128::from(if as_ones { 0xffff } else { checksum }));
                    Ok(())
                })
                .pure());
            }
            "verify" => {
                let result = Out::Result.value(site)?;
                ResolvedCall::new(move |env, words| {
                    let is_wrong = *env.sum_mut(object) != 0xffff;
                    if let Some(result) = result {
                        write_value(words, result, u128::from(is_wrong));
                    }
                    Ok(())
                })
            }
            // `get` and `subtract_all_and_deposit`: the sum of the packet's data without
            // the values that were subtracted.
            _ => {
                let to = if method == "get" { Out::Result } else { Out::Argument(0) };
                let result = to.value(site)?;
                ResolvedCall::new(move |env, words| {
                    let sum = *env.sum_mut(object);
                    if let Some(result) = result {
                        write_value(words, result, u128::from(sum));
                    }
                    Ok(())
                })
            }
        };
        Ok(resolved.local())
    }
}

const PARSERS: &[usize] = &[super::super::IP, super::super::EP];

const IN_PARSERS: &str = "only parsers sum up values; deparsers call `update`";
