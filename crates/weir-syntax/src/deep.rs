//! Provides stack for recursion into nested code and into called code, where the recursion is as
//! deep as the calls.

/// Bytes of stack that the deepest body needs, without the bodies that it calls. Threads may have
/// less.
const RESERVE: usize = 3 << 19;

/// Bytes of an additional piece of stack.
const PIECE: usize = 16 << 20;

/// Runs `step`, on an additional piece of stack if little of the current one is left.
pub fn with_stack<T>(step: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RESERVE, PIECE, step)
}
