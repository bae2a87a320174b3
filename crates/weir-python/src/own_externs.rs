//! Externs whose code is in Python.
//!
//! An exception in this code must not be lost, but no packet can wait for it: the packet is
//! dropped, the exception is kept, and [`raise`] raises it when the run ends.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyTuple, PyType};
use weir_ir::visit::extern_calls;
use weir_ir::{Bits, Program, Type};
use weir_switch::{CallFailed, OwnArg, OwnCallee, OwnCode, OwnExterns, OwnOutput, OwnType};

use crate::errors;

thread_local! {
    /// The first exception since [`raise`].
    static FIRST_EXCEPTION: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    /// Whether code of an extern runs.
    static IS_RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Raises the first exception of the externs that ran in this thread since the last call.
///
/// # Errors
/// The code of an extern raised an exception, or returned values that do not fit.
pub fn raise() -> PyResult<()> {
    FIRST_EXCEPTION.take().map_or(Ok(()), Err)
}

/// Returns whether the code of an extern has raised an exception that [`raise`] will raise.
pub fn has_raised() -> bool {
    FIRST_EXCEPTION.with_borrow(Option::is_some)
}

/// Refuses a call from the code of an extern, which runs while the switch waits for it.
///
/// # Errors
/// The code of an extern runs in this thread.
pub fn refuse_inside() -> PyResult<()> {
    if IS_RUNNING.get() {
        return Err(errors::network_error(
            "the code of an extern cannot use switches and networks; use its arguments and its own state",
        ));
    }
    Ok(())
}

/// An `out` or `inout` argument of an extern.
#[pyclass]
pub struct OutArgument {
    /// The value: an int or bool, or a tuple of them for a struct.
    #[pyo3(get, set)]
    value: Py<PyAny>,
}

/// Makes externs from a dictionary of functions and classes, by the names of the P4 program.
pub fn read(given: &Bound<'_, PyDict>) -> PyResult<OwnExterns> {
    let mut functions: BTreeMap<String, Arc<dyn OwnCode>> = BTreeMap::new();
    let mut types: BTreeMap<String, Arc<dyn OwnType>> = BTreeMap::new();
    for (name, code) in given {
        let name: String = name.extract()?;
        if code.is_instance_of::<PyType>() {
            types.insert(name, Arc::new(Class(code.unbind())));
        } else if code.is_callable() {
            functions.insert(name, Arc::new(Function(code.unbind())));
        } else {
            let code_text = errors::show_value(&code)?;
            return Err(errors::network_error(format!(
                "the code for the extern \"{name}\" must be a function or a class, not {code_text}"
            )));
        }
    }
    Ok(OwnExterns::new(functions, types))
}

/// Refuses code for externs that the program neither calls nor instantiates.
///
/// # Errors
/// There is such code; the message names the program's externs.
pub fn refuse_unused(own: &OwnExterns, program: &Program) -> PyResult<()> {
    let calls = extern_calls(program);
    for (call, _) in &calls {
        let (name, method) = call.callee.split_once('.').unwrap_or((&call.callee, ""));
        refuse_kind(own, name, method.is_empty())?;
    }
    for object in program.externs.values() {
        refuse_kind(own, &object.kind, false)?;
    }
    let called = calls.iter().map(|(call, _)| call.callee.split('.').next().unwrap_or_default());
    let used: Vec<&str> = called.chain(program.externs.values().map(|object| object.kind.as_str())).collect();
    match own.names().iter().find(|name| !used.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let near = weir_suggest::nearest(name, used.iter().copied());
            let hint = near.map(|near| format!("; did you mean \"{near}\"?")).unwrap_or_default();
            Err(errors::network_error(format!("the program uses no extern \"{name}\"{hint}")))
        }
    }
}

/// Refuses a class for an extern function, and a function for a type of extern objects.
///
/// # Errors
/// The code for the extern is of the other kind.
fn refuse_kind(own: &OwnExterns, name: &str, is_function: bool) -> PyResult<()> {
    let (declared, wanted, given) = match is_function {
        true => ("a function", "a function", "a class"),
        false => ("a type of objects", "a class", "a function"),
    };
    let is_other = if is_function { own.has_type(name) } else { own.has_function(name) };
    if is_other {
        return Err(errors::network_error(format!(
            "the extern \"{name}\" is {declared} in the program, so its code must be {wanted}, not {given}"
        )));
    }
    Ok(())
}

