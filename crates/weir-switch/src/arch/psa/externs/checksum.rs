//! `Checksum`: a checksum or hash of values that several calls add.

use super::hash::{of_object, of_site};
use super::{Call, Extern, Fields, Site};
use crate::arch::externs::Object;
use crate::arch::families::Out;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::hash::HashKind;
use crate::path::{ResolvedCall, write_value};

pub(super) struct Checksum;

impl Extern<Fields> for Checksum {
    fn calls(&self) -> &'static [Call] {
        const {
            &[
                Call::in_all_blocks("Checksum.clear"),
                Call::in_all_blocks("Checksum.update"),
                Call::in_all_blocks("Checksum.get"),
            ]
        }
    }

    fn types(&self) -> &'static [&'static str] {
        &["Checksum"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        of_object(object).map(|_| ExternState::Stateless)
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, kind) = (site.object()?, of_site(site)?);
        if site.call.callee.ends_with(".clear") {
            let clear = ResolvedCall::new(move |env, _| {
                env.clear_gathered(object);
                Ok(())
            });
            return Ok(clear.local());
        }
        if site.call.callee.ends_with(".update") {
            let data = site.values(0)?;
            let update = ResolvedCall::new(move |env, words| {
                env.gather(object, &data, words);
                Ok(())
            });
            return Ok(update.local());
        }
        let result = Out::Result.value(site)?;
        let is_local = matches!(kind, HashKind::Data(algorithm) if !algorithm.is_custom());
        let get = ResolvedCall::new(move |env, words| {
            let hash = env.hash_gathered(object, kind);
            if let Some(result) = result {
                write_value(words, result, u128::from(hash));
            }
            Ok(())
        });
        Ok(if is_local { get.local() } else { get })
    }
}
