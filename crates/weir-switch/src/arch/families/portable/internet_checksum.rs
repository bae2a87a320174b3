//! `InternetChecksum`: a ones' complement sum to which values are added, and from which values are
//! subtracted (RFC 1624).

use super::sums::{internet_steps, method, replaceable};
use super::{Call, CallSite, Extern};
use crate::arch::externs::Object;
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::hash::{add_words, subtract_words};
use crate::path::{ResolvedCall, low_bits, write_value};

pub(in crate::arch) struct InternetChecksum;

impl<A> Extern<A> for InternetChecksum {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_all_blocks("InternetChecksum.clear"),
                Call::in_all_blocks("InternetChecksum.add"),
                Call::in_all_blocks("InternetChecksum.subtract"),
                Call::in_all_blocks("InternetChecksum.get"),
                Call::in_all_blocks("InternetChecksum.get_state"),
                Call::in_all_blocks("InternetChecksum.set_state"),
            ]
        }
    }

    fn types(&self) -> &'static [&'static str] {
        &["InternetChecksum"]
    }

    fn object(&self, _object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::Stateless)
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        let object = site.object()?;
        let method = method(site.call);
        let resolved = match method {
            "clear" => ResolvedCall::new(move |env, _| {
                *env.sum_mut(object) = 0;
                Ok(())
            }),
            "add" | "subtract" => {
                let (data, change) =
                    (site.values(0)?, if method == "add" { add_words } else { subtract_words });
                ResolvedCall::new(move |env, words| {
                    let sum = *env.sum_mut(object);
                    *env.sum_mut(object) = change(sum, env.pack(&data, words));
                    Ok(())
                })
            }
            "set_state" => {
                let state = site.value(0)?;
                ResolvedCall::new(move |env, words| {
                    *env.sum_mut(object) = low_bits(words, state) as u16;
                    Ok(())
                })
            }
            // The checksum is the complement of the sum, the state is the sum itself.
            _ => {
                let (result, is_checksum) = (Out::Result.value(site)?, method == "get");
                ResolvedCall::new(move |env, words| {
                    let sum = *env.sum_mut(object);
                    if let Some(result) = result {
                        write_value(words, result, u128::from(if is_checksum { !sum } else { sum }));
                    }
                    Ok(())
                })
            }
        };
        Ok(replaceable(resolved, site, object, internet_steps).local())
    }
}
