//! Converts Python values to the values that requests accept.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use weir_json::{Kind, Value};

/// The maximum nesting depth of lists and mappings.
const MAX_DEPTH: usize = 100;

/// Converts a value for a request. For a value that requests do not accept, keeps its printed form
/// for error messages.
pub fn read(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    read_nested(value, 0)
}

fn read_nested(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    let kind = if value.is_none() {
        Kind::Null
    } else if let Ok(flag) = value.cast::<PyBool>() {
        Kind::Bool(flag.is_true())
    } else if value.is_instance_of::<PyInt>() {
        match value.extract::<i128>() {
            Ok(number) => Kind::Number(number.to_string()),
            // Python refuses to format decimal numbers of more than 4300 digits.
            Err(_) => match value.str() {
                Ok(text) => Kind::Number(text.to_string()),
                Err(_) => Kind::Other("a number of more than 4300 digits".to_owned()),
            },
        }
    } else if let Ok(text) = value.cast::<PyString>() {
        Kind::Text(text.to_string_lossy().into_owned())
    } else if value.is_instance_of::<PyFloat>() {
        Kind::Number(value.repr()?.to_string())
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        let bits = 8 * bytes.as_bytes().len() as u32;
        Kind::Number(weir_ir::Bits::from_be_bytes(bits, bytes.as_bytes()).to_string())
    } else if depth >= MAX_DEPTH {
        Kind::Other("something nested too deeply".to_owned())
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| read_nested(&item?, depth + 1));
        Kind::List(items.collect::<PyResult<_>>()?)
    } else if value.is_instance_of::<PyDict>() || value.cast::<PyMapping>().is_ok() {
        Kind::Object(members(value, depth + 1)?)
    } else {
        Kind::Other(show_object(value))
    };
    Ok(kind.into())
}

/// Converts a mapping to its keys, as text, and its values, in order.
fn members(mapping: &Bound<'_, PyAny>, depth: usize) -> PyResult<Vec<(String, Value)>> {
    let items = mapping.call_method0("items")?;
    let member = |item: PyResult<Bound<'_, PyAny>>| {
        let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item?.extract()?;
        Ok((key.str()?.to_string_lossy().into_owned(), read_nested(&value, depth)?))
    };
    items.try_iter()?.map(member).collect()
}

/// Formats an unsupported object for a message.
pub fn show_object(value: &Bound<'_, PyAny>) -> String {
    const MAX_SHOWN_CHARACTERS: usize = 40;
    let name = value.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string());
    let text = value.repr().map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    if text.chars().count() <= MAX_SHOWN_CHARACTERS && !text.contains('\n') {
        format!("{name} {text}")
    } else {
        name
    }
}
