//! Functions. Each distinct instantiation becomes one procedure. Its storage is static, since P4
//! has no recursion.

use std::rc::Rc;

use num_bigint::BigInt;
use weir_ir as ir;
use weir_ir::{Block, StmtKind};
use weir_syntax::{Diagnostic, Span};

use super::args::ArgumentInput;
use super::context::{Binding, BodyKind, Context, Frame};
use super::names::{NameKind, qualified_name};
use super::object::Object;
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, TypeId, Types};

/// The value of a parameter that is known at compile time and that no variable can hold.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FixedValue {
    /// An extern object.
    Object(usize),
    Int(BigInt),
    Text(String),
}

/// The identity of an instantiation: type arguments, extern objects and other compile-time values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RoutineKey {
    function: hir::FunctionId,
    /// The frame of the object whose abstract method the function implements.
    object: Option<usize>,
    type_args: Vec<TypeId>,
    fixed: Vec<Option<FixedValue>>,
}

/// The procedure to which a function is lowered, and its parameters.
#[derive(Debug)]
pub(super) struct Routine {
    pub procedure: ir::ProcedureId,
    /// The storage of each parameter; `None` for extern objects and other compile-time values.
    pub params: Vec<Option<Store>>,
    pub result: Option<Store>,
}

impl RoutineKey {
    /// Returns the key of a function that implements an abstract method of an object, which the
    /// architecture calls.
    pub(super) fn implementation(function: hir::FunctionId, object: usize, params: usize) -> Self {
        Self { function, object: Some(object), type_args: Vec::new(), fixed: vec![None; params] }
    }
}

impl Lowerer<'_> {
    /// Calls a function with a body. A function that implements an abstract method uses the frame
    /// of its `object`.
    pub(super) fn call_function(
        &mut self,
        function: hir::FunctionId,
        object: Option<usize>,
        call: &hir::Call,
        wanted: bool,
    ) -> Lowered<Value> {
        let declaration = &self.hir.functions[function];
        let type_args: Vec<TypeId> = call.type_args.iter().map(|&arg| self.ty(arg)).collect();
        let arguments =
            self.arguments(&declaration.params, &call.args, &declaration.type_params, &type_args)?;
        let objects: Vec<Option<Value>> = arguments
            .iter()
            .map(|argument| match &argument.given {
                ArgumentInput::Value(value @ (Value::Object(_) | Value::Text(_) | Value::Int(_))) => {
                    Some(value.clone())
                }
                _ => None,
            })
            .collect();
        let mut fixed = Vec::with_capacity(objects.len());
        for (object, arg) in objects.iter().zip(&call.args) {
            fixed.push(match object {
                None => None,
                Some(Value::Object(Object::Extern(id))) => Some(FixedValue::Object(id.index())),
                Some(Value::Int(value)) => Some(FixedValue::Int(value.clone())),
                Some(Value::Text(text)) => Some(FixedValue::Text(text.clone())),
                Some(_) => return self.unsupported(arg.span, "an argument of this kind in a function call"),
            });
        }
        let key = RoutineKey { function, object, type_args: type_args.clone(), fixed };
        let routine = self.routine(key, objects, call.span)?;
        for (store, argument) in routine.params.iter().zip(&arguments) {
            if let Some(store) = store {
                self.copy_in(store, argument)?;
            }
        }
        self.emit(StmtKind::Call(routine.procedure));
        let stores: Vec<Option<&Store>> = routine.params.iter().map(Option::as_ref).collect();
        self.copy_out(&stores, &arguments)?;
        match &routine.result {
            Some(result) if wanted => {
                // The next call of the same function overwrites its result.
                let ty = self.types.substitute(declaration.return_type, &declaration.type_params, &type_args);
                let value = self.load(result);
                self.save(value, ty)
            }
            _ => Ok(Value::Nothing),
        }
    }

    /// Returns the procedure of a function, which is generated at its first use.
    pub(super) fn routine(
        &mut self,
        key: RoutineKey,
        objects: Vec<Option<Value>>,
        span: Span,
    ) -> Lowered<Rc<Routine>> {
        if let Some(known) = self.routines.get(&key) {
            return Ok(known.clone());
        }
        if self.open_routines.contains(&key) {
            let name = &self.hir.functions[key.function].name.text;
            return self.refuse(
                Diagnostic::error("recursion", format!("`{name}` calls itself, directly or indirectly"))
                    .primary(span, "this call makes it recursive")
                    .note("P4 does not allow recursion"),
            );
        }
        self.count_item(span)?;
        self.open_routines.push(key.clone());
        let lowered = self.routine_body(&key, objects);
        self.open_routines.pop();
        let routine = Rc::new(lowered?);
        self.routines.insert(key, routine.clone());
        Ok(routine)
    }

    fn routine_body(&mut self, key: &RoutineKey, objects: Vec<Option<Value>>) -> Lowered<Routine> {
        let declaration = &self.hir.functions[key.function];
        let surroundings = key.object.map(|frame| &self.frames[frame]);
        let name = surroundings.map_or_else(String::new, |frame| frame.storage.clone());
        let name = self.names.unique(NameKind::Procedure, &qualified_name(&name, &declaration.name.text));
        let mut frame = surroundings.map_or_else(Frame::default, Frame::enclosing_frame);
        frame.storage.clone_from(&name);
        frame.type_params.extend(&declaration.type_params);
        frame.type_args.extend(&key.type_args);
        self.frames.push(frame);
        let frame = self.frames.len() - 1;
        let context = Context { frame, kind: BodyKind::Routine, storage: name.clone(), ..Context::default() };
        let (lowered, context) = self.in_context(context, |this| {
            let mut params = Vec::with_capacity(declaration.params.len());
            for (param, object) in declaration.params.iter().zip(objects) {
                params.push(match object {
                    Some(value) => {
                        this.bind(param.var, Binding::Value(value));
                        None
                    }
                    None => Some(this.declare(param.var)?),
                });
            }
            let result = if declaration.return_type == Types::VOID {
                None
            } else {
                let none = hir::Annotations::default();
                let name = qualified_name(&this.cx.storage, "$result");
                Some(this.allocate(declaration.return_type, &name, &none, declaration.name.span)?)
            };
            this.cx.result = result.clone();
            this.block(&declaration.body)?;
            Ok((params, result))
        });
        let (params, result) = lowered?;
        let loc = self.loc(declaration.name.span);
        let procedure =
            self.out.procedures.push(ir::Procedure { name, action: None, body: Block(context.output), loc });
        Ok(Routine { procedure, params, result })
    }
}
