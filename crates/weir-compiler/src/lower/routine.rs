//! Functions: one procedure for each use with other type arguments, its storage static since nothing recurs.

use std::rc::Rc;

use weir_ir as ir;
use weir_ir::{Block, StmtKind};

use super::args::Given;
use super::blocks::Object;
use super::context::{Binding, BodyKind, Context, Frame};
use super::names::NameKind;
use super::store::Store;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, TypeId, Types};

/// What tells instantiations of functions apart: type arguments and extern objects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct RoutineKey {
    function: hir::FunctionId,
    type_args: Vec<TypeId>,
    objects: Vec<Option<usize>>,
}

/// A function's procedure.
#[derive(Debug)]
pub(super) struct Routine {
    procedure: ir::ProcedureId,
    /// `None` for extern objects.
    params: Vec<Option<Store>>,
    result: Option<Store>,
}

impl Lowerer<'_> {
    /// Calls a function with a body.
    pub(super) fn call_function(
        &mut self,
        function: hir::FunctionId,
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
                Given::Value(value @ (Value::Object(_) | Value::Text(_))) => Some(value.clone()),
                _ => None,
            })
            .collect();
        let mut key_objects = Vec::with_capacity(objects.len());
        for (object, arg) in objects.iter().zip(&call.args) {
            key_objects.push(match object {
                None => None,
                Some(Value::Object(Object::Extern(id))) => Some(id.index()),
                Some(_) => return self.unsupported(arg.span, "passing this to a function"),
            });
        }
        let key = RoutineKey { function, type_args: type_args.clone(), objects: key_objects };
        let known = self.routines.get(&key).cloned();
        let routine = match known {
            Some(routine) => routine,
            None => {
                let routine = Rc::new(self.routine(function, type_args.clone(), objects)?);
                self.routines.insert(key, routine.clone());
                routine
            }
        };
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

    fn routine(
        &mut self,
        function: hir::FunctionId,
        type_args: Vec<TypeId>,
        objects: Vec<Option<Value>>,
    ) -> Lowered<Routine> {
        let declaration = &self.hir.functions[function];
        let name = self.names.unique(NameKind::Procedure, &declaration.name.text);
        self.frames.push(Frame { storage: name.clone(), ..Frame::default() });
        let frame = self.frames.len() - 1;
        let context = Context {
            frame,
            type_params: declaration.type_params.clone(),
            type_args,
            kind: BodyKind::Routine,
            storage: name.clone(),
            ..Context::default()
        };
        let (lowered, context) = self.within(context, |this| {
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
                let name = super::names::join(&this.cx.storage, "$result");
                Some(this.allocate(declaration.return_type, &name, &none, declaration.name.span)?)
            };
            this.cx.result = result.clone();
            this.block(&declaration.body)?;
            Ok((params, result))
        });
        let (params, result) = lowered?;
        let loc = self.loc(declaration.name.span);
        let procedure = self.out.procedures.push(ir::Procedure { name, body: Block(context.output), loc });
        Ok(Routine { procedure, params, result })
    }
}
