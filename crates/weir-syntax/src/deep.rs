//! Stack for recursion: into nested code, and into called code, which is as deep as calls nest.

/// Bytes of stack that the deepest body needs without the bodies that it calls. Threads may have
/// less.
const RESERVE: usize = 3 << 19;

/// Bytes of a further piece of stack.
const PIECE: usize = 16 << 20;

/// Runs `step`, on a further piece of stack if little is left of this one.
pub fn with_stack<T>(step: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(RESERVE, PIECE, step)
}
