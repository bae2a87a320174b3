//! Parameters of parsers and controls that other blocks apply: sharing storage with arguments, or
//! copying.

use std::rc::Rc;

use num_bigint::BigInt;
use weir_ir as ir;

use super::args::{Argument, ArgumentInput};
use super::context::{Binding, Context};
use super::fold;
use super::object::{BlockDeclaration, Object};
use super::place::Place;
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, Direction, Type};

/// The way in which a parameter of an applied block receives its argument.
#[derive(Clone, Debug)]
pub(super) enum ParamBinding {
    /// The parameter is another name for the argument's storage: this is the only application, and
    /// no other argument shares the storage, so that copying in and out would make no difference.
    Shared(Store),
    /// The argument is copied into and out of separate storage.
    Copied(Store),
    /// An extern object or packet. It needs no code at run time, unless it is a choice between
    /// objects.
    Object(Option<Object>),
    /// A number without width or a string, the same in all applications.
    Constant(Option<Constant>),
}

/// The value of a parameter that is the same in all applications of a block.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Constant {
    Int(BigInt),
    Text(String),
}

impl Constant {
    fn from_argument(argument: &Argument) -> Option<Self> {
        match &argument.given {
            ArgumentInput::Value(Value::Int(value)) => Some(Self::Int(value.clone())),
            ArgumentInput::Value(Value::Text(text)) => Some(Self::Text(text.clone())),
            _ => None,
        }
    }

    /// Returns the bound constant as a value.
    fn value(self) -> Value {
        match self {
            Self::Int(value) => Value::Int(value),
            Self::Text(text) => Value::Text(text),
        }
    }
}

