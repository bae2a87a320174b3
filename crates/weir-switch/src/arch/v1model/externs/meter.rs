//! `meter`, an array of two-rate three-colour meters, and `direct_meter`, a meter for each entry of
//! a table.

use super::{Call, Extern, Site, V1Model};
use crate::arch::externs::Object;
use crate::error::LoadError;
use crate::externs::meter_array::MeterArray;
use crate::externs::{CounterUnit, ExternState};
use crate::path::{ResolvedCall, number, write_value};

pub(super) struct Meter;

impl Extern<V1Model> for Meter {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("meter.execute_meter")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["meter"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let needs_lock = object.program.atomic && object.is_called("meter.execute_meter");
        let size = object.cells(0, MeterArray::CELL_BYTES)?;
        Ok(ExternState::meter(size, meters_bytes(object)?, needs_lock))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, index, colour) = (site.object()?, site.value(0)?, site.value(1)?);
        Ok(ResolvedCall::new(move |env, words| {
            let (now, length) = (env.context.now, env.length);
            if let (Some(index), Some(meter)) = (number(words, index), env.meter(object)) {
                let measured = meter.execute(index, now, length).map_or(0, |colour| colour as u128);
                write_value(words, colour, measured);
            }
            Ok(())
        }))
    }
}

pub(super) struct DirectMeter;

impl Extern<V1Model> for DirectMeter {
    fn calls(&self) -> &'static [Call] {
        const { &[Call::in_all_blocks("direct_meter.read")] }
    }

    fn types(&self) -> &'static [&'static str] {
        &["direct_meter"]
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        Ok(ExternState::DirectMeter(meters_bytes(object)?))
    }

    fn resolve(&self, site: &Site<'_>) -> Result<ResolvedCall, LoadError> {
        let (object, colour) = (site.object()?, site.value(0)?);
        Ok(ResolvedCall::new(move |env, words| {
            write_value(words, colour, env.colour(object) as u128);
            Ok(())
        }))
    }
}

/// Whether the meter counts bytes instead of packets.
fn meters_bytes(object: &Object<'_>) -> Result<bool, LoadError> {
    match CounterUnit::from_constructor(object.program, object.instance) {
        Some(CounterUnit::Packets) => Ok(false),
        Some(CounterUnit::Bytes) => Ok(true),
        _ => Err(object.malformed("expected a MeterType: packets or bytes")),
    }
}