/// A function in Python.
#[derive(Debug)]
struct Function(Py<PyAny>);

/// A class in Python.
#[derive(Debug)]
struct Class(Py<PyAny>);

/// An object in Python.
#[derive(Debug)]
struct Object(Py<PyAny>);

impl OwnCode for Function {
    fn call(
        &self,
        called: &OwnCallee,
        args: &[OwnArg],
        outputs: &[OwnOutput],
    ) -> Result<Vec<Bits>, CallFailed> {
        run(called, |py| call(self.0.bind(py), &called.name, args, outputs))
    }
}

impl OwnCode for Object {
    fn call(
        &self,
        called: &OwnCallee,
        args: &[OwnArg],
        outputs: &[OwnOutput],
    ) -> Result<Vec<Bits>, CallFailed> {
        let name = called.name.as_str();
        run(called, |py| call(&self.0.bind(py).getattr(name)?, name, args, outputs))
    }
}

impl OwnType for Class {
    fn has_method(&self, name: &str) -> bool {
        Python::attach(|py| self.0.bind(py).getattr(name).is_ok_and(|method| method.is_callable()))
    }

    fn object(&self, _name: &str, args: &[OwnArg]) -> Result<Arc<dyn OwnCode>, String> {
        let construct = |py: Python<'_>| -> PyResult<Py<PyAny>> {
            let args = args.iter().map(|arg| Ok(argument(py, arg)?.0)).collect::<PyResult<Vec<_>>>()?;
            Ok(self.0.bind(py).call1(PyTuple::new(py, args)?)?.unbind())
        };
        Python::attach(|py| inside(|| construct(py)).map_err(|error| error.to_string()))
            .map(|object| Arc::new(Object(object)) as Arc<dyn OwnCode>)
    }
}

/// Runs code of an extern.
fn inside<T>(code: impl FnOnce() -> T) -> T {
    let outer = IS_RUNNING.replace(true);
    let result = code();
    IS_RUNNING.set(outer);
    result
}

/// Runs a call, and keeps its exception with a note that says which call of the program it was.
fn run(
    called: &OwnCallee,
    code: impl FnOnce(Python<'_>) -> PyResult<Vec<Bits>>,
) -> Result<Vec<Bits>, CallFailed> {
    Python::attach(|py| {
        inside(|| code(py)).inspect_err(|error| {
            let note = format!("{}: the program calls `{}` here", called.place, called.name);
            // An exception whose class does not take notes is still the one that the user sees.
            _ = error.value(py).call_method1("add_note", (note,));
        })
    })
    .map_err(|error| {
        FIRST_EXCEPTION.with_borrow_mut(|raised| {
            raised.get_or_insert(error);
        });
        CallFailed
    })
}

fn call(code: &Bound<'_, PyAny>, name: &str, args: &[OwnArg], outputs: &[OwnOutput]) -> PyResult<Vec<Bits>> {
    let py = code.py();
    let (mut given, mut outs) = (Vec::new(), Vec::new());
    for arg in args {
        let (value, written) = argument(py, arg)?;
        given.push(value);
        outs.extend(written);
    }
    let result = code.call1(PyTuple::new(py, given)?)?;
    let of_result: Vec<Type> = outputs.iter().filter(|out| out.is_result).map(|out| out.ty).collect();
    let mut values = Vec::with_capacity(outputs.len());
    if !of_result.is_empty() {
        let description = format!("the extern `{name}` returned");
        values.extend(numbers(&result, &of_result, &description)?);
    }
    for (out, param, types) in outs {
        let description = format!("the extern `{name}` set `{param}` to");
        values.extend(numbers(out.borrow(py).value.bind(py), &types, &description)?);
    }
    Ok(values)
}

/// An argument that a call writes: the object that holds its value, the parameter's name, the types
/// of its values.
type Written<'a> = (Py<OutArgument>, &'a str, Vec<Type>);