impl Lowerer<'_> {
    /// Chooses the binding of each parameter of an applied block, and allocates storage for those
    /// that are copied. Opens the frame of the block.
    pub(super) fn bind_params(
        &mut self,
        params: &[hir::Param],
        arguments: &[Argument],
        only_application: bool,
        block: usize,
    ) -> Lowered<Vec<ParamBinding>> {
        let frame = self.open_frame(block, false);
        let storage = self.frames[frame].storage.clone();
        let mut bindings = Vec::with_capacity(params.len());
        for (position, param) in params.iter().enumerate() {
            let ty = self.hir.vars[param.var].ty;
            if matches!(self.types[ty], Type::Int | Type::String) {
                let constant = Constant::from_argument(&arguments[position]);
                let bound = constant.clone().map_or(Value::Nothing, Constant::value);
                self.frames[frame].vars.insert(param.var, Binding::Value(bound));
                bindings.push(ParamBinding::Constant(constant));
                continue;
            }
            if matches!(self.types[ty], Type::Extern { .. }) {
                let several = self.known.objects(block, position).map(Rc::<[ir::ExternId]>::from);
                let object = match (several, &arguments[position].given) {
                    (Some(objects), _) => {
                        let context = Context { frame, storage: storage.clone(), ..Context::default() };
                        let chosen = self.in_context(context, |this| Ok(this.temporary_var(fold::U32))).0?;
                        Some(Object::Choice(chosen, objects))
                    }
                    (None, ArgumentInput::Value(Value::Object(object))) => Some(object.clone()),
                    _ => None,
                };
                let bound = object.clone().map_or(Value::Nothing, Value::Object);
                self.frames[frame].vars.insert(param.var, Binding::Value(bound));
                bindings.push(ParamBinding::Object(object));
                continue;
            }
            let shared = only_application.then(|| self.bindable(arguments, position)).flatten();
            bindings.push(match shared {
                Some(store) => {
                    self.frames[frame].vars.insert(param.var, Binding::Store(store.clone()));
                    ParamBinding::Shared(store)
                }
                None => {
                    let context = Context { frame, storage: storage.clone(), ..Context::default() };
                    ParamBinding::Copied(self.in_context(context, |this| this.declare(param.var)).0?)
                }
            });
        }
        Ok(bindings)
    }

    /// Returns the storage of an argument, if the parameter may share it.
    fn bindable(&self, arguments: &[Argument], position: usize) -> Option<Store> {
        let argument = &arguments[position];
        let store = argument.static_store()?;
        if argument.is_written() && self.depends_on_surroundings(store) {
            return None;
        }
        let vars = self.vars_of(store);
        let clashes = arguments.iter().enumerate().any(|(other, against)| {
            let written = argument.is_written() || against.is_written();
            other != position
                && written
                && match against.static_store() {
                    Some(store) => self.vars_of(store).iter().any(|var| vars.contains(var)),
                    // A value or a place chosen at run time may read or write anything.
                    None => against.accesses_any(self, &vars),
                }
        });
        (!clashes).then(|| store.clone())
    }

    /// Returns whether the store differs from a plain variable: `setValid` clears the fields of a
    /// header, and a write to a union's header invalidates the others.
    fn depends_on_surroundings(&self, store: &Store) -> bool {
        match store {
            Store::Header { id, .. } => self.out.headers[*id].union.is_some(),
            Store::Scalar(var) => self.out.vars[*var].role != ir::VarRole::Plain,
            Store::Group(members) | Store::Array(members) => {
                members.iter().any(|member| self.depends_on_surroundings(member))
            }
            Store::Union(_) | Store::Stack { .. } | Store::Nothing => false,
        }
    }

    /// Copies arguments in; `out` parameters start at zero.
    pub(super) fn copy_params_in(
        &mut self,
        block: usize,
        bindings: &[ParamBinding],
        arguments: &[Argument],
    ) -> Lowered<()> {
        for (position, (binding, argument)) in bindings.iter().zip(arguments).enumerate() {
            match binding {
                ParamBinding::Shared(store) if argument.static_store() == Some(store) => {}
                ParamBinding::Shared(_) => self.known.record_copied(block),
                ParamBinding::Copied(store) => self.copy_in(store, argument)?,
                ParamBinding::Constant(constant) => {
                    if Constant::from_argument(argument) != *constant {
                        return self.unsupported(
                            argument.span,
                            "applying one instance with different strings or numbers without width",
                        );
                    }
                }
                ParamBinding::Object(object) => {
                    if let (Some(object), ArgumentInput::Value(Value::Object(given))) =
                        (object, &argument.given)
                    {
                        self.bind_object(block, position, object, given, argument.span)?;
                    }
                }
            }
        }
        // This must be last, since a copied argument may read storage that resetting a shared `out`
        // parameter clears.
        for (binding, argument) in bindings.iter().zip(arguments) {
            if let ParamBinding::Shared(store) = binding
                && argument.direction == Direction::Out
            {
                self.reset_store(store);
            }
        }
        Ok(())
    }

    /// Binds a parameter to the extern object that this application passes.
    fn bind_object(
        &mut self,
        block: usize,
        position: usize,
        object: &Object,
        given: &Object,
        span: weir_syntax::Span,
    ) -> Lowered<()> {
        if let BlockDeclaration::Parser(decl) = self.blocks[block].declaration {
            // Each application of a parser has its own copy of the parser's states.
            let param = self.hir.parsers[decl].params[position].var;
            if let Some(frame) = self.blocks[block].frame {
                self.frames[frame].vars.insert(param, Binding::Value(Value::Object(given.clone())));
            }
            return Ok(());
        }
        match (object, given) {
            (Object::Choice(chosen, objects), Object::Extern(given)) => {
                match objects.iter().position(|object| object == given) {
                    Some(index) => self.set(*chosen, fold::u32_const(index as u32)),
                    None => self.known.record_objects(block, position, &[*given]),
                }
                Ok(())
            }
            (Object::Extern(first), Object::Extern(given)) => {
                if first != given {
                    self.known.record_objects(block, position, &[*first, *given]);
                }
                Ok(())
            }
            _ if object == given => Ok(()),
            _ => self.unsupported(span, "an argument of this kind in the application of a block"),
        }
    }

    /// Copies results out, in the order of the arguments.
    pub(super) fn copy_params_out(
        &mut self,
        bindings: &[ParamBinding],
        arguments: &[Argument],
    ) -> Lowered<()> {
        let stores: Vec<Option<&Store>> = bindings
            .iter()
            .map(|binding| match binding {
                ParamBinding::Copied(store) => Some(store),
                _ => None,
            })
            .collect();
        self.copy_out(&stores, arguments)
    }
}

impl Argument {
    /// Returns the known storage that the argument names as a whole.
    fn static_store(&self) -> Option<&Store> {
        match &self.place {
            Some(Place::Store(store)) if !self.saved || self.direction == Direction::Out => Some(store),
            _ => None,
        }
    }

    fn is_written(&self) -> bool {
        matches!(self.direction, Direction::Out | Direction::InOut)
    }

    /// Returns whether the argument may read or write one of the variables.
    fn accesses_any(&self, lowerer: &Lowerer, vars: &[ir::VarId]) -> bool {
        let place = match &self.place {
            Some(place) => lowerer.read(place).read_vars(),
            None => Vec::new(),
        };
        let value = match &self.given {
            // A value is copied in before anything else happens.
            ArgumentInput::Value(_) | ArgumentInput::Omitted => Vec::new(),
            ArgumentInput::InOut(value) => value.read_vars(),
            ArgumentInput::Out => Vec::new(),
        };
        place.iter().chain(&value).any(|var| vars.contains(var))
    }
}
