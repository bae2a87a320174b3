//! Arrays of two-rate three-colour meters.

use weir_exec::FrameValue;
use weir_ir::ExternInstance;

use super::{Call, CallSite, Extern, Length, Object, Out};
use crate::error::LoadError;
use crate::externs::meter::Colour;
use crate::externs::meter_array::MeterArray;
use crate::externs::{CounterUnit, ExternState};
use crate::path::{ResolvedCall, low_bits, number, write_value};

/// A type of meters. Its methods take the index first. A program may give the previous colour of
/// the packet as `color`, and its length as `pkt_len`.
pub(in crate::arch) struct Meter {
    pub types: &'static [&'static str],
    pub calls: &'static [Call],
    pub colour: Out,
    pub colours: Colours,
    /// The numbers of the colours in results, if the program chooses them for each object.
    pub results: fn(&ExternInstance) -> Option<Colours>,
}

/// The numbers of green, yellow and red.
#[derive(Clone, Copy)]
pub(in crate::arch) struct Colours(pub [u64; 3]);

impl Colours {
    const ALL: [Colour; 3] = [Colour::Green, Colour::Yellow, Colour::Red];

    pub(in crate::arch) fn number(self, colour: Colour) -> u64 {
        self.0[colour as usize]
    }

    /// Reads the colour from a value; green without a value.
    pub(in crate::arch) fn read(self, value: Option<FrameValue>, words: &[u64]) -> Colour {
        let number = value.map(|value| low_bits(words, value));
        let known = self.0.iter().position(|known| Some(*known) == number);
        known.map_or(Colour::Green, |position| Self::ALL[position])
    }
}

impl<A> Extern<A> for Meter {
    fn calls(&self) -> &'static [Call] {
        self.calls
    }

    fn types(&self) -> &'static [&'static str] {
        self.types
    }

    fn object(&self, object: &Object<'_>) -> Result<ExternState, LoadError> {
        let is_called = self.calls.iter().any(|call| object.is_called(call.name));
        let size = object.cells(0, MeterArray::CELL_BYTES)?;
        Ok(ExternState::meter(size, meters_bytes(object)?, object.program.atomic && is_called))
    }

    fn resolve(&self, site: &CallSite<'_, A>) -> Result<ResolvedCall, LoadError> {
        let (object, index, colour) = (site.object()?, site.value(0)?, self.colour.value(site)?);
        let (before, length) = (site.named("color"), Length::of(site));
        let colours = self.colours;
        let results = (self.results)(&site.program.externs[object]).unwrap_or(colours);
        Ok(ResolvedCall::new(move |env, words| {
            let now = env.context.now;
            let length = length.read(env.length, words);
            let before = colours.read(before, words);
            let index = number(words, index).unwrap_or(u64::MAX);
            let measured = env.meter(object).and_then(|meter| meter.execute(index, now, length, before));
            if let Some(colour) = colour {
                let measured = measured.unwrap_or(Colour::Green);
                write_value(words, colour, u128::from(results.number(measured)));
            }
            Ok(())
        }))
    }
}

/// Returns whether the meter counts bytes instead of packets.
pub(in crate::arch) fn meters_bytes(object: &Object<'_>) -> Result<bool, LoadError> {
    match CounterUnit::from_constructor(object.program, object.instance) {
        Some(CounterUnit::Packets) => Ok(false),
        Some(CounterUnit::Bytes) => Ok(true),
        _ => Err(object.malformed("expected a MeterType: packets or bytes")),
    }
}
