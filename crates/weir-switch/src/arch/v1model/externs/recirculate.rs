//! `recirculate` and `resubmit`, each also with a field list: the packet goes through another pass.

use super::super::{EGRESS, INGRESS};
use super::{Call, Extern, Kept, Site, V1Model};
use crate::error::LoadError;
use crate::path::ResolvedCall;

pub(super) struct Recirculate;

impl Extern<V1Model> for Recirculate {
    fn calls(&self) -> &'static [Call] {
        const { &[recirculates("recirculate"), recirculates("recirculate_preserving_field_list")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let metadata = kept_metadata(site)?;
        Ok(ResolvedCall::new(move |env, words| {
            env.deferred.recirculate = Some(metadata.keep(words));
            Ok(())
        })
        .deferring())
    }
}

pub(super) struct Resubmit;

impl Extern<V1Model> for Resubmit {
    fn calls(&self) -> &'static [Call] {
        const { &[resubmits("resubmit"), resubmits("resubmit_preserving_field_list")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let metadata = kept_metadata(site)?;
        Ok(ResolvedCall::new(move |env, words| {
            env.deferred.resubmit = Some(metadata.keep(words));
            Ok(())
        })
        .deferring())
    }
}

/// Returns a call that requests a recirculation. As in `simple_switch`, ingress can call it, too.
const fn recirculates(name: &'static str) -> Call {
    let help = "it sends the packet that leaves egress through another pass: call it in egress";
    Call::in_blocks(name, &[INGRESS, EGRESS], help)
}

const fn resubmits(name: &'static str) -> Call {
    let help = "it sends the packet as it was received back to the parser, so only ingress can call it; \
        egress can recirculate the packet that leaves it";
    Call::in_blocks(name, &[INGRESS], help)
}

fn kept_metadata(site: &Site<'_>) -> Result<Kept, LoadError> {
    if site.call.callee.ends_with("field_list") { Kept::list(site, 0) } else { Ok(Kept::from_data(site, 0)) }
}
