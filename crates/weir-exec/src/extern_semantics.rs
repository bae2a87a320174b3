//! The effects of extern calls that an architecture can describe in terms of the IR.

use weir_ir::{ArgValue, ExternCall, Leaf, Program, Type, VarId, VarRole};

/// The effect of an extern call in a [`Pipeline`](crate::Pipeline). Executors that compile can
/// replace the call by code or by a cheaper call. Arguments are identified by their position in
/// [`ExternCall::args`](weir_ir::ExternCall::args).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExternSemantics {
    /// Sets plain variables of at most 64 bits.
    Set(Vec<(VarId, NewValue)>),
    /// If the first leaf of `condition` is true and the checksum of the leaves of `data` differs
    /// from the value of `given`, sets `error` to 1.
    VerifyChecksum {
        /// An argument of type `Bool`.
        condition: usize,
        /// The argument with the data of the checksum: the Internet checksum (RFC 1071) of the bits
        /// of its leaves, concatenated and padded with zeros to a whole number of 16-bit words
        /// ([`can_be_summed`]).
        data: usize,
        /// The argument with the checksum in the packet, of 16 bits.
        given: usize,
        /// The plain variable that is set to 1 if the checksum is wrong.
        error: VarId,
    },
    /// If the first leaf of `condition` is true, sets the variable of argument `field` to the
    /// checksum of the leaves of `data`.
    UpdateChecksum {
        /// An argument of type `Bool`.
        condition: usize,
        /// The same data as in [`ExternSemantics::VerifyChecksum`].
        data: usize,
        /// The argument of 16 bits that is set to the checksum.
        field: usize,
    },
    /// The result of the call, if it has one, becomes the checksum of the leaves of `data`.
    Checksum {
        /// The same data as in [`ExternSemantics::VerifyChecksum`].
        data: usize,
    },
    /// The call is a step of a ones' complement sum (RFC 1071).
    Sum {
        /// The plain variable of 16 bits that holds the sum. Only steps of ones' complement sums
        /// use it.
        sum: VarId,
        /// The step of the computation.
        step: SumStep,
    },
    /// The call reads and writes only its arguments and its result, and no other part of the state.
    /// The executor makes the call with [`Environment::call_words`](crate::Environment::call_words)
    /// and this number. Allowed only for calls that have a [`CallFrame`](crate::CallFrame).
    Words(u32),
    /// The effect is unknown. The executor makes the call with
    /// [`Environment::call`](crate::Environment::call).
    Call,
}

/// The value to which a call sets a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewValue {
    /// A constant, whatever the arguments are.
    Const(u64),
    /// The argument at this position, of at most 64 bits, truncated to the variable's width.
    Arg(usize),
}

/// A step of a ones' complement sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SumStep {
    /// The sum becomes 0.
    Clear,
    /// Adds the 16-bit words of the argument at this position: the bits of its leaves, concatenated
    /// and padded with zeros. A sum other than 0 never becomes 0.
    Add(usize),
    /// The sum becomes the argument at this position, of 16 bits.
    Set(usize),
    /// The result, of 16 bits, is the sum or its complement.
    Get {
        /// Whether the result is the complement.
        complement: bool,
    },
    /// The result, of one bit, is whether the sum is not all ones.
    IsWrong,
}

/// Returns whether a call has one result of this many bits that is a plain variable or a field of a
/// header, or no result.
pub fn has_result(program: &Program, call: &ExternCall, bits: u32) -> bool {
    let fits = |var: &VarId| {
        program.vars.get(*var).is_some_and(|var| {
            let is_number = matches!(var.ty, Type::Bool | Type::Bits { .. });
            is_number && var.ty.width() == bits && matches!(var.role, VarRole::Plain | VarRole::Field(_))
        })
    };
    call.result.len() <= 1 && call.result.iter().all(fits)
}

/// Returns whether an argument of a call is data that machine code can sum up ([`can_be_summed`]).
pub fn has_data(program: &Program, call: &ExternCall, arg: usize) -> bool {
    let data = call.args.get(arg).map(|arg| &arg.value);
    matches!(data, Some(ArgValue::Leaves(leaves)) if can_be_summed(program, leaves))
}

/// Returns whether machine code can sum up leaves in 16-bit words: they have fixed widths, and
/// headers, which may be invalid, begin and end at whole words.
pub fn can_be_summed(program: &Program, leaves: &[Leaf]) -> bool {
    let mut bits = 0u32;
    leaves.iter().all(|leaf| match leaf {
        Leaf::Value(value) => {
            bits = bits.wrapping_add(value.ty.width());
            !matches!(value.ty, Type::Varbit { .. })
        }
        Leaf::Header(header) => {
            let Some(header) = program.headers.get(*header) else { return false };
            let types = || header.fields.iter().map(|field| program.vars[*field].ty);
            let begins_at_word = bits.is_multiple_of(16);
            let width = types().fold(0u32, |sum, ty| sum.wrapping_add(ty.width()));
            bits = bits.wrapping_add(width);
            begins_at_word && bits.is_multiple_of(16) && types().all(|ty| !matches!(ty, Type::Varbit { .. }))
        }
    })
}
