//! A packet's state during a pass: the value of every variable, in flat memory.

use crate::bits::Bits;
use crate::program::{Program, VarId};
use crate::types::Type;

/// Where each variable of a program lies in a [`State`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    slots: Vec<Slot>,
    words: usize,
}

/// Where one variable lies in a [`State`]: ⌈width/64⌉ words, the least significant first; bits above the width are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// First 64-bit word; a varbit's length in bits stands in the word before.
    pub word: u32,
    /// Bits, at most.
    pub width: u32,
    /// Whether the length is part of the value.
    pub varbit: bool,
}

impl Slot {
    /// Whether the variable is one word and nothing else: most are.
    fn is_word(self) -> bool {
        !self.varbit && (1..=64).contains(&self.width)
    }
}

impl Layout {
    /// Lays out the variables in order, each in words of its own.
    pub fn new(program: &Program) -> Self {
        let mut words = 0usize;
        let slots = program
            .vars
            .values()
            .map(|var| {
                let varbit = matches!(var.ty, Type::Varbit { .. });
                words += usize::from(varbit);
                let slot = Slot { word: words as u32, width: var.ty.width(), varbit };
                words += slot.width.div_ceil(64) as usize;
                slot
            })
            .collect();
        Self { slots, words }
    }

    /// Where a variable lies, for executors that reach the words themselves.
    pub fn slot(&self, var: VarId) -> Slot {
        self.slots[var.index()]
    }

    /// How many words a state has.
    pub fn words(&self) -> usize {
        self.words
    }

    /// A state in which everything is 0, false, invalid or empty.
    pub fn state(&self) -> State {
        State { words: vec![0; self.words].into_boxed_slice() }
    }

    /// A variable's value.
    pub fn get(&self, state: &State, var: VarId) -> Bits {
        let slot = self.slots[var.index()];
        let start = slot.word as usize;
        if slot.is_word() {
            return Bits::new(slot.width, u128::from(state.words[start]));
        }
        let width = if slot.varbit { state.words[start - 1] as u32 } else { slot.width };
        Bits::from_words(width, &state.words[start..])
    }

    /// Sets a variable. The value has the variable's width, or for a varbit at most its maximum.
    pub fn set(&self, state: &mut State, var: VarId, value: &Bits) {
        let slot = self.slots[var.index()];
        let start = slot.word as usize;
        if slot.is_word() {
            debug_assert_eq!(value.width(), slot.width);
            state.words[start] = value.low_u64();
            return;
        }
        if slot.varbit {
            debug_assert!(value.width() <= slot.width);
            state.words[start - 1] = u64::from(value.width());
            state.words[start..start + slot.width.div_ceil(64) as usize].fill(0);
        } else {
            debug_assert_eq!(value.width(), slot.width);
        }
        value.write_words(&mut state.words[start..]);
    }

    /// The low 64 bits of a variable that is no varbit: the fast way for validity bits and intrinsic metadata.
    pub fn get_u64(&self, state: &State, var: VarId) -> u64 {
        let slot = self.slots[var.index()];
        if slot.width == 0 { 0 } else { state.words[slot.word as usize] }
    }

    /// Sets a variable of at most 64 bits to the low bits of `value`.
    pub fn set_u64(&self, state: &mut State, var: VarId, value: u64) {
        let slot = self.slots[var.index()];
        debug_assert!(slot.width <= 64 && !slot.varbit);
        match slot.width {
            0 => {}
            64.. => state.words[slot.word as usize] = value,
            width => state.words[slot.word as usize] = value & ((1 << width) - 1),
        }
    }
}

/// The value of every variable. Reads and writes are raw: whoever writes keeps the fields of an invalid header at 0
/// (executors do, and rely on it), so that they need not look at the validity bit to read a field.
/// Both executors share this form, so a packet can change executors between blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    words: Box<[u64]>,
}

impl State {
    /// Everything 0 again.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// The raw words, for executors that know the layout.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}
