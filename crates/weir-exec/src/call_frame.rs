//! The memory layout of an extern call's values.

use std::ops::Range;

use weir_ir::{Arg, ArgValue, Bits, Direction, ExternCall, HeaderId, Leaf, Program, Type, VarId, VarRole};

/// The positions of a call's values in the words that are passed to
/// [`Environment::call_frame`](crate::Environment::call_frame) and
/// [`Environment::call_words`](crate::Environment::call_words). The words contain the arguments in
/// order, then the leaves of the result. Each value takes ⌈width/64⌉ words, least significant
/// first, and bits above its width are 0. Strings and objects have no words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFrame {
    /// The values of each argument.
    pub args: Vec<Vec<FrameValue>>,
    /// The values of the result. The environment writes all of them.
    pub result: Vec<FrameValue>,
    /// The number of words in total.
    pub words: usize,
}

/// One value of a [`CallFrame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameValue {
    /// The position of the first word.
    pub at: usize,
    /// The width in bits.
    pub width: u32,
    /// For a field of a header that is passed as a whole: the position of the word that contains
    /// the header's validity (0 or 1). The field is part of the argument only if the header is
    /// valid.
    pub if_valid: Option<usize>,
    /// For a varbit: the position of the word that contains its length in bits; `width` is the
    /// maximum length.
    pub length_at: Option<usize>,
}

impl FrameValue {
    /// Returns the positions of the value's words.
    pub fn words(&self) -> Range<usize> {
        self.at..self.at + self.width.div_ceil(64) as usize
    }

    /// Returns the value's length in bits; for a varbit, its current length.
    #[inline]
    pub fn bits(&self, words: &[u64]) -> u32 {
        self.length_at.map_or(self.width, |at| words[at].min(u64::from(self.width)) as u32)
    }

    /// Returns whether the value is part of its argument. A field of an invalid header is not.
    #[inline]
    pub fn is_present(&self, words: &[u64]) -> bool {
        self.if_valid.is_none_or(|valid| words[valid] != 0)
    }

    /// Reads the value.
    #[inline]
    pub fn read(&self, words: &[u64]) -> Bits {
        Bits::from_words(self.bits(words), &words[self.words()])
    }

    /// Sets the value.
    ///
    /// # Panics
    /// If the value has another width, or more bits than the varbit can hold.
    #[inline]
    pub fn write(&self, words: &mut [u64], value: &Bits) {
        assert!(self.fits(value), "a value of {} bits for one of {} bits", value.width(), self.width);
        if let Some(at) = self.length_at {
            words[at] = u64::from(value.width());
            words[self.words()].fill(0);
        }
        match self.width {
            1..=64 => words[self.at] = value.low_u64(),
            _ => value.write_words(&mut words[self.words()]),
        }
    }

    /// Returns whether `value` has the width of this frame value.
    pub(crate) fn fits(&self, value: &Bits) -> bool {
        value.width() == self.width || self.length_at.is_some() && value.width() <= self.width
    }
}

impl CallFrame {
    /// Makes the frame of a call for [`Environment::call_words`](crate::Environment::call_words).
    /// Returns `None` if one of the call's values is a varbit, or if the call writes validity bits
    /// or stack counters.
    pub fn for_call(program: &Program, call: &ExternCall) -> Option<Self> {
        let written = call.args.iter().filter_map(written_vars);
        let is_counted =
            |var: &VarId| matches!(program.vars[*var].role, VarRole::Validity(_) | VarRole::NextIndex(_));
        if written.flatten().chain(&call.result).any(is_counted) {
            return None;
        }
        let frame = Self::of_any(program, call);
        let mut values = frame.args.iter().flatten().chain(&frame.result);
        values.all(|value| value.length_at.is_none()).then_some(frame)
    }

    /// Makes the frame of a call, which may have varbits. The length of a varbit is in a separate
    /// word before its value.
    pub fn of_any(program: &Program, call: &ExternCall) -> Self {
        let mut frame = Self::default();
        for arg in &call.args {
            let mut values = Vec::new();
            match &arg.value {
                ArgValue::Leaves(leaves) => {
                    for leaf in leaves {
                        match leaf {
                            Leaf::Value(value) => values.push(frame.value(value.ty, None)),
                            Leaf::Header(header) => frame.header(program, *header, &mut values),
                        }
                    }
                }
                ArgValue::Vars { vars, .. } => {
                    values.extend(vars.iter().map(|var| frame.value(program.vars[*var].ty, None)));
                }
                ArgValue::Text(_) | ArgValue::Extern(_) => {}
            }
            frame.args.push(values);
        }
        for var in &call.result {
            let value = frame.value(program.vars[*var].ty, None);
            frame.result.push(value);
        }
        frame
    }

    fn value(&mut self, ty: Type, if_valid: Option<usize>) -> FrameValue {
        let length_at = matches!(ty, Type::Varbit { .. }).then(|| {
            self.words += 1;
            self.words - 1
        });
        let value = FrameValue { at: self.words, width: ty.width(), if_valid, length_at };
        self.words = value.words().end;
        value
    }

    fn header(&mut self, program: &Program, header: HeaderId, values: &mut Vec<FrameValue>) {
        // The validity is in a separate word before the fields. It is not a value of the argument.
        let valid = self.words;
        self.words += 1;
        for field in &program.headers[header].fields {
            values.push(self.value(program.vars[*field].ty, Some(valid)));
        }
    }
}

/// Returns the variables of an argument that the call writes.
pub(crate) fn written_vars(arg: &Arg) -> Option<&Vec<VarId>> {
    match &arg.value {
        ArgValue::Vars { vars, .. } if arg.direction != Direction::In => Some(vars),
        _ => None,
    }
}
