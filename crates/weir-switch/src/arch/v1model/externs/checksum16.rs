//! `Checksum16`: the Internet checksum of values.

use super::{Call, Extern, Site, V1Model};
use crate::arch::externs::Object;
use crate::arch::families::sum;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::externs::hash::{Algorithm, HashKind};
use crate::path::{ResolvedCall, write_value};

pub(super) struct Checksum16;

impl Extern<V1Model> for Checksum16 {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("Checksum16.get")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["Checksum16"]
    }

    fn object(&self, _object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::Stateless)
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let data = site.values(0)?;
        let [result] = site.frame.result[..] else { return Ok(ResolvedCall::no_effect()) };
        let csum16 = HashKind::Data(Algorithm::Csum16);
        Ok(ResolvedCall::new(move |env, words| {
            let sum = sum(env, csum16, &data, words, false);
            write_value(words, result, u128::from(sum));
            Ok(())
        })
        .pure())
    }
}
