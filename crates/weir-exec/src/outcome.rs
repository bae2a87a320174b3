//! The results of running a block.

/// The maximum number of loop iterations of one block for one packet. If a packet exceeds it, the
/// executor ends the block with [`Fault::LoopLimit`]. A parser may enter the same number of states
/// before it ends with the parser error `ParserTimeout`. Iterations and states with many steps
/// count several times ([`Work`](weir_ir::Work)), so that a packet cannot take seconds.
pub const LOOP_LIMIT: u32 = 65_536;

/// The result of running a parser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parsed {
    /// The number of bytes that `extract` and `advance` consumed, rounded up from bits. The rest of
    /// the packet is payload.
    pub consumed: usize,
    /// The position of the parser error in [`Program::errors`](weir_ir::Program::errors); 0 is
    /// `NoError`.
    pub error: u32,
    /// Whether the parser reached `accept`.
    pub accepted: bool,
    /// The reason why the executor itself stopped the parser, if it did.
    pub fault: Option<Fault>,
}

/// The reason why an executor gave up on a packet. The packet is dropped and the reason is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The loops of the block had more than [`LOOP_LIMIT`] iterations.
    LoopLimit,
    /// An `assert` or `assume` of the program failed.
    AssertionFailed,
    /// The code of an extern that the program declares itself failed.
    ExternFailed,
}
