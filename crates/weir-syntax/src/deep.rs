//! Provides enough stack for deep recursion into nested code and into called code.

/// The amount of stack in bytes that one body of code may need, without the bodies that it calls.
/// Threads may have less stack.
const MIN_FREE_STACK: usize = 3 << 19;

/// The size of an additional piece of stack in bytes.
const STACK_SEGMENT_BYTES: usize = 16 << 20;

/// Runs `step`, on an additional piece of stack if little of the current one is left.
pub fn with_stack<T>(step: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(MIN_FREE_STACK, STACK_SEGMENT_BYTES, step)
}
