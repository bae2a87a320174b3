//! `recirculate` and `resubmit`, each also with a field list: the packet goes through another pass.

use super::{Extern, Kept, Site, V1Model};
use crate::error::LoadError;
use crate::path::ResolvedCall;

pub(super) struct Recirculate;

impl Extern<V1Model> for Recirculate {
    fn calls(&self) -> &'static [&'static str] {
        &["recirculate", "recirculate_preserving_field_list"]
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let kept = kept(site)?;
        Ok(ResolvedCall::new(move |env, words| {
            env.deferred.recirculate = Some(kept.keep(words));
            Ok(())
        })
        .deferring())
    }
}

pub(super) struct Resubmit;

impl Extern<V1Model> for Resubmit {
    fn calls(&self) -> &'static [&'static str] {
        &["resubmit", "resubmit_preserving_field_list"]
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let kept = kept(site)?;
        Ok(ResolvedCall::new(move |env, words| {
            env.deferred.resubmit = Some(kept.keep(words));
            Ok(())
        })
        .deferring())
    }
}

fn kept(site: &Site<'_>) -> Result<Kept, LoadError> {
    if site.call.callee.ends_with("field_list") { Kept::list(site, 0) } else { Ok(Kept::given(site, 0)) }
}