/// Converts an argument to Python.
fn argument<'py, 'a>(py: Python<'py>, arg: &'a OwnArg) -> PyResult<(Bound<'py, PyAny>, Option<Written<'a>>)> {
    let OwnArg::Values { name, values, is_scalar, is_written } = arg else {
        let OwnArg::Text(text) = arg else { unreachable!("there are two kinds of arguments") };
        return Ok((text.into_pyobject(py)?.into_any(), None));
    };
    let mut numbers = values.iter().map(|(ty, value)| to_python(py, *ty, value));
    let value = match numbers.next() {
        Some(first) if *is_scalar => first?,
        first => {
            PyTuple::new(py, first.into_iter().chain(numbers).collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
    };
    if !is_written {
        return Ok((value, None));
    }
    let out_argument = Py::new(py, OutArgument { value: value.unbind() })?;
    let types = values.iter().map(|(ty, _)| *ty).collect();
    Ok((out_argument.bind(py).clone().into_any(), Some((out_argument, name, types))))
}

fn is_signed(ty: Type) -> bool {
    matches!(ty, Type::Bits { signed: true, .. })
}

/// Converts a value to a Python bool or int.
fn to_python<'py>(py: Python<'py>, ty: Type, value: &Bits) -> PyResult<Bound<'py, PyAny>> {
    if ty == Type::Bool {
        return Ok(PyBool::new(py, !value.is_zero()).to_owned().into_any());
    }
    if let (Some(small), false) = (value.to_u64(), is_signed(ty)) {
        return Ok(small.into_pyobject(py)?.into_any());
    }
    let width = value.width();
    let padded = if is_signed(ty) { value.resize_signed(width.next_multiple_of(8)) } else { value.clone() };
    let options = PyDict::new(py);
    options.set_item("signed", is_signed(ty))?;
    let bytes = PyBytes::new(py, &padded.to_be_bytes());
    py.get_type::<PyInt>().call_method("from_bytes", (bytes, "big"), Some(&options))
}

/// Reads the values of a result or argument, which is a number if there is one type, and otherwise
/// a sequence.
fn numbers(value: &Bound<'_, PyAny>, types: &[Type], what: &str) -> PyResult<Vec<Bits>> {
    if let ([ty], true) = (types, value.is_instance_of::<PyInt>()) {
        return Ok(vec![bits(value, *ty, what)?]);
    }
    let type_error = || -> PyResult<PyErr> {
        let value_text = errors::show_value(value)?;
        let wanted = match types {
            [Type::Bool] => "a bool".to_owned(),
            [_] => "an int".to_owned(),
            types => format!("a sequence of {} numbers", types.len()),
        };
        Ok(PyTypeError::new_err(format!("{what} {value_text}; expected {wanted}")))
    };
    let Ok(items) = value.extract::<Vec<Bound<'_, PyAny>>>() else { return Err(type_error()?) };
    if items.len() != types.len() || items.iter().any(|item| !item.is_instance_of::<PyInt>()) {
        return Err(type_error()?);
    }
    items.iter().zip(types).map(|(item, ty)| bits(item, *ty, what)).collect()
}

/// Returns a number as text, or its length if it is too long to read.
fn shown(value: &Bound<'_, PyAny>) -> String {
    const READABLE: u64 = 512;
    let bits = value.call_method0("bit_length").and_then(|bits| bits.extract::<u64>());
    match bits {
        Ok(bits) if bits > READABLE => format!("a number of {bits} bits"),
        _ => value.to_string(),
    }
}

/// Converts an int or bool to bits of its type.
fn bits(value: &Bound<'_, PyAny>, ty: Type, what: &str) -> PyResult<Bits> {
    let (width, signed) = (ty.width(), is_signed(ty));
    let refused = || {
        let range = match (ty, signed) {
            (Type::Bool, _) => "False and True".to_owned(),
            (_, false) => format!("0 and 2**{width} - 1"),
            (_, true) => format!("-2**{} and 2**{0} - 1", width.saturating_sub(1)),
        };
        PyValueError::new_err(format!("{what} {}; expected a number between {range}", shown(value)))
    };
    // One byte more than needed, so that a number that is too large is always noticed.
    let bytes = width as usize / 8 + 1;
    let options = PyDict::new(value.py());
    options.set_item("signed", signed)?;
    let read = match value.call_method("to_bytes", (bytes, "big"), Some(&options)) {
        Err(error) if error.is_instance_of::<PyOverflowError>(value.py()) => return Err(refused()),
        read => read?,
    };
    let wide = Bits::from_be_bytes(8 * bytes as u32, read.cast::<PyBytes>()?.as_bytes());
    let bits = wide.resize(width);
    let back = if signed { bits.resize_signed(wide.width()) } else { bits.resize(wide.width()) };
    if back == wide { Ok(bits) } else { Err(refused()) }
}
