//! Lazy reads of the elements of header stacks that move: elements that are pushed, popped or
//! copied whole. Their fields are read from the packet where they are used, so the cost of a stack
//! depends on the fields that are used, and not on the stack's size.
//!
//! The fields of such a header have a location: the place in the packet where they are unchanged,
//! or [`NO_LOCATION`] if the header's variables contain them. This location is either the header's
//! location or [`NO_LOCATION`]. Before a field is written, all fields are loaded.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstructionData, Opcode, Value, ValueDef};
use weir_ir::{HeaderId, StackId, VarId, VarRole};

use super::Emit;
use super::locations::NO_LOCATION;
use super::packet_reads::Source;
use crate::options::InjectedBug;

/// The element of a stack that the current state has just extracted.
pub(super) struct ExtractedElement {
    stack: StackId,
    /// The stack's counter after the extract.
    next: Value,
    /// The words of the element's fields.
    fields: Vec<Vec<Value>>,
}

impl Emit<'_, '_, '_> {
    /// Chooses the headers of a pipeline that are read lazily.
    pub(super) fn choose_lazy_headers(&mut self) {
        let program = self.unit.program;
        let lazy = |emit: &Self, header: HeaderId| {
            let fields = &program.headers[header].fields;
            let Some(scope) = &emit.scope else { return false };
            emit.has_location(header)
                && scope.facts.unextracted.contains(&header)
                && scope.locations.contains_key(&header)
                && fields.iter().all(|field| emit.registers.contains_key(field))
        };
        for (_, stack) in program.stacks.iter() {
            if !stack.elements.iter().all(|element| lazy(self, *element)) {
                continue;
            }
            for element in &stack.elements {
                let (location, no_location) = (self.b.declare_var(I64), self.iconst(NO_LOCATION));
                self.b.def_var(location, no_location);
                if let Some(scope) = &mut self.scope {
                    scope.field_locations.insert(*element, location);
                }
            }
        }
    }

    /// Returns whether a header is read lazily.
    pub(super) fn reads_lazily(&self, header: HeaderId) -> bool {
        self.scope.as_ref().is_some_and(|scope| scope.field_locations.contains_key(&header))
    }

    /// Returns the location of a header's fields; `None` if the header is not read lazily.
    pub(super) fn fields_location(&mut self, header: HeaderId) -> Option<Value> {
        let location = *self.scope.as_ref()?.field_locations.get(&header)?;
        Some(self.b.use_var(location))
    }

    pub(super) fn set_fields_location(&mut self, header: HeaderId, location: Value) {
        if let Some(var) = self.scope.as_ref().and_then(|scope| scope.field_locations.get(&header)) {
            self.b.def_var(*var, location);
        }
    }

    /// Emits code for the words of a variable, given the words in its registers.
    pub(super) fn read_field(&mut self, var: VarId, held: Vec<Value>) -> Vec<Value> {
        let program = self.unit.program;
        let VarRole::Field(header) = program.vars[var].role else { return held };
        let Some(location) = self.fields_location(header) else { return held };
        if self.as_const(location) == Some(NO_LOCATION) {
            return held;
        }
        let is_nowhere = self.compare_const(IntCC::Equal, location, NO_LOCATION);
        let (bytes, zero) = (self.bytes_of(header), self.iconst(0));
        let packet = self.packet.map_or(zero, |packet| packet.address);
        let there = self.plus(packet, location);
        let zeros = self.constant_address(vec![0; bytes.div_ceil(8) as usize]);
        let address = self.select(is_nowhere, zeros, there);
        let before = program.headers[header].fields.iter().take_while(|field| **field != var);
        let first = before.map(|field| program.vars[*field].ty.width()).sum();
        let words = self.read_words(Source::Bytes { address, bytes }, first, program.vars[var].ty.width());
        held.into_iter().zip(words).map(|(held, words)| self.select(is_nowhere, held, words)).collect()
    }

    /// Loads all fields of a header into its variables, before one of them changes.
    pub(super) fn load_fields(&mut self, header: HeaderId) {
        let Some(location) = self.fields_location(header) else { return };
        if self.as_const(location) == Some(NO_LOCATION) || self.has_bug(InjectedBug::StaleElement) {
            return;
        }
        let fields = &self.unit.program.headers[header].fields;
        let words: Vec<_> = fields.iter().map(|field| self.read(*field)).collect();
        fields.iter().zip(words).for_each(|(field, words)| self.set(*field, &words));
        let no_location = self.iconst(NO_LOCATION);
        self.set_fields_location(header, no_location);
    }

    /// Loads all fields of the headers that have one of these fields.
    pub(super) fn load_fields_of(&mut self, vars: &[VarId]) {
        let program = self.unit.program;
        let header = |var: &VarId| match program.vars[*var].role {
            VarRole::Field(header) => Some(header),
            _ => None,
        };
        let mut headers: Vec<HeaderId> =
            vars.iter().filter_map(header).filter(|header| self.reads_lazily(*header)).collect();
        headers.sort_unstable();
        headers.dedup();
        headers.into_iter().for_each(|header| self.load_fields(header));
    }

    /// Remembers the stack element that was just extracted.
    pub(super) fn record_extracted(&mut self, stack: StackId, next: Value, fields: Vec<Vec<Value>>) {
        self.extracted = Some(ExtractedElement { stack, next, fields });
    }

    /// Emits code for a field of a stack's last element, if it was just extracted; then `index` is
    /// the stack's counter minus 1.
    pub(super) fn field_of_last(&mut self, vars: &[VarId], index: Value) -> Option<Vec<Value>> {
        let program = self.unit.program;
        let extracted = self.extracted.as_ref()?;
        let stack = &program.stacks[extracted.stack];
        let next = self.one_more(index)?;
        if next != self.b.func.dfg.resolve_aliases(extracted.next) || vars.len() != stack.elements.len() {
            return None;
        }
        let position =
            program.headers[stack.elements[0]].fields.iter().position(|field| *field == vars[0])?;
        let same = |(var, element): (&VarId, &HeaderId)| program.headers[*element].fields[position] == *var;
        vars.iter().zip(&stack.elements).all(same).then(|| extracted.fields[position].clone())
    }

    /// Returns the value `x`, if the given value is `x - 1` in 32 bits.
    fn one_more(&self, value: Value) -> Option<Value> {
        let dfg = &self.b.func.dfg;
        let operands = |value: Value, of: Opcode| match dfg.value_def(dfg.resolve_aliases(value)) {
            ValueDef::Result(inst, _) => match dfg.insts[inst] {
                InstructionData::Binary { opcode, args } if opcode == of => Some(args),
                _ => None,
            },
            _ => None,
        };
        let [less, mask] = operands(value, Opcode::Band)?;
        let [next, one] = operands(less, Opcode::Isub)?;
        let is_increment = self.as_const(mask) == Some(u64::from(u32::MAX)) && self.as_const(one) == Some(1);
        is_increment.then(|| dfg.resolve_aliases(next))
    }
}
