//! `direct_meter`, a meter for each table entry.

use super::{Call, Extern, Site, V1Model};
use crate::arch::externs::Object;
use crate::arch::families::meters_bytes;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::path::{ResolvedCall, write_value};

pub(super) struct DirectMeter;

impl Extern<V1Model> for DirectMeter {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("direct_meter.read")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["direct_meter"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::direct_meter(meters_bytes(object)?))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, colour) = (site.object()?, site.value(0)?);
        Ok(ResolvedCall::new(move |env, words| {
            write_value(words, colour, env.colour(object) as u128);
            Ok(())
        }))
    }
}
