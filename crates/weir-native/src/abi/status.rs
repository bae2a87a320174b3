//! The numbers that machine code and the runtime functions return.

/// The status of code that ran to its end, or of a parser that accepted.
pub(crate) const DONE: u64 = 0;
/// The status of code that ran `exit`.
pub(crate) const EXIT: u64 = 1;
/// The status of loops that had more iterations than allowed.
pub(crate) const LOOP_LIMIT: u64 = 2;
/// The status of a failed assertion.
pub(crate) const ASSERTION_FAILED: u64 = 3;
/// The environment panicked, or broke its contract. The panic continues in the caller of the
/// machine code.
pub(crate) const PANIC: u64 = 4;
/// The status of a parser that rejected the packet.
pub(crate) const REJECT: u64 = 5;
/// The status of an extern whose code failed.
pub(crate) const EXTERN_FAILED: u64 = 6;
/// The number that is added to the position of a parser error.
pub(crate) const PARSER_ERROR: u64 = 1 << 32;

/// The number that a lookup by values adds to the action's position if an entry matched.
pub(crate) const HIT: u64 = 1 << 32;
/// The value that the functions for lookups and value sets return if the environment panicked.
pub(crate) const FAILED: u64 = u64::MAX;

/// The return values of a pipeline's function: a kind in the low bits, and a detail of that kind
/// above them.
pub(crate) mod end {
    /// The status of a pipeline whose stages all ran, for all packets.
    pub(crate) const DONE: u64 = 0;
    /// The status of a pipeline whose run a stage ended; the detail is its code.
    pub(crate) const LEFT: u64 = 1;
    /// The status of a pipeline without room for headers; the detail is the stage's position.
    pub(crate) const NO_ROOM: u64 = 2;
    /// The status of too many loop iterations; the detail is the stage's position.
    pub(crate) const LOOP_LIMIT: u64 = 3;
    /// The status of a failed assertion; the detail is the stage's position.
    pub(crate) const ASSERTION_FAILED: u64 = 4;
    /// The environment panicked, or broke its contract.
    pub(crate) const PANIC: u64 = 5;
    /// The caller runs the stages from the position in the detail on, one by one; the state is
    /// kept.
    pub(crate) const RESUME: u64 = 6;
    /// The status of an extern whose code failed; the detail is the stage's position.
    pub(crate) const EXTERN_FAILED: u64 = 7;
    /// The number of bits for the kind in a status.
    pub(crate) const SHIFT: u32 = 8;
}
