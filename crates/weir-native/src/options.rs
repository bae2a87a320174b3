//! How programs are compiled: limits that trade speed of compilation against speed of code, and
//! faults that tests inject.

/// Choices of the compiler that do not change the meaning of code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    /// The largest number of register loads (variables times the places that load all of them) of
    /// one function. A function that would need more keeps its variables in memory.
    pub max_register_loads: usize,
    /// The largest number of elements of an array in registers from which an index selects at run
    /// time. Larger arrays stay in the state.
    pub max_register_elements: usize,
    /// The largest number of words of an action's parameters that are in registers. If there are
    /// more, they stay in the state: all of them would wait for their uses at once, and the time to
    /// allocate registers grows with the square of the number of waiting values.
    pub max_register_params: usize,
    /// The smallest number of headers for which a loop emits headers that lie at equal distances in
    /// the state and are emitted one after the other.
    pub min_run: usize,
    pub inline: InlineLimits,
    /// The limits in the function of a pipeline.
    pub pipeline_inline: InlineLimits,
    pub optimise: bool,
    /// The largest number of arguments that a function's branches may pass to blocks. Above this
    /// number, variables stay in memory; if that is not enough, Cranelift allocates registers in
    /// one pass.
    pub max_block_args: usize,
    /// The largest number of instructions without a branch between them for which Cranelift
    /// allocates registers with care. Above this number, it allocates them in one pass.
    pub max_run_length: usize,
    /// The largest [number of crossings](crate::analysis::Facts::crossings) for which code with
    /// variables in registers is tried; with more crossings, there would be far too many arguments.
    pub max_crossings: usize,
    /// The largest hit-rate credit of a cached table, see
    /// [`LookupCache`](crate::lookup_cache::LookupCache).
    pub cache_credit: u64,
    #[cfg(test)]
    pub bug: Option<InjectedBug>,
}

/// The largest size of a body that is inlined ([`Facts::size`](crate::analysis::Facts::size)).
#[derive(Clone, Copy, Debug)]
pub(crate) struct InlineLimits {
    /// The limit for bodies that are called from several places.
    pub several_callers: usize,
    pub one_caller: usize,
}

/// Bugs that tests inject into the executor, to check that the comparison with the interpreter
/// finds them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InjectedBug {
    /// Fields of several bytes are read in the processor's byte order.
    WrongEndianness,
    /// Results keep one bit too many.
    OffByOneWidth,
    /// Fields of a header that becomes valid keep their values.
    StaleFields,
    /// Loops run one iteration more than they may.
    ExtraIteration,
    /// Signed numbers are compared as unsigned ones.
    UnsignedComparison,
    /// The last changed field of a header is not written back in place.
    ForgottenField,
    /// Cranelift refuses every block. The comparison cannot find this bug, because the fallback
    /// executor runs the blocks.
    NoCode,
    /// Cached lookup results are kept when the table has changed.
    StaleLookups,
    /// Checksums use the packet's bytes for fields that were written later.
    StaleChecksum,
    /// The sum of two words of 16 bits lacks its carry.
    LostCarry,
    /// The first key of a batch gets the result of the second one.
    SwappedLookups,
    /// Elements of stacks that move are read from the packet although they were written.
    StaleElement,
}

impl Options {
    /// Returns whether this bug is injected; always false outside of tests.
    pub(crate) fn has_bug(self, bug: InjectedBug) -> bool {
        #[cfg(test)]
        return self.bug == Some(bug);
        #[cfg(not(test))]
        {
            let _ = bug;
            false
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_register_loads: 4_000,
            max_register_elements: 32,
            max_register_params: 128,
            min_run: 16,
            inline: InlineLimits { several_callers: 40, one_caller: 400 },
            pipeline_inline: InlineLimits { several_callers: 60, one_caller: 2_000 },
            optimise: true,
            max_block_args: 8_000,
            max_run_length: 20_000,
            max_crossings: 60_000,
            cache_credit: 2048,
            #[cfg(test)]
            bug: None,
        }
    }
}
