//! Blocks, tables, parsers and the package.

use weir_compiler::hir::{self, ArgValue, Constructor, InstanceId, KeysetElement, Local, VarId};
use weir_ir::{Bits, wire};

use super::{Block, Generics, Object, Oracle, Run, Stop, Value, bits, fill_numbers};

impl Oracle<'_> {
    pub fn var(&self, var: VarId) -> Value {
        let constructed = match &self.objects[self.frame] {
            Object::Block(block) => block.values.get(&var),
            _ => None,
        };
        constructed.or_else(|| self.vars.get(&var)).expect("a variable that is declared").clone()
    }

    pub fn object(&mut self, instance: InstanceId) -> usize {
        for frame in [self.frame, 0] {
            if let Object::Block(block) = &self.objects[frame]
                && let Some(&known) = block.inner.get(&instance)
            {
                return known;
            }
        }
        let outer = (std::mem::take(&mut self.frame), std::mem::take(&mut self.generics));
        let made = self.instantiate(instance);
        (self.frame, self.generics) = outer;
        made
    }

    fn instantiate(&mut self, instance: InstanceId) -> usize {
        let object = self.construct(&self.hir.instances[instance].construct);
        if let Object::Block(block) = &mut self.objects[self.frame] {
            block.inner.insert(instance, object);
        }
        object
    }

    /// Creates an object with all its declarations.
    pub fn construct(&mut self, construct: &hir::Construct) -> usize {
        let hir = self.hir;
        let mut args = Vec::new();
        for arg in &construct.args {
            args.push(match &arg.value {
                ArgValue::Expr(expr) => self.eval(expr).unwrap_or_else(|_| panic!("a constant")),
                _ => Value::Nothing,
            });
        }
        let (params, locals, type_params) = match construct.constructor {
            Constructor::Extern { .. } => {
                let first = args.first().map_or(Bits::zero(8), |value| bits(value).clone());
                self.objects.push(Object::Cell(first));
                return self.objects.len() - 1;
            }
            Constructor::Package(_) => {
                let blocks = args.iter().map(|arg| match arg {
                    Value::Object(block) => *block,
                    other => panic!("{other:?} is not a block"),
                });
                let package = Object::Package(blocks.collect());
                self.objects.push(package);
                return self.objects.len() - 1;
            }
            Constructor::Control(id) => {
                let control = &hir.controls[id];
                (&control.constructor_params, &control.locals, &control.type_params)
            }
            Constructor::Parser(id) => {
                let parser = &hir.parsers[id];
                (&parser.constructor_params, &parser.locals, &parser.type_params)
            }
        };
        let type_args = construct
            .type_args
            .iter()
            .map(|&arg| self.types.substitute(arg, &self.generics.0, &self.generics.1))
            .collect();
        let generics = Generics(type_params.clone(), type_args);
        self.objects.push(Object::Block(Block {
            kind: Some(construct.constructor),
            values: params.iter().map(|param| param.var).zip(args).collect(),
            inner: Default::default(),
            generics: generics.clone(),
        }));
        let object = self.objects.len() - 1;
        let outer = (self.frame, std::mem::replace(&mut self.generics, generics));
        self.frame = object;
        for local in locals {
            if let Local::Instance(instance) = local {
                self.instantiate(*instance);
            }
        }
        (self.frame, self.generics) = outer;
        object
    }

    pub fn apply_block(&mut self, object: usize, args: &[hir::Arg]) -> Run<Value> {
        let hir = self.hir;
        let Object::Block(block) = &self.objects[object] else { panic!("no block") };
        let (kind, generics) = (block.kind, block.generics.clone());
        match kind {
            Some(Constructor::Control(id)) => {
                let control = &hir.controls[id];
                self.invoke(&control.params, args, object, generics, |this| this.control(id))
            }
            Some(Constructor::Parser(id)) => {
                let parser = &hir.parsers[id];
                self.invoke(&parser.params, args, object, generics, |this| this.parser(id))
            }
            _ => panic!("no block"),
        }
    }

    fn locals(&mut self, locals: &[Local]) -> Run<()> {
        locals.iter().try_for_each(|local| match local {
            Local::Var { var, init } => self.declare(*var, init.as_ref()),
            _ => Ok(()),
        })
    }

    fn control(&mut self, id: hir::ControlId) -> Run<Value> {
        let control = &self.hir.controls[id];
        self.locals(&control.locals)?;
        self.block(&control.body).map(|()| Value::Nothing)
    }

    fn parser(&mut self, id: hir::ParserId) -> Run<Value> {
        let hir = self.hir;
        let parser = &hir.parsers[id];
        self.locals(&parser.locals)?;
        let mut state = parser.start;
        for _ in 0..10_000 {
            self.stmts(&hir.states[state].stmts)?;
            let target = match &hir.states[state].transition {
                hir::Transition::Direct(target) => *target,
                hir::Transition::Select { subjects, cases } => {
                    let keys = subjects.iter().map(|key| self.eval(key)).collect::<Run<Vec<_>>>()?;
                    let mut taken = None;
                    for case in cases {
                        if self.in_keyset(&case.keyset, &keys)? {
                            taken = Some(case.target);
                            break;
                        }
                    }
                    taken.ok_or_else(|| Stop::Reject("NoMatch".to_string()))?
                }
            };
            match target {
                hir::Target::Accept => return Ok(Value::Nothing),
                hir::Target::Reject => return Err(Stop::Reject("NoError".to_string())),
                hir::Target::State(next) => state = next,
            }
        }
        Err(Stop::Reject("ParserTimeout".to_string()))
    }

    fn in_keyset(&mut self, keyset: &hir::Keyset, keys: &[Value]) -> Run<bool> {
        if let [KeysetElement::ValueSet(_)] = keyset.elements.as_slice() {
            return Ok(keys.iter().all(holds_seven));
        }
        for (element, key) in keyset.elements.iter().zip(keys) {
            if !self.in_set(element, key)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn in_set(&mut self, element: &KeysetElement, key: &Value) -> Run<bool> {
        Ok(match element {
            KeysetElement::Any => true,
            KeysetElement::Value(value) => self.eval(value)?.equals(key),
            KeysetElement::Mask { value, mask } => {
                let (value, mask) = (self.eval(value)?, self.eval(mask)?);
                bits(key).and(bits(&mask)) == bits(&value).and(bits(&mask))
            }
            KeysetElement::Range { low, high } => {
                let (low, high) = (self.eval(low)?, self.eval(high)?);
                let signed = matches!(key, Value::Bits(_, true));
                bits(key).compare(bits(&low), signed).is_ge()
                    && bits(key).compare(bits(&high), signed).is_le()
            }
            KeysetElement::ValueSet(_) => holds_seven(key),
        })
    }

    /// Applies a table. Returns whether an entry matched, and which action ran.
    pub fn apply_table(&mut self, id: hir::TableId) -> Run<(bool, hir::ActionId)> {
        let hir = self.hir;
        let table = &hir.tables[id];
        let keys = table.keys.iter().map(|key| self.eval(&key.expr)).collect::<Run<Vec<_>>>()?;
        let kind = |key: &hir::TableKey| hir.match_kinds[key.match_kind].0.name.text.clone();
        let prioritised = table.keys.iter().any(|key| !matches!(kind(key).as_str(), "exact" | "lpm"));
        let numbered = table.entries.iter().any(|entry| entry.annotations.contains("priority"));
        let mut best: Option<((i64, u32), usize)> = None;
        for (index, entry) in table.entries.iter().enumerate() {
            if !self.in_keyset(&entry.keyset, &keys)? {
                continue;
            }
            let mut length = 0;
            for element in &entry.keyset.elements {
                length += match element {
                    KeysetElement::Value(value) => bits(&self.eval(value)?).width(),
                    KeysetElement::Mask { mask, .. } => {
                        bits(&self.eval(mask)?).to_biguint().count_ones() as u32
                    }
                    _ => 0,
                };
            }
            let annotated = entry.annotations.get("priority").map(|annotation| annotation.values().to_vec());
            let rank = match annotated.as_deref() {
                _ if !prioritised => 0,
                Some([hir::AnnotationValue::Int(number)]) => -i64::try_from(number).expect("a number"),
                _ if numbered => -(index as i64 + 1),
                _ if table.largest_priority_wins => entry.priority,
                _ => -entry.priority,
            };
            if best.is_none_or(|(score, _)| (rank, length) > score) {
                best = Some(((rank, length), index));
            }
        }
        let call = match best {
            Some((_, index)) => &table.entries[index].call,
            None => &table.default_action.as_ref().expect("a default").call,
        };
        let item = &table.actions[call.action];
        let action = &hir.actions[item.action];
        let directed = action.directed_params();
        for (param, arg) in action.params[directed..].iter().zip(&call.args) {
            let value = self.eval(arg)?;
            self.vars.insert(param.var, value);
        }
        let generics = self.generics.clone();
        self.invoke(&action.params[..directed], &item.bound_args, self.frame, generics, |this| {
            this.block(&action.body).map(|()| Value::Nothing)
        })?;
        Ok((best.is_some(), item.action))
    }

    pub fn call_packet_in(&mut self, method: &str, call: &hir::Call) -> Run<Value> {
        let arg = |index: usize| match call.args.get(index).map(|arg| &arg.value) {
            Some(ArgValue::Expr(expr)) => Some(expr),
            _ => None,
        };
        match method {
            "length" => Ok(Value::Bits(Bits::new(32, self.packet.len() as u128), false)),
            "advance" => {
                let by = bits(&self.eval(arg(0).expect("an amount"))?).low_u64();
                if !by.is_multiple_of(8) {
                    return Err(Stop::Reject("ParserInvalidArgument".to_string()));
                }
                self.require_bits(by)?;
                self.position += by;
                Ok(Value::Nothing)
            }
            "lookahead" => {
                let mut value = self.default(call.type_args[0]);
                let at = self.position;
                self.fill_from_packet(&mut value, 0)?;
                self.position = at;
                Ok(value)
            }
            "extract" => {
                let target = arg(0);
                let place = target.map(|target| self.place(target)).transpose()?;
                if place.as_ref().is_some_and(|place| self.is_out_of_range(place)) {
                    return Err(Stop::Reject("StackOutOfBounds".to_string()));
                }
                let stack = match target {
                    Some(target) => self.stack_of(target)?,
                    None => None,
                };
                let mut value = self.default(target.map_or(call.type_args[0], |target| target.ty));
                let length = match arg(1) {
                    Some(length) => Some(bits(&self.eval(length)?).low_u64()),
                    None => None,
                };
                if let Some(length) = length {
                    let mut total = length;
                    fill_numbers(&mut value.clone(), &mut |part| {
                        total += u64::from(bits(part).width());
                        bits(part).clone()
                    });
                    if !total.is_multiple_of(8) {
                        return Err(Stop::Reject("ParserInvalidArgument".to_string()));
                    }
                    self.require_bits(total)?;
                    let target = target.expect("a target");
                    if length > self.max_varbit_bits(target.ty) {
                        return Err(Stop::Reject("HeaderTooShort".to_string()));
                    }
                }
                self.fill_from_packet(&mut value, length.unwrap_or(0) as u32)?;
                if let Some(place) = place {
                    self.write(&place, value);
                }
                if let Some(stack) = stack {
                    self.change_place(&stack, |stack| {
                        if let Value::Array(_, next) = stack {
                            *next += 1;
                        }
                    });
                }
                Ok(Value::Nothing)
            }
            other => panic!("not in the oracle: packet_in.{other}"),
        }
    }

    /// Returns the maximum number of bits of a header's varbit field.
    fn max_varbit_bits(&mut self, ty: hir::TypeId) -> u64 {
        let ty = self.ty(ty);
        let (_, fields) = self.members(&ty).expect("a header");
        let mut longest = 0;
        for field in fields {
            if let hir::Type::Varbit { max_width } = self.ty(field) {
                longest = u64::from(max_width);
            }
        }
        longest
    }

    fn require_bits(&self, bits: u64) -> Run<()> {
        if self.position + bits > self.packet.len() as u64 * 8 {
            return Err(Stop::Reject("PacketTooShort".to_string()));
        }
        Ok(())
    }

    fn fill_from_packet(&mut self, value: &mut Value, varbit: u32) -> Run<()> {
        let (packet, mut position) = (&self.packet, self.position);
        let mut short = false;
        fill_numbers(value, &mut |part| {
            let width = if matches!(part, Value::Varbit(_)) { varbit } else { bits(part).width() };
            let read = wire::read(packet, position, width);
            position += u64::from(width);
            short |= read.is_none();
            read.unwrap_or(Bits::zero(width))
        });
        if short {
            return Err(Stop::Reject("PacketTooShort".to_string()));
        }
        self.position = position;
        Ok(())
    }

    /// Runs parser, control and deparser, and passes data from each to the next.
    pub fn main(&mut self) -> Vec<String> {
        let hir = self.hir;
        for declaration in &hir.declarations {
            if let hir::Declaration::Instance(instance) = declaration
                && matches!(hir.instances[*instance].construct.constructor, Constructor::Extern { .. })
            {
                self.object(*instance);
            }
        }
        let package = self.object(hir.main.expect("a main"));
        let Object::Package(blocks) = &self.objects[package] else { panic!("no package") };
        let blocks = blocks.clone();
        let mut data: Vec<Option<Value>> = vec![None, None];
        for object in blocks {
            let Object::Block(block) = &self.objects[object] else { panic!("no block") };
            let (kind, generics) = (block.kind, block.generics.clone());
            let params = match kind {
                Some(Constructor::Control(id)) => &hir.controls[id].params,
                Some(Constructor::Parser(id)) => &hir.parsers[id].params,
                _ => panic!("no block"),
            };
            (self.frame, self.generics) = (object, generics);
            // Packets are not passed from block to block as data.
            let is_data =
                |param: &&hir::Param| !matches!(hir.types[hir.vars[param.var].ty], hir::Type::Extern { .. });
            for param in params {
                let fresh = self.default(hir.vars[param.var].ty);
                self.vars.insert(param.var, fresh);
            }
            for (param, value) in params.iter().filter(is_data).zip(&data) {
                if let Some(value) = value {
                    self.vars.insert(param.var, value.clone());
                }
            }
            let result = match kind {
                Some(Constructor::Control(id)) => self.control(id),
                Some(Constructor::Parser(id)) => self.parser(id),
                _ => panic!("no block"),
            };
            if let Err(Stop::Reject(error)) = result {
                return vec![format!("reject {error}")];
            }
            data = params.iter().filter(is_data).map(|param| Some(self.vars[&param.var].clone())).collect();
        }
        let mut output = Vec::new();
        let mut writer = wire::Writer::new(&mut output);
        self.out.iter().for_each(|bits| writer.push(bits));
        output.extend_from_slice(&self.packet[self.position.div_ceil(8) as usize..]);
        let hex: String = output.iter().map(|byte| format!("{byte:02x}")).collect();
        vec![format!("out {hex}")]
    }
}

/// Returns whether a value set contains the key. Every value set contains only the value 7 (or 7 in
/// each member).
fn holds_seven(key: &Value) -> bool {
    match key {
        Value::Group(members) => members.iter().all(holds_seven),
        key => bits(key).to_u64() == Some(7),
    }
}
