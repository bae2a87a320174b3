//! A packet's state during a pipeline pass: the value of every variable, in flat memory.

use std::ops::Range;

use crate::bits::Bits;
use crate::program::{Program, VarId};
use crate::types::Type;

/// The position of each variable of a program in a [`State`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    slots: Vec<Slot>,
    words: usize,
}

/// The position of one variable in a [`State`]. It has ⌈width/64⌉ words, least significant first,
/// and bits above the width are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The position of the first 64-bit word. For a varbit, the word before it holds the length in
    /// bits.
    pub word: u32,
    /// The width in bits; for a varbit, the maximum width.
    pub width: u32,
    /// Whether the variable is a varbit, whose length is part of its value.
    pub varbit: bool,
}

impl Slot {
    /// Returns whether the variable is a single word, as most variables are.
    #[inline]
    fn is_word(self) -> bool {
        !self.varbit && (1..=64).contains(&self.width)
    }

    /// Returns the words of the variable in a [`State`], with the length of a varbit.
    #[inline]
    fn range(self) -> Range<usize> {
        let start = self.word as usize;
        start - usize::from(self.varbit)..start + self.width.div_ceil(64) as usize
    }
}

impl Layout {
    /// Lays out the variables in order, each in separate words.
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

    /// Returns the position of a variable, for executors that access the words directly.
    #[inline]
    pub fn slot(&self, var: VarId) -> Slot {
        self.slots[var.index()]
    }

    /// Returns the number of words of a state.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Creates a state in which everything is 0, false, invalid or empty.
    pub fn state(&self) -> State {
        State { words: vec![0; self.words].into_boxed_slice() }
    }

    /// Returns a variable's value in a state.
    #[inline]
    pub fn get(&self, state: &State, var: VarId) -> Bits {
        let slot = self.slots[var.index()];
        let start = slot.word as usize;
        if slot.is_word() {
            return Bits::of_word(slot.width, state.words[start]);
        }
        let width = if slot.varbit { state.words[start - 1] as u32 } else { slot.width };
        Bits::from_words(width, &state.words[start..])
    }

    /// Sets a variable.
    ///
    /// # Panics
    /// The value has another width than the variable, or more bits than the varbit can hold.
    #[inline]
    pub fn set(&self, state: &mut State, var: VarId, value: &Bits) {
        let slot = self.slots[var.index()];
        let start = slot.word as usize;
        let fits = if slot.varbit { value.width() <= slot.width } else { value.width() == slot.width };
        assert!(fits, "a value of {} bits for a variable of {} bits", value.width(), slot.width);
        if slot.is_word() {
            state.words[start] = value.low_u64();
            return;
        }
        if slot.varbit {
            state.words[start - 1] = u64::from(value.width());
            state.words[start..start + slot.width.div_ceil(64) as usize].fill(0);
        }
        value.write_words(&mut state.words[start..]);
    }

    /// Copies the value of `from` to `to`.
    ///
    /// # Panics
    /// The variables have different types.
    #[inline]
    pub fn copy(&self, state: &mut State, to: VarId, from: VarId) {
        let (to, from) = (self.slots[to.index()], self.slots[from.index()]);
        assert!((to.width, to.varbit) == (from.width, from.varbit), "the variables have different types");
        state.words.copy_within(from.range(), to.range().start);
    }

    /// Makes a variable 0, false or empty.
    #[inline]
    pub fn clear(&self, state: &mut State, var: VarId) {
        state.words[self.slots[var.index()].range()].fill(0);
    }

    /// Returns the low 64 bits of a variable that is not a varbit: the fast path for validity bits
    /// and intrinsic metadata.
    #[inline]
    pub fn get_u64(&self, state: &State, var: VarId) -> u64 {
        let slot = self.slots[var.index()];
        if slot.width == 0 { 0 } else { state.words[slot.word as usize] }
    }

    /// Sets a variable of at most 64 bits to the low bits of `value`.
    ///
    /// # Panics
    /// The variable is wider, or a varbit.
    #[inline]
    pub fn set_u64(&self, state: &mut State, var: VarId, value: u64) {
        let slot = self.slots[var.index()];
        assert!(slot.width <= 64 && !slot.varbit, "the variable has more than 64 bits or is a varbit");
        match slot.width {
            0 => {}
            64.. => state.words[slot.word as usize] = value,
            width => state.words[slot.word as usize] = value & ((1 << width) - 1),
        }
    }
}

/// The value of every variable.
///
/// Reads and writes are raw: a field of a header is a variable like any other, whether the header
/// is valid or not. Both executors use this form, so each block of a packet can run on another
/// executor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    words: Box<[u64]>,
}

impl State {
    /// Sets all variables to 0, false, invalid or empty.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Returns the words, for executors that know the layout. Words that are not a value of their
    /// variable's type (bits above the width, a varbit that is too long) make results meaningless,
    /// but do not make an executor read or write other memory.
    pub fn words_mut(&mut self) -> &mut [u64] {
        &mut self.words
    }
}
