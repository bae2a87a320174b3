//! Reads and writes quantities with units.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use weir_units::{Error, Limit, Quantity, WantedQuantity};

use crate::errors;

/// Reads a string with the function `read`. Numbers without a unit and other values raise an error.
fn read<T>(
    given: &Bound<'_, PyAny>,
    wanted: WantedQuantity<'_>,
    read: impl FnOnce(&Quantity<'_>) -> Result<T, Error>,
) -> PyResult<T> {
    let result = if let Ok(text) = given.cast::<PyString>() {
        Quantity::read(&text.to_string_lossy(), wanted).and_then(|quantity| read(&quantity))
    } else {
        Err(not_text(given, wanted)?)
    };
    result.map_err(|error| errors::unit_error(&error))
}

fn not_text(given: &Bound<'_, PyAny>, wanted: WantedQuantity<'_>) -> PyResult<Error> {
    let is_number = given.is_instance_of::<PyInt>() || given.is_instance_of::<PyFloat>();
    // Python refuses to format numbers of more than 4300 digits.
    match given.str() {
        Ok(number) if is_number && !given.is_instance_of::<PyBool>() => {
            Ok(wanted.bare_number(&number.to_string_lossy()))
        }
        _ => Ok(wanted.expected(&given.get_type().name()?.to_string_lossy())),
    }
}

/// Reads a time such as `20ms`, in nanoseconds.
#[pyfunction]
#[pyo3(signature = (value, what = "time", usual = "ms"))]
pub fn time_ns(value: &Bound<'_, PyAny>, what: &str, usual: &str) -> PyResult<u64> {
    let example = format!("1{usual}");
    read(value, WantedQuantity::time(what).usual(usual).example(&example), |quantity| quantity.nanoseconds())
}

/// Reads a rate such as `10Mbit`, in bits per second.
#[pyfunction]
#[pyo3(signature = (value, what = "rate"))]
pub fn rate_bps(value: &Bound<'_, PyAny>, what: &str) -> PyResult<u64> {
    read(value, WantedQuantity::rate(what).unlimited("None"), |quantity| quantity.bits_per_second())
}

/// Reads a size such as `64kB`, in bytes.
#[pyfunction]
#[pyo3(signature = (value, what = "size", example = "1500B"))]
pub fn size_bytes(value: &Bound<'_, PyAny>, what: &str, example: &str) -> PyResult<u64> {
    read(value, WantedQuantity::size(what).example(example), |quantity| quantity.bytes())
}

/// Reads a share such as `1%`, from 0 to 1.
#[pyfunction]
#[pyo3(signature = (value, what = "share"))]
pub fn share(value: &Bound<'_, PyAny>, what: &str) -> PyResult<f64> {
    read(value, WantedQuantity::share(what), |quantity| quantity.share())
}

/// Reads a number of packets such as `100p`.
#[pyfunction]
#[pyo3(signature = (value, what = "packets"))]
pub fn packets(value: &Bound<'_, PyAny>, what: &str) -> PyResult<u64> {
    read(value, WantedQuantity::packets(what), |quantity| quantity.packets())
}

/// Reads a queue's limit in packets or in bytes.
#[pyfunction]
#[pyo3(signature = (value, what = "queue"))]
pub fn queue_limit(value: &Bound<'_, PyAny>, what: &str) -> PyResult<(Option<u64>, Option<u64>)> {
    Ok(match read(value, WantedQuantity::packets(what), |quantity| quantity.limit())? {
        Limit::Packets(packets) => (Some(packets), None),
        Limit::Bytes(bytes) => (None, Some(bytes)),
    })
}

/// Formats a time, such as `20ms`.
#[pyfunction]
pub fn format_time(nanoseconds: u64) -> String {
    weir_units::format_time(nanoseconds)
}

/// Formats a rate, such as `10Mbit`, or `unlimited` for `None`.
#[pyfunction]
pub fn format_rate(bits_per_second: Option<u64>) -> String {
    bits_per_second.map_or_else(|| "unlimited".to_owned(), weir_units::format_rate)
}

/// Formats a size, such as `64kB`.
#[pyfunction]
pub fn format_size(size: u64) -> String {
    weir_units::format_size(size)
}

/// Formats a share, such as `1%`.
#[pyfunction]
pub fn format_share(part: f64) -> String {
    weir_units::format_share(part)
}
