//! Elements of header stacks that move: pushed, popped, copied whole. Their fields are read from the packet when they are asked for, so that
//! a stack of many elements costs what is asked of it and not what it holds.
//!
//! Such a header has a *source* beside its place: where its fields lie unchanged, or nowhere, and then its variables hold them. It is the header's place or
//! nowhere, and lost when a field is written; all fields are read before.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstructionData, Opcode, Value, ValueDef};
use weir_ir::{HeaderId, StackId, VarId, VarRole};

use super::Emit;
use super::places::NOWHERE;
use super::reading::Source;
use crate::compile::Broken;

/// The element that a state has just extracted.
pub(super) struct Extracted {
    stack: StackId,
    /// The stack's counter behind it.
    next: Value,
    /// The words of its fields.
    fields: Vec<Vec<Value>>,
}

impl Emit<'_, '_, '_> {
    /// Finds the headers of a pipeline that have sources.
    pub(super) fn find_lazy(&mut self) {
        let program = self.unit.program;
        let lazy = |emit: &Self, header: HeaderId| {
            let fields = &program.headers[header].fields;
            let Some(fusion) = &emit.fusion else { return false };
            emit.has_place(header)
                && fusion.facts.remade.contains(&header)
                && fusion.places.contains_key(&header)
                && fields.iter().all(|field| emit.homes.contains_key(field))
        };
        for (_, stack) in program.stacks.iter() {
            if !stack.elements.iter().all(|element| lazy(self, *element)) {
                continue;
            }
            for element in &stack.elements {
                let (source, nowhere) = (self.b.declare_var(I64), self.k(NOWHERE));
                self.b.def_var(source, nowhere);
                if let Some(fusion) = &mut self.fusion {
                    fusion.sources.insert(*element, source);
                }
            }
        }
    }

    /// Whether a header has a source.
    pub(super) fn is_lazy(&self, header: HeaderId) -> bool {
        self.fusion.as_ref().is_some_and(|fusion| fusion.sources.contains_key(&header))
    }

    /// Where a header's fields lie unchanged; none of a header without source.
    pub(super) fn source_of(&mut self, header: HeaderId) -> Option<Value> {
        let source = *self.fusion.as_ref()?.sources.get(&header)?;
        Some(self.b.use_var(source))
    }

    pub(super) fn set_source(&mut self, header: HeaderId, source: Value) {
        if let Some(var) = self.fusion.as_ref().and_then(|fusion| fusion.sources.get(&header)) {
            self.b.def_var(*var, source);
        }
    }

    /// A field's words where its header has a source, given what its variable holds.
    pub(super) fn read_lazily(&mut self, var: VarId, held: Vec<Value>) -> Vec<Value> {
        let program = self.unit.program;
        let VarRole::Field(header) = program.vars[var].role else { return held };
        let Some(source) = self.source_of(header) else { return held };
        if self.known(source) == Some(NOWHERE) {
            return held;
        }
        let nowhere = self.compare_k(IntCC::Equal, source, NOWHERE);
        let (bytes, zero) = (self.bytes_of(header), self.k(0));
        let packet = self.packet.map_or(zero, |packet| packet.address);
        let there = self.plus(packet, source);
        let zeros = self.constant_address(vec![0; bytes.div_ceil(8) as usize]);
        let address = self.select(nowhere, zeros, there);
        let before = program.headers[header].fields.iter().take_while(|field| **field != var);
        let first = before.map(|field| program.vars[*field].ty.width()).sum();
        let found = self.read_words(Source::Bytes { address, bytes }, first, program.vars[var].ty.width());
        held.into_iter().zip(found).map(|(held, found)| self.select(nowhere, held, found)).collect()
    }

    /// Reads all fields of a header into its variables, before one of them changes.
    pub(super) fn hold_fields(&mut self, header: HeaderId) {
        let Some(source) = self.source_of(header) else { return };
        if self.known(source) == Some(NOWHERE) || self.broken(Broken::StaleElement) {
            return;
        }
        let fields = &self.unit.program.headers[header].fields;
        let words: Vec<_> = fields.iter().map(|field| self.read(*field)).collect();
        fields.iter().zip(words).for_each(|(field, words)| self.set(*field, &words));
        let nowhere = self.k(NOWHERE);
        self.set_source(header, nowhere);
    }

    /// The same of all headers that have one of these fields.
    pub(super) fn hold_fields_of(&mut self, vars: &[VarId]) {
        let program = self.unit.program;
        let header = |var: &VarId| match program.vars[*var].role {
            VarRole::Field(header) => Some(header),
            _ => None,
        };
        let mut headers: Vec<HeaderId> =
            vars.iter().filter_map(header).filter(|header| self.is_lazy(*header)).collect();
        headers.sort_unstable();
        headers.dedup();
        headers.into_iter().for_each(|header| self.hold_fields(header));
    }

    /// Notes what was extracted as a stack's next element.
    pub(super) fn note_extracted(&mut self, stack: StackId, next: Value, fields: Vec<Vec<Value>>) {
        self.extracted = Some(Extracted { stack, next, fields });
    }

    /// A field of a stack's last element, if that was extracted just now; `index` is one less than the stack's counter then.
    pub(super) fn field_of_last(&mut self, vars: &[VarId], index: Value) -> Option<Vec<Value>> {
        let program = self.unit.program;
        let extracted = self.extracted.as_ref()?;
        let of = &program.stacks[extracted.stack];
        let next = self.one_more(index)?;
        if next != self.b.func.dfg.resolve_aliases(extracted.next) || vars.len() != of.elements.len() {
            return None;
        }
        let position = program.headers[of.elements[0]].fields.iter().position(|field| *field == vars[0])?;
        let same = |(var, element): (&VarId, &HeaderId)| program.headers[*element].fields[position] == *var;
        vars.iter().zip(&of.elements).all(same).then(|| extracted.fields[position].clone())
    }

    /// The value of which another is one less, in 32 bits.
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
        let known = self.known(mask) == Some(u64::from(u32::MAX)) && self.known(one) == Some(1);
        known.then(|| dfg.resolve_aliases(next))
    }
}
