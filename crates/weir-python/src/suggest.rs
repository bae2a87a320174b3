//! Suggests the nearest valid name for an unknown one.

use pyo3::prelude::*;

/// Finds the name in `known` that is most similar to `name`, if their similarity (0 to 1) is at
/// least `enough`.
#[pyfunction]
#[pyo3(signature = (name, known, *, dotted, enough))]
pub(crate) fn nearest(name: &str, known: Vec<String>, dotted: bool, enough: f64) -> Option<String> {
    let least = (enough * 1000.0).round() as u32;
    let search = weir_suggest::Search { dotted, least, ..Default::default() };
    search.nearest(name, known.iter().map(String::as_str)).map(str::to_owned)
}
