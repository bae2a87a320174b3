//! `hash`: a hash of values, from a base on and below a limit.

use super::{Call, Extern, HashAlgorithm, Site, V1Model};
use crate::arch::families::{sum, write_hash};
use crate::error::LoadError;
use crate::path::ResolvedCall;

pub(super) struct Hash;

impl Extern<V1Model> for Hash {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("hash")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (result, algorithm) = (site.value(0)?, HashAlgorithm::from_argument(site, 1)?);
        let (base, data, max) = (site.value(2)?, site.values(3)?, site.value(4)?);
        let is_pure = algorithm.is_pure();
        let call = ResolvedCall::new(move |env, words| {
            let hash = algorithm.kind(words).map_or(0, |kind| sum(env, kind, &data, words, false));
            write_hash(words, result, (base, max), hash);
            Ok(())
        });
        Ok(if is_pure { call.pure() } else { call })
    }
}
