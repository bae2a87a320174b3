//! `clone`, `clone3` and `clone_preserving_field_list`: the last call of a block makes a copy at
//! its end.

use super::{Extern, Kept, Site, V1Model};
use crate::error::LoadError;
use crate::packet::Keep;
use crate::path::{ResolvedCall, low};

pub(super) struct Clone;

impl Extern<V1Model> for Clone {
    fn calls(&self) -> &'static [&'static str] {
        &["clone", "clone3", "clone_preserving_field_list"]
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let session = site.value(1)?;
        let kept = match site.call.callee.as_str() {
            "clone3" => Kept::given(site, 2),
            "clone_preserving_field_list" => Kept::list(site, 2)?,
            _ => Kept::Known(Keep::Nothing),
        };
        Ok(ResolvedCall::new(move |env, words| {
            env.deferred.clone = Some((low(words, session) as u32, kept.keep(words)));
            Ok(())
        })
        .deferring())
    }
}
