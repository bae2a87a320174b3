//! Headers and stacks as a whole.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Value};
use weir_ir::{HeaderId, HeaderRef, StackId, UnionId, VarId};

use super::locations::NO_LOCATION;
use super::words::word_count;
use super::{Emit, Unit};
use crate::options::InjectedBug;
use crate::runtime;

/// The values of a header: its validity and its fields.
struct Contents {
    valid: Value,
    fields: Vec<Field>,
    /// The place in the packet that contains the header unchanged; only in a pipeline.
    location: Option<Value>,
    /// The location from which the fields are read, if `fields` does not have them.
    fields_location: Option<Value>,
}

/// The value of a field: its words, or the address of a varbit.
enum Field {
    Words(Vec<Value>),
    Varbit(Value),
}

impl Emit<'_, '_, '_> {
    /// Makes a header valid or invalid. The fields of a header that becomes valid are 0; the fields
    /// of a header that becomes invalid do not change, wherever they are.
    pub(super) fn set_valid(&mut self, header: HeaderId, valid: bool) {
        let program = self.unit.program;
        if valid {
            self.keep_location_if_valid(header);
            self.clear_unless_valid(header);
        }
        self.set_const(program.headers[header].valid, u64::from(valid));
    }

    /// Emits code that makes the other members of a header's union invalid.
    pub(super) fn invalidate_others(&mut self, header: HeaderId) {
        let program = self.unit.program;
        let valid = program.headers[header].valid;
        match self.unit.arrays().large_union(header) {
            Some(union) if !self.registers.contains_key(&valid) => {
                let was_valid = self.read(valid);
                let members = &program.unions[union].members;
                let (words, positions) = (self.state_address(), self.validity_positions(union));
                let count = self.iconst(members.len() as u64);
                self.call_runtime(runtime::clear_listed as *const u8, &[words, positions, count]);
                self.set(valid, &was_valid);
            }
            _ => program.siblings(header).for_each(|other| self.set_valid(other, false)),
        }
    }

    /// Emits code for the address of a list of the places of a union's validity bits in the state.
    fn validity_positions(&mut self, union: UnionId) -> Value {
        let Unit { program, layout, .. } = self.unit;
        let position = |member: &HeaderId| u64::from(layout.slot(program.headers[*member].valid).word);
        let list = || program.unions[union].members.iter().map(position).collect();
        let address = self.output.validity_positions(union, list);
        self.iconst(address)
    }

    /// Sets the variables of an invalid header's fields to 0.
    fn clear_unless_valid(&mut self, header: HeaderId) {
        if self.has_bug(InjectedBug::StaleFields) {
            return;
        }
        let (valid, zero) = (self.is_valid(header), self.iconst(0));
        let fields = &self.unit.program.headers[header].fields;
        let (held, stored): (Vec<VarId>, Vec<VarId>) =
            fields.iter().partition(|field| self.registers.contains_key(*field));
        for field in held {
            let old = self.register_values(field);
            let new: Vec<Value> = old.into_iter().map(|old| self.select(valid, old, zero)).collect();
            self.set(field, &new);
        }
        if !stored.is_empty() && self.as_const(valid) != Some(1) {
            let invalid = self.compare_const(IntCC::Equal, valid, 0);
            self.if_true(invalid, |emit| stored.iter().for_each(|field| emit.clear(*field)));
        }
    }

    /// Applies a function to the header to which a reference leads at run time, if there is one.
    pub(super) fn apply_to_header(
        &mut self,
        reference: &HeaderRef,
        mut with: impl FnMut(&mut Self, HeaderId),
    ) {
        let program = self.unit.program;
        match reference {
            HeaderRef::Header(header) => with(self, *header),
            HeaderRef::Element(stack, index) => {
                let index = self.eval_word(index);
                self.apply_to_element(*stack, index, with);
            }
            HeaderRef::Next(stack) => {
                let index = self.read_word(program.stacks[*stack].next_index);
                self.apply_to_element(*stack, index, with);
            }
        }
    }

    /// Applies a function to an element of a stack, if there is one at the index.
    pub(super) fn apply_to_element(
        &mut self,
        stack: StackId,
        index: Value,
        mut with: impl FnMut(&mut Self, HeaderId),
    ) {
        let elements = &self.unit.program.stacks[stack].elements;
        if let (None, Some(stride)) = (self.as_const(index), self.array_stride(stack)) {
            let within = self.is_within(index, elements.len());
            let first = self.vars_of(elements[0]);
            return self.if_true(within, |emit| {
                emit.with_displaced(&first, (index, stride), |emit| with(emit, elements[0]));
            });
        }
        self.switch_on_index(
            index,
            elements.len(),
            |emit, i| {
                with(emit, elements[i]);
                true
            },
            |_| true,
        );
    }

    /// Returns the values of a header, to be assigned to a header that is read lazily or not.
    fn contents(&mut self, header: HeaderId, lazily: bool) -> Contents {
        let fields_location = if lazily { self.fields_location(header) } else { None };
        let location = match self.fields_location(header) {
            Some(source) => Some(source),
            None => self.location_if_unchanged(header),
        };
        let header = &self.unit.program.headers[header];
        let valid = self.read_word(header.valid);
        let fields = header
            .fields
            .iter()
            .map(|field| {
                if self.is_varbit(*field) {
                    Field::Varbit(self.varbit_address(*field))
                } else {
                    Field::Words(if fields_location.is_some() {
                        self.register_values(*field)
                    } else {
                        self.read(*field)
                    })
                }
            })
            .collect();
        Contents { valid, fields, location, fields_location }
    }

    /// Returns the values of a stack's element; past the end, the values of an invalid header.
    fn element_contents(&mut self, stack: StackId, index: Value, lazily: bool) -> Contents {
        let program = self.unit.program;
        let elements = &program.stacks[stack].elements;
        let layout = &program.header_types[program.headers[elements[0]].ty];
        let zero = self.iconst(0);
        let no_location = self.scope.is_some().then(|| self.iconst(NO_LOCATION));
        let mut picked = Contents {
            valid: zero,
            location: no_location,
            fields_location: if lazily && self.reads_lazily(elements[0]) { no_location } else { None },
            fields: layout
                .fields
                .iter()
                .map(|field| match field.ty {
                    weir_ir::Type::Varbit { max } => {
                        Field::Varbit(self.constant_address(vec![0; 1 + word_count(max)]))
                    }
                    ty => Field::Words(vec![zero; word_count(ty.width())]),
                })
                .collect(),
        };
        if let Some(stride) = self.array_stride(stack) {
            let (within, index) = self.clamp_index(index, elements.len());
            let first = self.vars_of(elements[0]);
            let contents =
                self.with_displaced(&first, (index, stride), |emit| emit.contents(elements[0], lazily));
            self.select_contents(within, contents, &mut picked);
            return picked;
        }
        for (i, element) in elements.iter().enumerate() {
            let here = self.compare_const(IntCC::Equal, index, i as u64);
            let contents = self.contents(*element, lazily);
            self.select_contents(here, contents, &mut picked);
        }
        picked
    }

    /// Replaces the values of one header by those of another header of the same type, if a
    /// condition holds.
    fn select_contents(&mut self, is_current: Value, contents: Contents, picked: &mut Contents) {
        picked.valid = self.select(is_current, contents.valid, picked.valid);
        if let (Some(location), Some(before)) = (contents.location, picked.location) {
            picked.location = Some(self.select(is_current, location, before));
        }
        if let (Some(source), Some(before)) = (contents.fields_location, picked.fields_location) {
            picked.fields_location = Some(self.select(is_current, source, before));
        }
        for (picked, field) in picked.fields.iter_mut().zip(contents.fields) {
            match (picked, field) {
                (Field::Words(picked), Field::Words(words)) => {
                    for (picked, word) in picked.iter_mut().zip(words) {
                        *picked = self.select(is_current, word, *picked);
                    }
                }
                (Field::Varbit(picked), Field::Varbit(address)) => {
                    *picked = self.select(is_current, address, *picked);
                }
                // Both have the same header type.
                _ => {}
            }
        }
    }

    /// Assigns validity and fields to a header.
    fn assign_header(&mut self, to: HeaderId, contents: &Contents) {
        if let Some(location) = contents.location {
            self.set_location(to, location);
            let no_location = self.iconst(NO_LOCATION);
            self.set_fields_location(to, contents.fields_location.unwrap_or(no_location));
        }
        let header = &self.unit.program.headers[to];
        self.set(header.valid, &[contents.valid]);
        for (var, field) in header.fields.iter().zip(&contents.fields) {
            match field {
                Field::Words(words) => self.set(*var, words),
                Field::Varbit(address) => self.set_varbit(*var, *address),
            }
        }
    }

    fn copy_header(&mut self, to: HeaderId, from: HeaderId) {
        if to != from {
            let contents = self.contents(from, self.reads_lazily(to));
            self.assign_header(to, &contents);
        }
    }

    /// Emits the copy `to = from`.
    pub(super) fn copy(&mut self, to: &HeaderRef, from: &HeaderRef) {
        let program = self.unit.program;
        let lazily = match to {
            HeaderRef::Header(header) => self.reads_lazily(*header),
            HeaderRef::Element(stack, _) | HeaderRef::Next(stack) => {
                self.reads_lazily(program.stacks[*stack].elements[0])
            }
        };
        let contents = match from {
            HeaderRef::Header(header) => self.contents(*header, lazily),
            HeaderRef::Element(stack, index) => {
                let index = self.eval_word(index);
                self.element_contents(*stack, index, lazily)
            }
            HeaderRef::Next(stack) => {
                let index = self.read_word(program.stacks[*stack].next_index);
                self.element_contents(*stack, index, lazily)
            }
        };
        self.apply_to_header(to, |emit, to| emit.assign_header(to, &contents));
    }

    /// Emits `push_front` (P4_16 spec, section 8.18).
    pub(super) fn push_front(&mut self, stack: StackId, by: u32) {
        let stack = &self.unit.program.stacks[stack];
        for (i, element) in stack.elements.iter().enumerate().rev() {
            match i.checked_sub(by as usize) {
                Some(from) => self.copy_header(*element, stack.elements[from]),
                None => self.set_valid(*element, false),
            }
        }
        let next = self.read_word(stack.next_index);
        let by = self.iconst(u64::from(by));
        let next = self.plus(next, by);
        let size = self.iconst(stack.elements.len() as u64);
        let next = self.b.ins().umin(next, size);
        self.set(stack.next_index, &[next]);
    }

    /// Emits `pop_front` (P4_16 spec, section 8.18).
    pub(super) fn pop_front(&mut self, stack: StackId, by: u32) {
        let stack = &self.unit.program.stacks[stack];
        for (i, element) in stack.elements.iter().enumerate() {
            match stack.elements.get(i.saturating_add(by as usize)) {
                Some(from) => self.copy_header(*element, *from),
                None => self.set_valid(*element, false),
            }
        }
        let next = self.read_word(stack.next_index);
        let by = self.iconst(u64::from(by));
        let rest = self.b.ins().isub(next, by);
        let under = self.compare(IntCC::UnsignedLessThan, next, by);
        let zero = self.iconst(0);
        let next = self.b.ins().select(under, zero, rest);
        self.set(stack.next_index, &[next]);
    }
}
