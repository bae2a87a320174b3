//! `digest`: a message to the control plane.

use super::{Call, Extern, Site, V1Model};
use crate::arch::families::send;
use crate::error::LoadError;
use crate::p4info::{digest_data, digest_name};
use crate::path::ResolvedCall;

pub(super) struct Digest;

impl Extern<V1Model> for Digest {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("digest")] }
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (receiver, name) = (site.value(0)?, digest_name(site.program, site.call));
        send(site, &name, (1, &digest_data(site.call)), Some(receiver))
    }
}
