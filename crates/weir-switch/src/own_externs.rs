//! Externs that a program declares itself, with code from the user of the switch.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use weir_exec::FrameValue;
use weir_ir::{Bits, Type};

use crate::error::Place;

/// The code of externs that programs declare: functions, and types of objects. Names are those of
/// the P4 program.
///
/// Clones share the code. Two values are equal if they share it.
#[derive(Clone, Debug, Default)]
pub struct OwnExterns(Option<Arc<Known>>);

#[derive(Debug)]
struct Known {
    functions: BTreeMap<String, Arc<dyn OwnCode>>,
    types: BTreeMap<String, Arc<dyn OwnType>>,
}

/// The code of a function, or an object with its methods.
pub trait OwnCode: Debug + Send + Sync {
    /// Calls the function, or the method of the called name. `args` contains all arguments in
    /// order; those that the call writes have their value from before the call. Returns the values
    /// of `outputs`, in order, each with the width of its type.
    ///
    /// # Errors
    /// The call failed, and the packet is dropped. The code reports the reason itself.
    fn call(
        &self,
        called: &OwnCallee,
        args: &[OwnArg],
        outputs: &[OwnOutput],
    ) -> Result<Vec<Bits>, CallFailed>;
}

/// The function or method that a program calls, and the place of the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCallee {
    /// The name of the function or the method.
    pub name: String,
    /// The place of the call in the program.
    pub place: Place,
}

/// A type of objects.
pub trait OwnType: Debug + Send + Sync {
    /// Returns whether objects of this type have a method with this name.
    fn has_method(&self, name: &str) -> bool;

    /// Makes the object with this name from its constructor's arguments.
    ///
    /// # Errors
    /// The text says why there is no such object.
    fn object(&self, name: &str, args: &[OwnArg]) -> Result<Arc<dyn OwnCode>, String>;
}

/// An argument of a call or of a constructor.
#[derive(Clone, Debug, PartialEq)]
pub enum OwnArg {
    /// The values of a scalar, or of the fields of a struct, tuple, list or header in order. Fields
    /// of invalid headers are left out.
    Values {
        /// The parameter's name; empty for a constructor.
        name: Arc<str>,
        /// Each value with its type.
        values: Vec<(Type, Bits)>,
        /// Whether the argument is one scalar, and not a struct with one field.
        is_scalar: bool,
        /// Whether the call writes the argument. Its values are then among the call's outputs.
        is_written: bool,
    },
    /// A string.
    Text(String),
}

/// A value that a call writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OwnOutput {
    /// The type.
    pub ty: Type,
    /// Whether the value is part of the call's result, and not of an argument.
    pub is_result: bool,
}

/// A call that failed. Its code has reported the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallFailed;

/// An object, with the data from which it can be created again.
#[derive(Clone, Debug)]
pub(crate) struct OwnObject {
    of: Arc<dyn OwnType>,
    name: String,
    args: Vec<OwnArg>,
    pub code: Arc<dyn OwnCode>,
}

impl OwnExterns {
    /// Makes externs from their code, by name.
    pub fn new(
        functions: BTreeMap<String, Arc<dyn OwnCode>>,
        types: BTreeMap<String, Arc<dyn OwnType>>,
    ) -> Self {
        Self((!functions.is_empty() || !types.is_empty()).then(|| Arc::new(Known { functions, types })))
    }

    /// Returns whether there is no code.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the names of all functions and types, in order.
    pub fn names(&self) -> Vec<&str> {
        let known = self.0.iter().flat_map(|known| known.functions.keys().chain(known.types.keys()));
        let mut names: Vec<&str> = known.map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// Returns whether there is code for a function with this name.
    pub fn has_function(&self, name: &str) -> bool {
        self.function(name).is_some()
    }

    /// Returns whether there is code for a type with this name.
    pub fn has_type(&self, name: &str) -> bool {
        self.object_type(name).is_some()
    }

    pub(crate) fn function(&self, name: &str) -> Option<&Arc<dyn OwnCode>> {
        self.0.as_ref()?.functions.get(name)
    }

    pub(crate) fn object_type(&self, name: &str) -> Option<&Arc<dyn OwnType>> {
        self.0.as_ref()?.types.get(name)
    }
}

impl PartialEq for OwnExterns {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl Eq for OwnExterns {}

impl OwnObject {
    pub(crate) fn new(object_type: &Arc<dyn OwnType>, name: &str, args: Vec<OwnArg>) -> Result<Self, String> {
        let code = object_type.object(name, &args)?;
        Ok(Self { of: Arc::clone(object_type), name: name.to_owned(), args, code })
    }

    /// Makes the object as it was at the start. An object that cannot be made again stays as it is.
    pub(crate) fn initial(&self) -> Self {
        Self::new(&self.of, &self.name, self.args.clone()).unwrap_or_else(|_| self.clone())
    }
}

/// The places of a call's values in the words of its frame.
#[derive(Debug)]
pub(crate) struct OwnCall {
    pub called: OwnCallee,
    /// The places of each argument's values.
    pub args: Vec<OwnPlaces>,
    /// The values that the call writes.
    pub outputs: Vec<OwnOutput>,
    /// The place of each output.
    pub output_places: Vec<FrameValue>,
}

/// The places of an argument.
#[derive(Debug)]
pub(crate) enum OwnPlaces {
    Values { name: Arc<str>, values: Vec<(Type, FrameValue)>, is_scalar: bool, is_written: bool },
    Text(String),
}

impl OwnCall {
    /// Makes the call.
    pub(crate) fn run(&self, code: &dyn OwnCode, words: &mut [u64]) -> Result<(), CallFailed> {
        let read = |places: &OwnPlaces| match places {
            OwnPlaces::Text(text) => OwnArg::Text(text.clone()),
            OwnPlaces::Values { name, values, is_scalar, is_written } => OwnArg::Values {
                name: name.clone(),
                values: values
                    .iter()
                    .filter(|(_, place)| place.is_present(words))
                    .map(|(ty, place)| (*ty, place.read(words)))
                    .collect(),
                is_scalar: *is_scalar,
                is_written: *is_written,
            },
        };
        let args: Vec<OwnArg> = self.args.iter().map(read).collect();
        let values = code.call(&self.called, &args, &self.outputs)?;
        let fits = values.len() == self.outputs.len()
            && self.outputs.iter().zip(&values).all(|(output, value)| value.width() == output.ty.width());
        if !fits {
            return Err(CallFailed);
        }
        self.output_places.iter().zip(&values).for_each(|(place, value)| place.write(words, value));
        Ok(())
    }
}
