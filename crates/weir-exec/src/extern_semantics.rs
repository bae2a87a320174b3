//! The meaning of an extern call, if an architecture can describe it in terms of the IR.

use weir_ir::VarId;

/// The effect of an extern call in a [`Pipeline`](crate::Pipeline), so that an executor that
/// compiles can replace the call by code or by a cheaper call. Arguments are identified by their
/// position in [`ExternCall::args`](weir_ir::ExternCall::args).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExternSemantics {
    /// Sets plain variables of at most 64 bits to constants, whatever the arguments are.
    Set(Vec<(VarId, u64)>),
    /// If the first leaf of `condition` is true and the checksum of the leaves of `data` differs
    /// from the value of `given`, sets `error` to 1.
    VerifyChecksum {
        /// An argument of type `Bool`.
        condition: usize,
        /// The argument whose leaves are summed up: the Internet checksum (RFC 1071) of their bits,
        /// concatenated and padded with zeros to a whole number of 16-bit words.
        data: usize,
        /// An argument of 16 bits.
        given: usize,
        /// A plain variable.
        error: VarId,
    },
    /// If the first leaf of `condition` is true, sets the variable of argument `field` to the
    /// checksum of the leaves of `data`.
    UpdateChecksum {
        /// An argument of type `Bool`.
        condition: usize,
        /// The same data as in [`ExternSemantics::VerifyChecksum`].
        data: usize,
        /// An argument of 16 bits that is written.
        field: usize,
    },
    /// The call reads and writes only its arguments and its result, and no other part of the state.
    /// The executor makes the call with [`Environment::call_words`](crate::Environment::call_words)
    /// and this number. Allowed only for calls that have a [`CallFrame`](crate::CallFrame).
    Words(u32),
    /// The effect is unknown. The executor makes the call with
    /// [`Environment::call`](crate::Environment::call).
    Call,
}
