//! Classes of values: what Python sees of the records of other crates.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyType};

/// Values in order, for Python a tuple.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Tuple<T>(Vec<T>);

impl<T> Default for Tuple<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Tuple<T> {
    /// Its values.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.0.iter()
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

/// Declares classes of values: an attribute for each field. As with Python's frozen data classes,
/// the constructor takes the attributes in order, objects with equal attributes are equal, nothing
/// changes them, and they can be pickled. The documentation is Python's, too.
macro_rules! records {
    ($($(#[$class:meta])* $name:ident { $($(#[$about:meta])* $field:ident: $kind:ty,)* })*) => {$(
        $(#[$class])*
        #[pyo3::pyclass(module = "weir._core", frozen, get_all, eq, hash, from_py_object)]
        #[derive(Clone, PartialEq, Eq, Hash)]
        pub struct $name {
            $($(#[$about])* pub $field: $kind,)*
        }

        #[pyo3::pymethods]
        impl $name {
            #[new]
            #[pyo3(signature = (*values), text_signature = None)]
            fn new(values: Vec<pyo3::Bound<'_, pyo3::PyAny>>) -> pyo3::PyResult<Self> {
                let [$($field),*] = $crate::record::all(values)?;
                Ok(Self { $($field: $field.extract()?),* })
            }

            fn __repr__(slf: &pyo3::Bound<'_, Self>) -> pyo3::PyResult<String> {
                $crate::record::shown(slf.as_any(), &[$(stringify!($field)),*])
            }

            /// For pickling.
            fn __reduce__<'py>(slf: &pyo3::Bound<'py, Self>) -> pyo3::PyResult<$crate::record::Made<'py>> {
                $crate::record::made_from(slf.as_any(), &[$(stringify!($field)),*])
            }
        }
    )*};
}
pub(crate) use records;

/// The arguments of a constructor, one for each attribute.
pub fn all<const N: usize>(values: Vec<Bound<'_, PyAny>>) -> PyResult<[Bound<'_, PyAny>; N]> {
    let wrong = |values: Vec<_>| PyTypeError::new_err(format!("expected {N} values, found {}", values.len()));
    values.try_into().map_err(wrong)
}

/// The class of a value, and its attributes, as text.
pub fn shown(value: &Bound<'_, PyAny>, fields: &[&str]) -> PyResult<String> {
    let field = |name: &&str| Ok(format!("{name}={}", value.getattr(*name)?.repr()?));
    let fields: Vec<String> = fields.iter().map(field).collect::<PyResult<_>>()?;
    Ok(format!("{}({})", value.get_type().name()?, fields.join(", ")))
}

/// The class of a value, and the arguments of its constructor.
pub type Made<'py> = (Bound<'py, PyType>, Bound<'py, PyTuple>);

/// The class and the arguments that make an equal value when it is unpickled.
pub fn made_from<'py>(value: &Bound<'py, PyAny>, fields: &[&str]) -> PyResult<Made<'py>> {
    let fields: Vec<_> = fields.iter().map(|name| value.getattr(*name)).collect::<PyResult<_>>()?;
    Ok((value.get_type(), PyTuple::new(value.py(), fields)?))
}
