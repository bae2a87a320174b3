//! Calls of extern functions and of methods of extern objects.

use num_bigint::Sign;
use weir_ir as ir;
use weir_ir::{Leaf, StmtKind};
use weir_syntax::{Diagnostic, Span};

use super::abstract_method::Implementation;
use super::args::{Argument, ArgumentInput};
use super::fold;
use super::object::Object;
use super::place::Place;
use super::store::Store;
use super::types::Shape;
use super::value::Value;
use super::{Lowered, Lowerer};
use crate::hir::{self, Direction, Signature, Type, TypeId, TypeVarId, Types};

impl Lowerer<'_> {
    /// Lowers a call of an extern function. The functions of core.p4 have their own IR statements.
    pub(super) fn call_extern_function(
        &mut self,
        function: hir::ExternFunctionId,
        call: &hir::Call,
        wanted: bool,
    ) -> Lowered<Value> {
        let signature = &self.hir.extern_functions[function].0;
        match signature.name.text.as_str() {
            "verify" => self.verify(call),
            "static_assert" => self.static_assert(call),
            name => {
                let name = name.to_string();
                self.call_extern(signature, name, None, (&[], &[]), call, wanted)
            }
        }
    }

    /// Lowers a call of a method of an extern object. Methods of packets have their own IR
    /// statements.
    pub(super) fn call_method(
        &mut self,
        object: &hir::Expr,
        decl: hir::ExternId,
        method: usize,
        call: &hir::Call,
        wanted: bool,
    ) -> Lowered<Value> {
        let declaration = &self.hir.externs[decl];
        let signature = &declaration.methods[method];
        match declaration.name.text.as_str() {
            "packet_in" => return self.call_packet_in(signature, call),
            "packet_out" => return self.call_packet_out(signature, call),
            _ => {}
        }
        let Value::Object(Object::Extern(instance)) = self.value(object)? else {
            return self
                .unsupported(object.span, "a method call on an expression that is not an extern object");
        };
        if let Some(implementation) = self.implementations.get(&(instance, method)).cloned() {
            let Implementation { function, params, frame } = implementation;
            // Arguments that the implementation does not take are still evaluated for their side
            // effects.
            for (position, arg) in call.args.iter().enumerate() {
                if let (hir::ArgValue::Expr(expr), false) = (&arg.value, params.contains(&position))
                    && signature.params[position].direction != Direction::Out
                {
                    self.value(expr)?;
                }
            }
            let args = params.iter().map(|&position| call.args[position].clone()).collect();
            let call = hir::Call { args, ..call.clone() };
            return self.call_function(function, Some(frame), &call, wanted);
        }
        if signature.is_abstract && instance.index() >= self.out.externs.len() {
            return self
                .unsupported(call.span, "an abstract method of an object that is created after the call");
        }
        let callee = format!("{}.{}", declaration.name.text, signature.name.text);
        let object_ty = self.ty(object.ty);
        let object_args = match self.types[object_ty].clone() {
            Type::Extern { args, .. } => args,
            _ => Vec::new(),
        };
        self.call_extern(
            signature,
            callee,
            Some(instance),
            (&declaration.type_params, &object_args),
            call,
            wanted,
        )
    }

    fn call_extern(
        &mut self,
        signature: &Signature,
        callee: String,
        instance: Option<ir::ExternId>,
        (object_params, object_args): (&[TypeVarId], &[TypeId]),
        call: &hir::Call,
        wanted: bool,
    ) -> Lowered<Value> {
        let own_args: Vec<TypeId> = call.type_args.iter().map(|&arg| self.ty(arg)).collect();
        let type_params: Vec<TypeVarId> =
            object_params.iter().chain(&signature.type_params).copied().collect();
        let type_args: Vec<TypeId> = object_args.iter().chain(&own_args).copied().collect();
        let arguments = self.arguments(&signature.params, &call.args, &type_params, &type_args)?;
        let mut args = Vec::with_capacity(arguments.len());
        // The destinations of results that cannot be written in place.
        let mut stores: Vec<Option<Store>> = Vec::with_capacity(arguments.len());
        for (param, argument) in signature.params.iter().zip(&arguments) {
            let (value, store) = self.extern_argument(argument)?;
            stores.push(store);
            if let Some(value) = value {
                args.push(ir::Arg {
                    name: self.hir.vars[param.var].name.text.clone(),
                    direction: match argument.direction {
                        Direction::None | Direction::In => ir::Direction::In,
                        Direction::Out => ir::Direction::Out,
                        Direction::InOut => ir::Direction::InOut,
                    },
                    value,
                });
            }
        }
        let return_type = self.types.substitute(signature.return_type, &type_params, &type_args);
        let result =
            if wanted && return_type != Types::VOID { Some(self.temporary(return_type)?) } else { None };
        let result_vars = match &result {
            Some(store) => self.written_vars(store),
            None => Vec::new(),
        };
        let declared = self.declared_args(&own_args);
        let mut flat = Vec::new();
        for arg in own_args {
            self.flatten_type(arg, &mut flat);
        }
        self.emit(StmtKind::Extern(ir::ExternCall {
            callee,
            instance,
            type_args: flat,
            declared,
            args,
            result: result_vars,
        }));
        let stores: Vec<Option<&Store>> = stores.iter().map(Option::as_ref).collect();
        self.copy_out(&stores, &arguments)?;
        Ok(result.map_or(Value::Nothing, |store| self.load(&store)))
    }

    /// Converts an argument to the IR. Returns the temporary to copy out afterwards, if there is
    /// one.
    fn extern_argument(&mut self, argument: &Argument) -> Lowered<(Option<ir::ArgValue>, Option<Store>)> {
        match &argument.given {
            ArgumentInput::Omitted => Ok((None, None)),
            ArgumentInput::Value(Value::Text(text)) => Ok((Some(ir::ArgValue::Text(text.clone())), None)),
            ArgumentInput::Value(Value::Object(Object::Extern(id))) => {
                Ok((Some(ir::ArgValue::Extern(*id)), None))
            }
            // A negative constant index gets the maximum width of an index, so that it is out of
            // range.
            ArgumentInput::Value(Value::Int(value)) if argument.direction == Direction::In => {
                let least = if value.sign() == Sign::Minus { 64 } else { 1 };
                let width = u32::try_from(value.bits() + 1).unwrap_or(u32::MAX).max(least);
                let leaf = Leaf::Value(fold::number(ir::Type::int(width), value));
                Ok((Some(ir::ArgValue::Leaves(vec![leaf])), None))
            }
            ArgumentInput::Value(value) => {
                let mut leaves = Vec::new();
                self.leaves(value, argument.ty, argument.span, &mut leaves)?;
                Ok((Some(ir::ArgValue::Leaves(leaves)), None))
            }
            ArgumentInput::Out | ArgumentInput::InOut(_) => {
                let mut names = Vec::new();
                self.leaf_names(argument.ty, "", &mut names);
                // Headers may belong to a union, where validating one invalidates the others.
                if let Some(Place::Store(store)) = &argument.place
                    && !(has_headers(store) || argument.saved && argument.direction == Direction::InOut)
                {
                    let vars = self.written_vars(store);
                    return Ok((Some(ir::ArgValue::Vars { vars, names }), None));
                }
                let store = self.temporary(argument.ty)?;
                self.copy_in(&store, argument)?;
                let vars = self.written_vars(&store);
                Ok((Some(ir::ArgValue::Vars { vars, names }), Some(store)))
            }
        }
    }

    /// Returns the variables of a store that an extern may write. A header's validity bit comes
    /// before its fields; stack counters are not visible to externs.
    fn written_vars(&self, store: &Store) -> Vec<ir::VarId> {
        let mut vars = Vec::new();
        store.walk(&mut |part| match part {
            Store::Scalar(var) => vars.push(*var),
            Store::Header { id, .. } => vars.push(self.out.headers[*id].valid),
            _ => {}
        });
        vars
    }

    /// Collects the paths of a type's variables in order. The path of a type that is itself a
    /// scalar is empty.
    fn leaf_names(&mut self, ty: TypeId, prefix: &str, into: &mut Vec<String>) {
        match self.shape(ty) {
            Shape::Scalar(_) if prefix.is_empty() => {}
            Shape::Scalar(_) => into.push(prefix.to_string()),
            Shape::Group(members) | Shape::Union(members) => {
                for member in members {
                    self.leaf_names(member.ty, &super::names::qualified_name(prefix, &member.name), into);
                }
            }
            Shape::Header(members) => {
                into.push(super::names::qualified_name(prefix, "$valid$"));
                for member in members {
                    self.leaf_names(member.ty, &super::names::qualified_name(prefix, &member.name), into);
                }
            }
            Shape::Array { element, size } => {
                for index in 0..size {
                    self.leaf_names(element, &format!("{prefix}[{index}]"), into);
                }
            }
            Shape::CompileTime => {}
        }
    }

    /// Collects the scalars and headers of a value in declaration order.
    fn leaves(&mut self, value: &Value, ty: TypeId, span: Span, into: &mut Vec<Leaf>) -> Lowered<()> {
        match value {
            Value::Scalar(expr) => into.push(Leaf::Value(expr.clone())),
            Value::Header { from: Some(ir::HeaderRef::Header(id)), .. } => into.push(Leaf::Header(*id)),
            Value::Header { .. } => {
                let stored = self.stored_header(value, ty)?;
                into.extend(stored.map(Leaf::Header));
            }
            Value::Group(members) | Value::Union(members) | Value::Array { elements: members, .. } => {
                let types = self.member_types(ty, members.len());
                for (member, ty) in members.iter().zip(types) {
                    self.leaves(member, ty, span, into)?;
                }
            }
            Value::Nothing => {}
            // As in constructor arguments, the type is signed and as narrow as possible.
            Value::Int(value) => {
                let width = u32::try_from(value.bits() + 1).unwrap_or(u32::MAX);
                into.push(Leaf::Value(fold::number(ir::Type::int(width), value)));
            }
            Value::Text(_) | Value::Object(_) => {
                return self.unsupported(span, "a string or an object inside a list argument");
            }
        }
        Ok(())
    }

    fn static_assert(&mut self, call: &hir::Call) -> Lowered<Value> {
        let values: Vec<&hir::Expr> = call
            .args
            .iter()
            .filter_map(|arg| match &arg.value {
                hir::ArgValue::Expr(expr) => Some(expr),
                _ => None,
            })
            .collect();
        let Some(condition) = values.first() else {
            return self.unsupported(call.span, "`static_assert` without a condition");
        };
        if self.constant_bool(condition)? {
            return Ok(Value::Scalar(fold::boolean(true)));
        }
        let message = match values.get(1).map(|text| self.value(text)) {
            Some(Ok(Value::Text(text))) => format!("static assertion failed: {text}"),
            _ => "static assertion failed".to_string(),
        };
        self.refuse(Diagnostic::error("static-assertion", message).primary(condition.span, "this is false"))
    }
}

fn has_headers(store: &Store) -> bool {
    let mut has_header = false;
    store.walk(&mut |part| has_header |= matches!(part, Store::Header { .. }));
    has_header
}
