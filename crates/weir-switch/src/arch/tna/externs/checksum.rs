//! `Checksum`: in parsers, a ones' complement sum to which values are added, and from which values
//! are subtracted (RFC 1624); in deparsers, the checksum of values.

use weir_exec::{ExternSemantics, SumStep, has_data, has_result};
use weir_ir::{ExternCall, Program};

use super::{Call, Extern, Lengths, Site};
use crate::arch::externs::Object;
use crate::arch::families::Out;
use crate::arch::families::portable::{self, method};
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
        let resolved = match method(site.call) {
            method @ ("add" | "subtract") => {
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
                let resolved = ResolvedCall::new(move |env, words| {
                    let checksum = !add_words(0, env.pack(&data, words));
                    let as_ones = checksum == 0 && zeros_as_ones.is_some_and(|on| low_bits(words, on) == 1);
                    write_value(words, result, u128::from(if as_ones { 0xffff } else { checksum }));
                    Ok(())
                })
                .pure();
                return Ok(if can_be_replaced(site) {
                    resolved.with_semantics(ExternSemantics::Checksum { data: 0 })
                } else {
                    resolved
                });
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
            method => {
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
        Ok(portable::replaceable(resolved, site, object, steps).local())
    }
}

/// Returns the step that a call of a parser's `Checksum` makes.
pub(in crate::arch::tna) fn steps(program: &Program, call: &ExternCall) -> Option<SumStep> {
    match call.callee.as_str() {
        "Checksum.add" if has_data(program, call, 0) => Some(SumStep::Add(0)),
        "Checksum.verify" if has_result(program, call, 1) => Some(SumStep::IsWrong),
        "Checksum.get" if has_result(program, call, 16) => Some(SumStep::Get { complement: false }),
        // Subtracting words one by one may make a sum 0 or 0xffff, which are the same number.
        _ => None,
    }
}

/// Returns whether machine code can replace a call of `update`, which does not do so if the call
/// writes ones for zeros.
fn can_be_replaced(site: &Site<'_>) -> bool {
    let writes_ones = site.call.args.iter().position(|arg| arg.name == "zeros_as_ones");
    let is_off = |at: usize| site.constant(at).is_some_and(|flag| flag.to_u64() == Some(0));
    writes_ones.is_none_or(is_off)
        && has_data(site.program, site.call, 0)
        && has_result(site.program, site.call, 16)
}

const PARSERS: &[usize] = &[super::super::IP, super::super::EP];

const IN_PARSERS: &str = "only parsers sum up values; deparsers call `update`";
