//! What extern calls mean, as far as an architecture can say it in the IR's own terms: so that an executor that compiles needs no
//! call for them, or a cheap one.

use crate::program::{Direction, HeaderId, Program, VarId, VarRole};
use crate::stmt::{ArgValue, ExternCall, Leaf};
use crate::types::Type;

/// What a call of an extern in a [`Pipeline`](crate::pipeline::Pipeline) means. Where an argument is named, it is by its position in [`ExternCall::args`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Sets plain variables of at most 64 bits to constants, whatever the arguments.
    Set(Vec<(VarId, u64)>),
    /// If the first leaf of `condition` is true and the checksum of the leaves of `data` is not the value of `given`, sets `error` to 1.
    VerifyChecksum {
        /// Argument of type `Bool`.
        condition: usize,
        /// Argument whose leaves are summed up: the Internet checksum (RFC 1071) of their bits, one behind the other, zeros behind them up
        /// to a whole number of 16 bits.
        data: usize,
        /// Argument of 16 bits.
        given: usize,
        /// A plain variable.
        error: VarId,
    },
    /// If the first leaf of `condition` is true, sets the variable of argument `field` to the checksum of the leaves of `data`.
    UpdateChecksum {
        /// Argument of type `Bool`.
        condition: usize,
        /// As in [`Meaning::VerifyChecksum`].
        data: usize,
        /// Argument of 16 bits that is written.
        field: usize,
    },
    /// Touches nothing of the state but its arguments and its result: [`Environment::call_words`](crate::exec::Environment::call_words) with this number does it. Only for calls
    /// that have a [`Frame`].
    Words(u32),
    /// Nobody knows: [`Environment::call`](crate::exec::Environment::call) does it.
    Call,
}

/// How the values of a call lie in the words that [`Environment::call_words`](crate::exec::Environment::call_words) gets: those of the arguments in order, then the result's leaves.
/// Each value has ⌈width/64⌉ words, least significant first, bits above the width 0. Strings and objects have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// By argument, its parts.
    pub args: Vec<Vec<Part>>,
    /// The result's parts, all to be written.
    pub result: Vec<Part>,
    /// Words in all.
    pub words: usize,
}

/// A piece of a [`Frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its first word.
    pub at: usize,
    /// Its bits.
    pub width: u32,
    /// Which header's validity (1 bit) stands in the word at this place, if the part is a field of a header given as a whole: the field belongs
    /// to the value only if that is 1.
    pub if_valid: Option<usize>,
}

impl Part {
    /// Where its words are.
    pub fn words(&self) -> std::ops::Range<usize> {
        self.at..self.at + self.width.div_ceil(64) as usize
    }
}

impl Frame {
    /// Of a call; none if one of its values is a varbit, or if it writes validity bits or stack counters.
    pub fn of(program: &Program, call: &ExternCall) -> Option<Self> {
        let mut frame = Self::default();
        for arg in &call.args {
            let mut parts = Vec::new();
            match &arg.value {
                ArgValue::Leaves(leaves) => {
                    for leaf in leaves {
                        match leaf {
                            Leaf::Value(value) => parts.push(frame.part(value.ty, None)?),
                            Leaf::Header(header) => frame.header(program, *header, &mut parts)?,
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
                        parts.push(frame.part(var.ty, None)?);
                    }
                }
                ArgValue::Text(_) | ArgValue::Extern(_) => {}
            }
            frame.args.push(parts);
        }
        for var in &call.result {
            let var = &program.vars[*var];
            if matches!(var.role, VarRole::Validity(_) | VarRole::NextIndex(_)) {
                return None;
            }
            let part = frame.part(var.ty, None)?;
            frame.result.push(part);
        }
        Some(frame)
    }

    fn part(&mut self, ty: Type, if_valid: Option<usize>) -> Option<Part> {
        if matches!(ty, Type::Varbit { .. }) {
            return None;
        }
        let part = Part { at: self.words, width: ty.width(), if_valid };
        self.words = part.words().end;
        Some(part)
    }

    fn header(&mut self, program: &Program, header: HeaderId, parts: &mut Vec<Part>) -> Option<()> {
        // The validity comes first; it is no part of the value.
        let valid = self.words;
        self.words += 1;
        for field in &program.headers[header].fields {
            let part = self.part(program.vars[*field].ty, Some(valid))?;
            parts.push(part);
        }
        Some(())
    }
}
