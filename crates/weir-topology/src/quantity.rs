//! Latencies and bandwidths of links.

use weir_json::{Kind, Value};
use weir_units::{Quantity, Wanted};

use crate::Error;

/// A latency in nanoseconds. A bare number counts milliseconds; a string has a unit, except `"0"`.
pub(crate) fn latency(value: &Value) -> Result<u64, Error> {
    if value.kind == Kind::Text("0".to_owned()) {
        return Ok(0);
    }
    Ok(read(value, Wanted::time("latency"))?.nanoseconds()?)
}

/// A bandwidth in bits per second. A bare number counts megabits per second, a string has a unit,
/// null means unlimited.
pub(crate) fn bandwidth(value: &Value) -> Result<Option<u64>, Error> {
    if value.kind == Kind::Null {
        return Ok(None);
    }
    let bandwidth = read(value, Wanted::rate("bandwidth").unlimited("null"))?;
    Ok(Some(bandwidth.bits_per_second()?))
}

/// A number in usual units, or a string with a number and a unit.
fn read<'v>(value: &'v Value, wanted: Wanted<'v>) -> Result<Quantity<'v>, Error> {
    match &value.kind {
        Kind::Number(number) => Ok(Quantity::in_usual_unit(number, wanted)?),
        Kind::Text(text) => Ok(Quantity::read(text, wanted)?),
        _ => Err(wanted.expected(&value.describe()).into()),
    }
}
