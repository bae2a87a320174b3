//! Calls: arguments are evaluated in source order, and copied in and out, however the callee ends.

use weir_compiler::hir::{self, Arg, ArgValue, Call, Callee, Direction, Param};
use weir_ir::Bits;

use super::place::{Place, invalidate, validate};
use super::{Generics, Object, Oracle, Run, Stop, Value, as_bool, bits, fill_numbers};

/// An evaluated argument.
enum Passed {
    In(Value),
    InOut(Place, Value),
    Out(Option<Place>),
    Omitted,
}

impl Oracle<'_> {
    fn pass_argument(&mut self, direction: Direction, arg: &Arg) -> Run<Passed> {
        Ok(match (&arg.value, direction) {
            (ArgValue::Omitted, _) => Passed::Omitted,
            (ArgValue::DontCare, _) => Passed::Out(None),
            (ArgValue::Expr(expr), Direction::Out) => Passed::Out(Some(self.place(expr)?)),
            (ArgValue::Expr(expr), Direction::InOut) => {
                let place = self.place(expr)?;
                let value = self.read(&place, expr);
                Passed::InOut(place, value)
            }
            (ArgValue::Expr(expr), _) => Passed::In(self.eval(expr)?),
        })
    }

    /// Copies the arguments in, runs `body` in the callee's frame with its type arguments, and
    /// copies the results out.
    pub(super) fn invoke(
        &mut self,
        params: &[Param],
        args: &[Arg],
        frame: usize,
        generics: Generics,
        body: impl FnOnce(&mut Self) -> Run<Value>,
    ) -> Run<Value> {
        let mut order: Vec<usize> = (0..args.len().min(params.len())).collect();
        order.sort_by_key(|&index| (args[index].order, index));
        let mut given: Vec<Passed> = params.iter().map(|_| Passed::Omitted).collect();
        for &index in &order {
            given[index] = self.pass_argument(params[index].direction, &args[index])?;
        }
        let outer = (self.frame, std::mem::replace(&mut self.generics, generics));
        self.frame = frame;
        for (param, given) in params.iter().zip(&given) {
            let value = match given {
                Passed::In(value) | Passed::InOut(_, value) => value.clone(),
                Passed::Out(_) | Passed::Omitted => self.default(self.hir.vars[param.var].ty),
            };
            self.vars.insert(param.var, value);
        }
        let result = body(self);
        let results: Vec<Value> = params.iter().map(|param| self.vars[&param.var].clone()).collect();
        (self.frame, self.generics) = outer;
        if matches!(result, Err(Stop::Reject(_))) {
            return result;
        }
        for &index in &order {
            if let Passed::InOut(place, _) | Passed::Out(Some(place)) = &given[index] {
                self.write(place, results[index].clone());
            }
        }
        match result {
            Err(Stop::Return(value)) => Ok(value),
            other => other,
        }
    }

    pub fn call(&mut self, call: &Call) -> Run<Value> {
        let hir = self.hir;
        match &call.callee {
            Callee::Function(id) => {
                let function = &hir.functions[*id];
                let args = call
                    .type_args
                    .iter()
                    .map(|&arg| self.types.substitute(arg, &self.generics.0, &self.generics.1))
                    .collect();
                let generics = Generics(function.type_params.clone(), args);
                self.invoke(&function.params, &call.args, self.frame, generics, |this| {
                    this.block(&function.body).map(|()| Value::Nothing)
                })
            }
            Callee::Action(id) => {
                let action = &hir.actions[*id];
                let generics = self.generics.clone();
                self.invoke(&action.params, &call.args, self.frame, generics, |this| {
                    this.block(&action.body).map(|()| Value::Nothing)
                })
            }
            Callee::ExternFunction(id) => {
                let signature = &hir.extern_functions[*id].0;
                self.call_extern(signature, None, call)
            }
            Callee::Method { object, decl, method } => {
                let signature = &hir.externs[*decl].methods[*method];
                match hir.externs[*decl].name.text.as_str() {
                    "packet_in" => self.call_packet_in(&signature.name.text, call),
                    "packet_out" => {
                        let Some(ArgValue::Expr(expr)) = call.args.first().map(|arg| &arg.value) else {
                            panic!("emit of nothing");
                        };
                        let value = self.eval(expr)?;
                        self.emit(&value);
                        Ok(Value::Nothing)
                    }
                    _ => {
                        let Value::Object(object) = self.eval(object)? else { panic!("no object") };
                        self.call_extern(signature, Some(object), call)
                    }
                }
            }
            Callee::ApplyParser(object) | Callee::ApplyControl(object) => {
                let Value::Object(object) = self.eval(object)? else { panic!("no block") };
                self.apply_block(object, &call.args)
            }
            Callee::SetValid(place) | Callee::SetInvalid(place) => {
                let expr = place;
                let place = self.place(expr)?;
                let mut value = self.read(&place, expr);
                let set = if matches!(call.callee, Callee::SetValid(_)) { validate } else { invalidate };
                set(&mut value);
                self.write(&place, value);
                Ok(Value::Nothing)
            }
            Callee::PushFront { stack, count } | Callee::PopFront { stack, count } => {
                let push = matches!(call.callee, Callee::PushFront { .. });
                let place = self.place(stack)?;
                self.change_place(&place, |stack| shift_stack(stack, *count as usize, push));
                Ok(Value::Nothing)
            }
        }
    }

    /// Calls an extern of `pipe.p4`.
    fn call_extern(&mut self, signature: &hir::Signature, object: Option<usize>, call: &Call) -> Run<Value> {
        let params = &signature.params;
        let var = |index: usize| params[index].var;
        let mut generics = self.generics.clone();
        generics.0.extend(&signature.type_params);
        for &arg in &call.type_args {
            let arg = self.types.substitute(arg, &self.generics.0, &self.generics.1);
            generics.1.push(arg);
        }
        self.invoke(params, &call.args, self.frame, generics, |this| {
            let byte = |this: &Self, index: usize| bits(&this.vars[&var(index)]).clone();
            Ok(match signature.name.text.as_str() {
                "note" => {
                    this.note(var(0));
                    this.vars[&var(0)].clone()
                }
                "show" | "message" => {
                    params.iter().for_each(|param| this.note(param.var));
                    Value::Nothing
                }
                "next" => {
                    this.next += 1;
                    let next = Value::Bits(Bits::new(8, this.next), false);
                    this.vars.insert(var(0), next);
                    Value::Nothing
                }
                "bump" | "mix" => {
                    let more = if params.len() == 2 { byte(this, 1) } else { Bits::new(8, 1) };
                    let sum = Value::Bits(byte(this, 0).add(&more), false);
                    this.vars.insert(var(0), sum);
                    Value::Nothing
                }
                "swap" => {
                    let (left, right) = (this.vars[&var(0)].clone(), this.vars[&var(1)].clone());
                    this.vars.insert(var(0), right);
                    this.vars.insert(var(1), left);
                    Value::Nothing
                }
                "forge" | "forged" => {
                    let ty =
                        params.first().map_or(signature.return_type, |param| this.hir.vars[param.var].ty);
                    let mut result = this.default(ty);
                    fill_numbers(&mut result, &mut |value| Bits::ones(bits(value).width()));
                    match params.first() {
                        Some(param) => {
                            this.vars.insert(param.var, result);
                            Value::Nothing
                        }
                        None => result,
                    }
                }
                "verify" => {
                    if !as_bool(&this.vars[&var(0)]) {
                        let code = byte(this, 1).low_u64() as usize;
                        let name =
                            this.hir.errors.iter().nth(code).map(|(_, error)| error.0.name.text.clone());
                        return Err(Stop::Reject(name.expect("an error")));
                    }
                    Value::Nothing
                }
                "static_assert" => Value::Bits(Bits::bool(true), false),
                method @ ("get" | "set") => {
                    let argument = params.first().map(|param| bits(&this.vars[&param.var]).clone());
                    match &mut this.objects[object.expect("an object")] {
                        Object::Cell(cell) if method == "get" => Value::Bits(cell.clone(), false),
                        Object::Cell(cell) => {
                            *cell = argument.expect("a value");
                            Value::Nothing
                        }
                        _ => panic!("no cell"),
                    }
                }
                other => panic!("not in the oracle: extern {other}"),
            })
        })
    }

    fn note(&mut self, var: hir::VarId) {
        fn list(value: &Value, log: &mut Vec<String>) {
            match value {
                Value::Bits(bits, _) | Value::Varbit(bits) => log.push(format!("{:x}", bits.to_biguint())),
                Value::Text(text) => log.push(format!("{text:?}")),
                Value::Header(false, _) => {}
                other => other.members().iter().for_each(|member| list(member, log)),
            }
        }
        list(&self.vars[&var], &mut self.log);
    }

    fn emit(&mut self, value: &Value) {
        match value {
            Value::Bits(bits, _) | Value::Varbit(bits) => self.out.push(bits.clone()),
            Value::Header(false, _) => {}
            other => other.members().iter().for_each(|member| self.emit(member)),
        }
    }
}

/// Pushes or pops `count` elements. The stack's counter stays within its bounds.
fn shift_stack(stack: &mut Value, count: usize, push: bool) {
    let Value::Array(elements, next) = stack else { panic!("no stack") };
    let size = elements.len();
    let empty = |element: &Value| {
        let mut element = element.clone();
        match &mut element {
            Value::Union(members) => members.iter_mut().for_each(invalidate),
            header => invalidate(header),
        }
        element
    };
    *elements = (0..size)
        .map(|index| {
            let source = if push { index.checked_sub(count) } else { Some(index + count) };
            match source.and_then(|source| elements.get(source)) {
                Some(element) => element.clone(),
                None => empty(&elements[index]),
            }
        })
        .collect();
    let count = count.min(size) as u32;
    *next = if push { (*next + count).min(size as u32) } else { next.saturating_sub(count) };
}
