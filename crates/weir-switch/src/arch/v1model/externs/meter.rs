//! `meter`, an array of two-rate three-colour meters, and `direct_meter`, a meter for each entry of
//! a table.

use super::{Call, Extern, Site, V1Model};
use crate::arch::externs::Object;
use crate::error::LoadError;
use crate::externs::ExternState;
use crate::path::{ResolvedCall, number, put};

pub(super) struct Meter;

impl Extern<V1Model> for Meter {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::anywhere("meter.execute_meter")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["meter"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let needs_lock = object.program.atomic && object.is_called("meter.execute_meter");
        Ok(ExternState::meter(object.size(0)?, meters_bytes(object, 1)?, needs_lock))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, index, colour) = (site.object()?, site.value(0)?, site.value(1)?);
        Ok(ResolvedCall::new(move |env, words| {
            let (now, length) = (env.context.now, env.length);
            if let (Some(index), Some(meter)) = (number(words, index), env.meter(object)) {
                let measured = meter.execute(index, now, length).map_or(0, |colour| colour as u128);
                put(words, colour, measured);
            }
            Ok(())
        }))
    }
}

pub(super) struct DirectMeter;

impl Extern<V1Model> for DirectMeter {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::anywhere("direct_meter.read")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["direct_meter"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::DirectMeter(meters_bytes(object, 0)?))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, colour) = (site.object()?, site.value(0)?);
        Ok(ResolvedCall::new(move |env, words| {
            put(words, colour, env.colour(object) as u128);
            Ok(())
        }))
    }
}

/// Whether the constructor argument at this position says to meter bytes, not packets.
fn meters_bytes(object: &Object<'_>, position: usize) -> Result<bool, LoadError> {
    match object.member(position) {
        Some("packets") => Ok(false),
        Some("bytes") => Ok(true),
        _ => Err(object.malformed("expected a MeterType: packets or bytes")),
    }
}
