//! Values with their names, as in traces, digests and messages.

use pyo3::prelude::*;
use pyo3::types::PyInt;
use weir_control::field_text::field_text;
use weir_ir::Bits;

use crate::record::records;

/// A non-negative integer of any size, without leading zero bytes.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Number(Vec<u8>);

impl Number {
    fn new(big_endian: &[u8]) -> Self {
        let zeros = big_endian.iter().take_while(|byte| **byte == 0).count();
        Self(big_endian.get(zeros..).unwrap_or_default().to_vec())
    }
}

impl<'py> IntoPyObject<'py> for Number {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        match self.0.iter().try_fold(0u64, |sum, byte| Some(sum.checked_mul(256)? + u64::from(*byte))) {
            Some(small) => Ok(small.into_pyobject(py)?.into_any()),
            None => py.get_type::<PyInt>().call_method1("from_bytes", (self.0.as_slice(), "big")),
        }
    }
}

impl<'py> FromPyObject<'_, 'py> for Number {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let bits: usize = given.call_method0("bit_length")?.extract()?;
        let bytes: Vec<u8> = given.call_method1("to_bytes", (bits.div_ceil(8), "big"))?.extract()?;
        Ok(Self::new(&bytes))
    }
}

records! {
    /// A value with its name.
    Value {
        /// The name in the program or in the control plane; empty if the value has none.
        name: String,
        /// The width of the value in bits; 0 for a text with a number that a P4Runtime client does
        /// not know.
        width: u32,
        /// The value, unsigned.
        number: Number,
        /// The value in readable form, if it has one: an enum member, an error, `true` or `false`,
        /// a negative number, or a text. `None` for other numbers.
        label: Option<String> = None,
        /// The header that contains the field, if `name` is only the field's last part.
        header: String = String::new(),
    }
}

impl Value {
    /// Creates a value of a program.
    pub fn new_of(name: &str, value: &Bits, label: Option<&str>) -> Self {
        Self {
            name: name.to_owned(),
            width: value.width(),
            number: Number::new(&value.to_be_bytes()),
            label: label.map(str::to_owned),
            header: String::new(),
        }
    }
}

#[pymethods]
impl Value {
    /// The number, with a sign if its type is signed.
    #[getter]
    fn signed_number<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let number = self.number.clone().into_pyobject(py)?;
        match &self.label {
            Some(label) if label.starts_with('-') => number.sub(1u8.into_pyobject(py)?.lshift(self.width)?),
            _ => Ok(number),
        }
    }

    /// The number, with a sign if its type is signed, or the text if the value is one.
    #[getter]
    pub fn plain<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.label {
            Some(label) if self.width == 0 => Ok(label.into_pyobject(py)?.into_any()),
            _ => self.signed_number(py),
        }
    }

    /// The value in the form that people read.
    #[getter]
    fn text(&self) -> String {
        let value = Bits::from_be_bytes(self.width, &self.number.0);
        field_text(&value, self.label.as_deref(), &self.header, &self.name)
    }

    pub fn __str__(&self) -> String {
        if self.name.is_empty() { self.text() } else { format!("{} = {}", self.name, self.text()) }
    }
}
