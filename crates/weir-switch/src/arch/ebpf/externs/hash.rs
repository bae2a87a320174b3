//! `hash`: the function lookup3 of values.

use super::{Call, Extern, Hidden, Site};
use crate::error::LoadError;
use crate::externs::lookup3::lookup3;
use crate::path::{ResolvedCall, write_value};

pub(super) struct Hash;

impl Extern<Hidden> for Hash {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("hash")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        // The enumeration of algorithms has one member.
        let (result, data) = (site.value(0)?, site.values(2)?);
        Ok(ResolvedCall::new(move |env, words| {
            let hash = lookup3(env.pack(&data, words));
            write_value(words, result, u128::from(hash));
            Ok(())
        })
        .pure())
    }
}
