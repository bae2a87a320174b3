//! The numbers that machine code and the runtime functions return.

/// The code ran to its end, or the parser accepted.
pub(crate) const DONE: u64 = 0;
/// `exit`.
pub(crate) const EXIT: u64 = 1;
/// More loop iterations than allowed.
pub(crate) const LOOP_LIMIT: u64 = 2;
/// An assertion failed.
pub(crate) const ASSERTION_FAILED: u64 = 3;
/// The environment panicked, or broke its contract. The panic continues in the caller of the
/// machine code.
pub(crate) const PANIC: u64 = 4;
/// The parser rejected the packet.
pub(crate) const REJECT: u64 = 5;
/// Added to the position of a parser error.
pub(crate) const PARSER_ERROR: u64 = 1 << 32;

/// What the lookup by values adds to the action's position if an entry matched.
pub(crate) const HIT: u64 = 1 << 32;
/// What the functions for lookups and value sets return if the environment panicked.
pub(crate) const FAILED: u64 = u64::MAX;

/// What the function of a pipeline returns: a kind in the low bits, a detail of that kind above
/// them.
pub(crate) mod end {
    /// All stages ran, for all packets.
    pub(crate) const DONE: u64 = 0;
    /// A stage ended the run; the detail is its code.
    pub(crate) const LEFT: u64 = 1;
    pub(crate) const NO_ROOM: u64 = 2;
    /// The detail is the stage's position.
    pub(crate) const LOOP_LIMIT: u64 = 3;
    /// The detail is the stage's position.
    pub(crate) const ASSERTION_FAILED: u64 = 4;
    pub(crate) const PANIC: u64 = 5;
    /// The caller runs the stages from the position in the detail on, one by one; the state is
    /// kept.
    pub(crate) const RESUME: u64 = 6;
    /// Bits of the kind.
    pub(crate) const SHIFT: u32 = 8;
}
