//! Reads and writes variables according to their roles.

use std::collections::BTreeSet;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Variable;
use weir_ir::{HeaderId, Place, Type, VarId, VarRole};

use super::{Emit, word_offset};
use crate::abi::Registers;
use crate::analysis::Facts;
use crate::runtime;

/// The one or two SSA variables that contain a variable while a function runs. In the function of a
/// block, the state's words always contain the same value, so calls and exits need not write
/// anything. In a pipeline, the state's words contain it only after [`Emit::spill_registers`]. A
/// variable without registers is only in the state.
pub(super) type VarRegisters = [Option<Variable>; 2];

impl Emit<'_, '_, '_> {
    /// Chooses registers for a function's variables. In a pipeline, all variables begin at 0; in
    /// other functions, they begin at the state's values.
    pub(super) fn assign_registers(&mut self, facts: &Facts) {
        let zero = self.iconst(0);
        for var in self.vars_for_registers(facts) {
            let slot = self.unit.layout.slot(var);
            let mut registers = [None; 2];
            for (i, register) in registers.iter_mut().take(slot.width.div_ceil(64) as usize).enumerate() {
                let variable = self.b.declare_var(I64);
                *register = Some(variable);
                let value = if self.scope.is_some() { zero } else { self.load(slot.word as usize + i) };
                self.b.def_var(variable, value);
            }
            self.registers.insert(var, registers);
        }
    }

    /// Returns the variables of code with these facts that are in registers.
    pub(super) fn vars_for_registers(&self, facts: &Facts) -> BTreeSet<VarId> {
        let mut vars = self.with_validity(facts);
        // After each extern call with unknown semantics all registers are loaded again. Key
        // prediction has no state.
        let most = self.unit.options.max_register_loads;
        if if self.predicts_keys() { most == 0 } else { vars.len() * (facts.opaque_calls + 1) > most } {
            return BTreeSet::new();
        }
        vars.retain(|var| {
            let slot = self.unit.layout.slot(*var);
            !facts.indexed.contains(var) && !slot.varbit && (1..=128).contains(&slot.width)
        });
        vars
    }

    /// Returns the variables that code with these facts uses, including the validity of headers
    /// whose fields it uses.
    pub(super) fn with_validity(&self, facts: &Facts) -> BTreeSet<VarId> {
        let program = self.unit.program;
        let mut vars = facts.vars.clone();
        for var in &facts.vars {
            if let VarRole::Field(header) = program.vars[*var].role {
                vars.insert(program.headers[header].valid);
            }
        }
        vars
    }

    /// Loads the registers of the variables that a call may have changed in the state, or of all
    /// variables if `vars` is `None`.
    pub(super) fn reload_registers(&mut self, vars: Option<&mut dyn Iterator<Item = &VarId>>) {
        let vars: Vec<VarId> = match vars {
            Some(vars) => vars.copied().filter(|var| self.registers.contains_key(var)).collect(),
            None => self.register_vars(),
        };
        for var in vars {
            let Some(registers) = self.registers.get(&var).copied() else { continue };
            let slot = self.unit.layout.slot(var);
            for (i, register) in registers.into_iter().flatten().enumerate() {
                let mut value = [self.load(slot.word as usize + i)];
                self.clean_validity(var, &mut value);
                self.b.def_var(register, value[0]);
            }
        }
    }

    /// Masks a validity bit that the environment may have written, because a pipeline computes the
    /// locations of headers from validity bits. The pipeline computes no addresses from other
    /// values that the environment writes.
    pub(super) fn clean_validity(&mut self, var: VarId, words: &mut [Value]) {
        if self.scope.is_some() && matches!(self.unit.program.vars[var].role, VarRole::Validity(_)) {
            let one = self.iconst(1);
            words.iter_mut().for_each(|word| *word = self.b.ins().band(*word, one));
        }
    }

    /// Stores variables that are only in registers in the state: these variables, or all of them if
    /// `vars` is `None`.
    pub(super) fn spill_registers(&mut self, vars: Option<&mut dyn Iterator<Item = &VarId>>) {
        let vars: Vec<VarId> = match vars {
            Some(vars) => vars.copied().filter(|var| self.registers.contains_key(var)).collect(),
            None => self.register_vars(),
        };
        if self.predicts_keys() {
            return self.predict_nothing();
        }
        // Code that uses the state may write these fields.
        self.load_fields_of(&vars);
        let state = self.state_address();
        for var in vars {
            let words = self.read(var);
            self.store_var_at(state, var, &words);
        }
    }

    /// Returns the variables that have registers.
    pub(super) fn register_vars(&self) -> Vec<VarId> {
        let mut all: Vec<VarId> = self.registers.keys().copied().collect();
        all.sort_unstable();
        all
    }

    /// Emits code that stores a variable in the state at this address.
    pub(super) fn store_var_at(&mut self, state: Value, var: VarId, words: &[Value]) {
        let first = self.unit.layout.slot(var).word as usize;
        for (i, value) in words.iter().enumerate() {
            self.b.ins().store(MemFlagsData::trusted(), *value, state, word_offset(first + i));
        }
    }

    /// Stores a variable in the state, not in its registers.
    pub(super) fn store_var(&mut self, var: VarId, words: &[Value]) {
        let slot = self.unit.layout.slot(var);
        for (i, value) in words.iter().enumerate() {
            self.store(slot.word as usize + i, *value);
        }
    }

    /// Emits code that loads a word of the state.
    fn load(&mut self, word: usize) -> Value {
        if self.predicts_keys() {
            self.predict_nothing();
            return self.iconst(0);
        }
        let words = self.words_for(word);
        self.b.ins().load(I64, MemFlagsData::trusted(), words, word_offset(word))
    }

    /// Emits code that stores a word of the state.
    fn store(&mut self, word: usize, value: Value) {
        if self.predicts_keys() {
            return self.predict_nothing();
        }
        let words = self.words_for(word);
        self.b.ins().store(MemFlagsData::trusted(), value, words, word_offset(word));
    }

    /// Emits code for the address of the state's words.
    pub(super) fn state_address(&mut self) -> Value {
        match &self.scope {
            // Most packets do not use the state.
            Some(scope) if !scope.needs_clear_state => self.load_context(Registers::WORDS),
            _ => self.b.use_var(self.words),
        }
    }

    pub(super) fn is_varbit(&self, var: VarId) -> bool {
        self.unit.layout.slot(var).varbit
    }

    /// Returns the words of a variable, which must not be a varbit.
    pub(super) fn read(&mut self, var: VarId) -> Vec<Value> {
        if self.registers.contains_key(&var) {
            let held = self.register_values(var);
            return self.read_field(var, held);
        }
        let slot = self.unit.layout.slot(var);
        let words = 0..slot.width.div_ceil(64) as usize;
        let mut words: Vec<Value> = words.map(|i| self.load(slot.word as usize + i)).collect();
        self.clean_validity(var, &mut words);
        words
    }

    /// Returns the contents of a variable's registers; `None` if it has no registers.
    pub(super) fn register_values(&mut self, var: VarId) -> Vec<Value> {
        let registers = self.registers.get(&var).copied().unwrap_or_default();
        registers.into_iter().flatten().map(|register| self.b.use_var(register)).collect()
    }

    /// Emits code for the low word of a variable; 0 for a variable without bits.
    pub(super) fn read_word(&mut self, var: VarId) -> Value {
        match self.read(var).first() {
            Some(word) => *word,
            None => self.iconst(0),
        }
    }

    /// Emits code for the address of a varbit variable's length.
    pub(super) fn varbit_address(&mut self, var: VarId) -> Value {
        let slot = self.unit.layout.slot(var);
        let words = self.words_for(slot.word as usize - 1);
        let offset = self.iconst((u64::from(slot.word) - 1) * 8);
        self.b.ins().iadd(words, offset)
    }

    /// Sets a variable with any role. The variable must not be a varbit.
    pub(super) fn set(&mut self, var: VarId, words: &[Value]) {
        if let Some(registers) = self.registers.get(&var).copied() {
            for (register, value) in registers.into_iter().flatten().zip(words) {
                self.anchor(*value);
                self.b.def_var(register, *value);
            }
            if self.scope.is_some() {
                return;
            }
        }
        self.store_var(var, words);
    }

    pub(super) fn set_const(&mut self, var: VarId, value: u64) {
        let value = self.iconst(value);
        self.set(var, &[value]);
    }

    /// Sets a varbit to the value at an address.
    pub(super) fn set_varbit(&mut self, var: VarId, from: Value) {
        let to = self.varbit_address(var);
        // Both have the same type, so the source has as many words.
        let count = self.iconst(1 + u64::from(self.unit.layout.slot(var).width.div_ceil(64)));
        self.call_runtime(runtime::copy_words as *const u8, &[to, from, count]);
    }

    /// Sets a variable to 0, or to the empty varbit.
    pub(super) fn clear(&mut self, var: VarId) {
        let slot = self.unit.layout.slot(var);
        let zero = self.iconst(0);
        if slot.varbit {
            let (to, count) = (self.varbit_address(var), self.iconst(1 + u64::from(slot.width.div_ceil(64))));
            self.call_runtime(runtime::clear_words as *const u8, &[to, count]);
        } else {
            self.set(var, &vec![zero; slot.width.div_ceil(64) as usize]);
        }
    }

    /// Emits code for a header's validity as a word.
    pub(super) fn is_valid(&mut self, header: HeaderId) -> Value {
        self.read_word(self.unit.program.headers[header].valid)
    }

    /// Writes a variable as an assignment does.
    pub(super) fn write(&mut self, var: VarId, words: &[Value]) {
        if let VarRole::Field(header) = self.unit.program.vars[var].role {
            self.load_fields(header);
        }
        self.set(var, words);
    }

    /// Applies a function to the variable to which a place leads at run time, if there is one.
    fn apply_to_place(&mut self, place: &Place, mut with: impl FnMut(&mut Self, VarId)) {
        match place {
            Place::Var(var) => with(self, *var),
            Place::Indexed(vars, index) => {
                let index = self.eval_word(index);
                if let (None, Some(stride)) = (self.as_const(index), self.row_stride(vars)) {
                    let within = self.is_within(index, vars.len());
                    return self.if_true(within, |emit| {
                        emit.with_displaced(&vars[..1], (index, stride), |emit| with(emit, vars[0]));
                    });
                }
                self.switch_on_index(
                    index,
                    vars.len(),
                    |emit, i| {
                        with(emit, vars[i]);
                        true
                    },
                    |_| true,
                );
            }
        }
    }

    /// Emits code that writes words to a place.
    pub(super) fn write_place(&mut self, place: &Place, words: &[Value]) {
        self.apply_to_place(place, |emit, var| emit.write(var, words));
    }

    /// Writes a varbit to a place.
    pub(super) fn write_varbit_place(&mut self, place: &Place, from: Value) {
        self.apply_to_place(place, |emit, var| emit.set_varbit(var, from));
    }

    /// Returns the type of a place.
    pub(super) fn place_type(&self, place: &Place) -> Type {
        let var = match place {
            Place::Var(var) => Some(var),
            Place::Indexed(vars, _) => vars.first(),
        };
        var.map_or(Type::bit(0), |var| self.unit.program.vars[*var].ty)
    }

    /// Emits code for the value of the variable that an index selects; 0 past the end.
    pub(super) fn read_indexed(&mut self, vars: &[VarId], index: Value) -> Vec<Value> {
        let width = self.unit.layout.slot(vars[0]).width;
        if let Some(stride) = self.row_stride(vars) {
            let (within, index) = self.clamp_index(index, vars.len());
            let words = self.with_displaced(&vars[..1], (index, stride), |emit| emit.read(vars[0]));
            let zero = self.iconst(0);
            return words.into_iter().map(|word| self.select(within, word, zero)).collect();
        }
        let choices: Vec<_> = vars.iter().map(|var| self.read(*var)).collect();
        self.select_by_index(index, width.div_ceil(64) as usize, &choices)
    }

    /// Selects one of several values by an index; 0 past the end.
    fn select_by_index(&mut self, index: Value, count: usize, choices: &[Vec<Value>]) -> Vec<Value> {
        let zero = self.iconst(0);
        let mut picked = vec![zero; count];
        for (i, words) in choices.iter().enumerate() {
            let here = self.compare_const(IntCC::Equal, index, i as u64);
            for (picked, word) in picked.iter_mut().zip(words) {
                *picked = self.select(here, *word, *picked);
            }
        }
        picked
    }
}
