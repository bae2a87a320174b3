//! The memory layout of an extern call's values.

use std::ops::Range;

use weir_ir::{ArgValue, Direction, ExternCall, HeaderId, Leaf, Program, Type, VarRole};

/// Where the values of a call are in the words that [`Environment::call_words`](crate::Environment::call_words) gets:
/// the arguments in order, then the leaves of the result. Each value has ⌈width/64⌉ words, least significant first;
/// bits above its width are 0. Strings and objects have no words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallFrame {
    /// The values of each argument.
    pub args: Vec<Vec<FrameValue>>,
    /// The values of the result, all to be written.
    pub result: Vec<FrameValue>,
    /// The number of words in total.
    pub words: usize,
}

/// One value of a [`CallFrame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameValue {
    /// Its first word.
    pub at: usize,
    /// Its width in bits.
    pub width: u32,
    /// For a field of a header that is given as a whole: the word that holds the header's validity (0 or 1). The
    /// field belongs to the argument only if the header is valid.
    pub if_valid: Option<usize>,
}

impl FrameValue {
    /// The positions of its words.
    pub fn words(&self) -> Range<usize> {
        self.at..self.at + self.width.div_ceil(64) as usize
    }
}

impl CallFrame {
    /// The frame of a call; none if one of its values is a varbit, or if the call writes validity bits or stack counters.
    pub fn of(program: &Program, call: &ExternCall) -> Option<Self> {
        let mut frame = Self::default();
        for arg in &call.args {
            let mut values = Vec::new();
            match &arg.value {
                ArgValue::Leaves(leaves) => {
                    for leaf in leaves {
                        match leaf {
                            Leaf::Value(value) => values.push(frame.value(value.ty, None)?),
                            Leaf::Header(header) => frame.header(program, *header, &mut values)?,
                        }
                    }
                }
                ArgValue::Vars { vars, .. } => {
                    for var in vars {
                        let var = &program.vars[*var];
                        let written = arg.direction != Direction::In;
                        if written && matches!(var.role, VarRole::Validity(_) | VarRole::NextIndex(_)) {
                            return None;
                        }
                        values.push(frame.value(var.ty, None)?);
                    }
                }
                ArgValue::Text(_) | ArgValue::Extern(_) => {}
            }
            frame.args.push(values);
        }
        for var in &call.result {
            let var = &program.vars[*var];
            if matches!(var.role, VarRole::Validity(_) | VarRole::NextIndex(_)) {
                return None;
            }
            let value = frame.value(var.ty, None)?;
            frame.result.push(value);
        }
        Some(frame)
    }

    fn value(&mut self, ty: Type, if_valid: Option<usize>) -> Option<FrameValue> {
        if matches!(ty, Type::Varbit { .. }) {
            return None;
        }
        let value = FrameValue { at: self.words, width: ty.width(), if_valid };
        self.words = value.words().end;
        Some(value)
    }

    fn header(&mut self, program: &Program, header: HeaderId, values: &mut Vec<FrameValue>) -> Option<()> {
        // The validity has a word of its own before the fields; it is no value of the argument.
        let valid = self.words;
        self.words += 1;
        for field in &program.headers[header].fields {
            let value = self.value(program.vars[*field].ty, Some(valid))?;
            values.push(value);
        }
        Some(())
    }
}
