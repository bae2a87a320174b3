//! Abstract methods of extern objects, which the program implements where it instantiates them
//! (P4_16 section 11.3.1).
//!
//! An implementation is a procedure. Calls in the program run the procedure directly. The extern
//! object lists it, so that an architecture can run it too.

use weir_ir as ir;
use weir_syntax::Span;

use super::context::{Context, Frame};
use super::names::qualified_name;
use super::routine::RoutineKey;
use super::{Lowered, Lowerer};
use crate::hir::{self, Direction, Type};

/// The function that implements an abstract method of an object.
#[derive(Clone, Debug)]
pub(super) struct Implementation {
    pub function: hir::FunctionId,
    /// The positions of the method's parameters that the function takes.
    pub params: Vec<usize>,
    /// The frame in which its names are resolved.
    pub frame: usize,
}

impl Lowerer<'_> {
    /// Lowers the declarations in the braces of an extern object's instantiation.
    pub(super) fn implement(
        &mut self,
        declaration: &hir::Instance,
        object: ir::ExternId,
        control_plane: &str,
        storage: &str,
    ) -> Lowered<()> {
        let frame = Frame {
            storage: storage.to_string(),
            control_plane: control_plane.to_string(),
            this: Some(object),
            ..self.frames[self.cx.frame].enclosing_frame()
        };
        self.frames.push(frame);
        let frame = self.frames.len() - 1;
        for method in &declaration.methods {
            let params = method.params.clone();
            let implementation = Implementation { function: method.function, params, frame };
            self.implementations.insert((object, method.method), implementation);
        }
        let context = Context { frame, storage: storage.to_string(), ..Context::default() };
        let (lowered, _) = self.in_context(context, |this| {
            for &member in &declaration.members {
                this.instantiate(member)?;
            }
            declaration.methods.iter().try_for_each(|method| this.callback(object, method.function, frame))
        });
        lowered
    }

    /// Adds an implementation to its object in the IR. Methods with extern objects among their
    /// parameters are left out, because an architecture has no objects to pass.
    fn callback(&mut self, object: ir::ExternId, function: hir::FunctionId, frame: usize) -> Lowered<()> {
        let declaration = &self.hir.functions[function];
        let takes_objects = declaration.params.iter().any(|param| {
            matches!(self.types[self.hir.vars[param.var].ty], Type::Extern { .. } | Type::String | Type::Int)
        });
        if takes_objects || !declaration.type_params.is_empty() {
            return Ok(());
        }
        let key = RoutineKey::implementation(function, frame, declaration.params.len());
        let none = declaration.params.iter().map(|_| None).collect();
        let routine = self.routine(key, none, Span::NONE)?;
        let name = declaration.name.text.clone();
        let mut params = Vec::with_capacity(declaration.params.len());
        for (param, store) in declaration.params.iter().zip(&routine.params) {
            let Some(store) = store else { continue };
            let var = &self.hir.vars[param.var];
            let prefix = qualified_name(&self.out.procedures[routine.procedure].name, &var.name.text);
            params.push(ir::Param {
                name: var.name.text.clone(),
                direction: match param.direction {
                    Direction::None | Direction::In => ir::Direction::In,
                    Direction::Out => ir::Direction::Out,
                    Direction::InOut => ir::Direction::InOut,
                },
                type_name: self.type_name(var.ty),
                storage: self.storage(store, &prefix),
            });
        }
        let result = routine.result.as_ref().map_or_else(Vec::new, |store| self.vars_of(store));
        let procedure = routine.procedure;
        self.out.externs[object].methods.push(ir::ExternMethod { name, procedure, params, result });
        Ok(())
    }
}
