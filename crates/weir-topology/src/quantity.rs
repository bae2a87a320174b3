//! Latencies and bandwidths of links, and quantities with units.

use weir_json::{Diagnostic, Kind, Node, Value};
use weir_units::{Quantity, WantedQuantity};

use crate::Error;

/// The default rate of a link, in bits per second.
pub const DEFAULT_RATE_BPS: u64 = 1_000_000_000;

/// Returns a latency in nanoseconds. A bare number counts milliseconds; a string has a unit, except
/// `"0"`.
pub(crate) fn latency(value: &Value) -> Result<u64, Error> {
    if value.kind == Kind::Text("0".to_owned()) {
        return Ok(0);
    }
    Ok(read(value, WantedQuantity::time("latency"))?.nanoseconds()?)
}

/// Returns a bandwidth in bits per second. A bare number counts megabits per second, a string has a
/// unit, `"unlimited"` and null mean no limit.
pub(crate) fn bandwidth(value: &Value) -> Result<Option<u64>, Error> {
    if is_unlimited(value) {
        return Ok(None);
    }
    let bandwidth = read(value, WantedQuantity::rate("bandwidth").unlimited("null"))?;
    Ok(Some(bandwidth.bits_per_second()?))
}

/// Reads the rate of a link: a string with a unit; `"unlimited"` and null mean no limit.
pub(crate) fn rate(node: Node<'_>) -> Result<Option<u64>, Diagnostic> {
    if is_unlimited(node.value()) {
        return Ok(None);
    }
    text(node, WantedQuantity::rate("rate").unlimited("null"), Quantity::bits_per_second).map(Some)
}

fn is_unlimited(value: &Value) -> bool {
    value.kind == Kind::Null || value.kind == Kind::Text("unlimited".to_owned())
}

/// Reads a string with a number and a unit, converted by `as_number`.
pub(crate) fn text<'v, T>(
    node: Node<'v>,
    wanted: WantedQuantity<'v>,
    as_number: impl FnOnce(&Quantity<'v>) -> Result<T, weir_units::Error>,
) -> Result<T, Diagnostic> {
    let read = match &node.value().kind {
        Kind::Text(text) => Quantity::read(text, wanted).and_then(|quantity| as_number(&quantity)),
        Kind::Number(number) => Err(wanted.bare_number(number)),
        _ => Err(wanted.expected(&node.value().describe())),
    };
    read.map_err(|error| Error::from(error).at(node))
}

/// Reads a number in the usual unit, or a string with a number and a unit.
fn read<'v>(value: &'v Value, wanted: WantedQuantity<'v>) -> Result<Quantity<'v>, Error> {
    match &value.kind {
        Kind::Number(number) => Ok(Quantity::in_usual_unit(number, wanted)?),
        Kind::Text(text) => Ok(Quantity::read(text, wanted)?),
        _ => Err(wanted.expected(&value.describe()).into()),
    }
}
