//! Python classes for the records of other crates.

use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyDict, PyInt, PyTuple, PyType};

use crate::errors;

/// A list of values, which is a tuple in Python.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tuple<T>(Vec<T>);

impl<T> Default for Tuple<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Tuple<T> {
    /// Returns the values in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
    }
}

impl<T> IntoIterator for Tuple<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<T> FromIterator<T> for Tuple<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<'py, T: IntoPyObject<'py>> IntoPyObject<'py> for Tuple<T> {
    type Target = PyTuple;
    type Output = Bound<'py, PyTuple>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        PyTuple::new(py, self.0)
    }
}

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Tuple<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        given.extract().map(Self)
    }
}

/// A list of pairs of names and values, which is a dictionary in Python. The order does not matter
/// for equality.
#[derive(Clone, Debug)]
pub struct Dictionary<T>(pub Vec<(String, T)>);

/// A dictionary whose values are texts.
pub type Texts = Dictionary<String>;

impl<T: Ord> Dictionary<T> {
    /// Returns the items ordered by name.
    fn sorted(&self) -> Vec<&(String, T)> {
        let mut items: Vec<_> = self.0.iter().collect();
        items.sort();
        items
    }
}

impl<T: Ord> PartialEq for Dictionary<T> {
    fn eq(&self, other: &Self) -> bool {
        self.sorted() == other.sorted()
    }
}

impl<T: Ord> Eq for Dictionary<T> {}

impl<T: Ord + Hash> Hash for Dictionary<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sorted().hash(state);
    }
}

impl<'py, T: IntoPyObject<'py>> IntoPyObject<'py> for Dictionary<T> {
    type Target = PyDict;
    type Output = Bound<'py, PyDict>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        self.0.into_py_dict(py)
    }
}

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Dictionary<T> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let items = given.call_method0("items")?.try_iter()?;
        Ok(Self(items.map(|item| item?.extract()).collect::<PyResult<_>>()?))
    }
}

/// Declares value classes with one attribute per field. They behave as frozen data classes of
/// Python: the constructor takes the attributes by position or by name, objects with equal
/// attributes are equal, attributes cannot be set, objects can be pickled, and the functions of
/// `dataclasses` accept them. The doc comments of the fields are also the documentation in Python.
macro_rules! records {
    ($($(#[$class:meta])* $name:ident {
        $($(#[$about:meta])* $field:ident: $kind:ty $(= $default:expr)?,)*
    })*) => {$(
        $(#[$class])*
        #[pyo3::pyclass(module = "weir._core", frozen, get_all, eq, hash, from_py_object)]
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name {
            $($(#[$about])* pub $field: $kind,)*
        }

        #[pyo3::pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = ($($field $(= $default)?),*))]
            #[allow(clippy::too_many_arguments, reason = "one for each attribute")]
            fn new($($field: $kind),*) -> Self {
                Self { $($field),* }
            }

            fn __repr__(slf: &pyo3::Bound<'_, Self>) -> pyo3::PyResult<String> {
                $crate::record::show_record(slf.as_any(), &[$(stringify!($field)),*])
            }

            /// Lets Python pickle the object.
            fn __reduce__<'py>(slf: &pyo3::Bound<'py, Self>) -> pyo3::PyResult<$crate::record::Made<'py>> {
                $crate::record::constructor_args(slf.as_any(), &[$(stringify!($field)),*])
            }

            /// Lets `dataclasses.replace`, `asdict` and `fields` accept the object.
            #[classattr]
            fn __dataclass_fields__(py: pyo3::Python<'_>) -> pyo3::PyResult<pyo3::Bound<'_, pyo3::PyAny>> {
                $crate::record::data_fields(py, &[$(stringify!($field)),*])
            }

            /// Lets patterns of `match` use the attributes in order.
            #[classattr]
            fn __match_args__() -> $crate::record::Tuple<&'static str> {
                [$(stringify!($field)),*].into_iter().collect()
            }
        }
    )*};
}
pub(crate) use records;

/// Declares types for integer arguments: the Rust type, the name in messages, and the bounds.
macro_rules! numbers {
    ($($name:ident($kind:ty), $what:literal, $bounds:expr;)*) => {$(
        #[doc = concat!("Of Python: ", $what, ".")]
        #[derive(Clone, Copy, PartialEq, Eq, Hash, pyo3::IntoPyObject)]
        pub struct $name(pub $kind);

        impl<'py> pyo3::FromPyObject<'_, 'py> for $name {
            type Error = pyo3::PyErr;

            fn extract(given: pyo3::Borrowed<'_, 'py, pyo3::PyAny>) -> pyo3::PyResult<Self> {
                Ok(Self($crate::record::bounded_number(&given, $what, $bounds)? as $kind))
            }
        }
    )*};
}
pub(crate) use numbers;

/// Reads an integer between two bounds.
///
/// # Errors
/// The value is not an integer between the bounds. The message calls the value `what`.
pub fn bounded_number(given: &Bound<'_, PyAny>, what: &str, bounds: RangeInclusive<u32>) -> PyResult<u32> {
    if given.is_instance_of::<PyBool>() || !given.is_instance_of::<PyInt>() {
        let value_text = errors::show_value(given)?;
        return Err(errors::control(format!("expected {what}, a whole number, found {value_text}")));
    }
    if let Some(number) = given.extract().ok().filter(|number| bounds.contains(number)) {
        return Ok(number);
    }
    let (least, most, value_text) = (bounds.start(), bounds.end(), errors::show_value(given)?);
    Err(errors::control(format!("{what} {value_text} is out of range: expected {least} to {most}")))
}

/// Formats the class of a value and its attributes.
pub fn show_record(value: &Bound<'_, PyAny>, fields: &[&str]) -> PyResult<String> {
    let field = |name: &&str| Ok(format!("{name}={}", value.getattr(*name)?.repr()?));
    let fields: Vec<String> = fields.iter().map(field).collect::<PyResult<_>>()?;
    Ok(format!("{}({})", value.get_type().name()?, fields.join(", ")))
}

/// The class of a value, and the arguments for its constructor.
pub type Made<'py> = (Bound<'py, PyType>, Bound<'py, PyTuple>);

/// Returns the class and the arguments that pickle needs to make an equal value.
pub fn constructor_args<'py>(value: &Bound<'py, PyAny>, fields: &[&str]) -> PyResult<Made<'py>> {
    let fields: Vec<_> = fields.iter().map(|name| value.getattr(*name)).collect::<PyResult<_>>()?;
    Ok((value.get_type(), PyTuple::new(value.py(), fields)?))
}

/// Returns the fields of a Python data class, as the functions of `dataclasses` expect them.
/// Returns an empty dictionary if Python does not have that module; such a Python can still run a
/// switch.
pub fn data_fields<'py>(py: Python<'py>, fields: &[&str]) -> PyResult<Bound<'py, PyAny>> {
    let plain = [("init", false), ("repr", false), ("eq", false)].into_py_dict(py)?;
    plain.set_item("namespace", [("__doc__", "")].into_py_dict(py)?)?;
    let Ok(module) = py.import("dataclasses") else { return Ok(PyDict::new(py).into_any()) };
    let make_dataclass = module.getattr("make_dataclass")?;
    make_dataclass.call(("Record", fields), Some(&plain))?.getattr("__dataclass_fields__")
}
