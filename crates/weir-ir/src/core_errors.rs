//! The parser errors of `core.p4`.

use crate::program::Program;

/// The parser errors that executors raise themselves (P4 spec, `core.p4`), as positions in
/// [`Program::errors`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreErrors {
    /// `PacketTooShort`: the packet does not have enough bits left.
    pub packet_too_short: u32,
    /// `NoMatch`: no case of a select matches.
    pub no_match: u32,
    /// `StackOutOfBounds`: the stack has no such element.
    pub stack_out_of_bounds: u32,
    /// `HeaderTooShort`: there are more bits than the varbit field holds.
    pub header_too_short: u32,
    /// `ParserTimeout`: the parser entered too many states.
    pub parser_timeout: u32,
    /// `ParserInvalidArgument`: the number of bits is not a whole number of bytes.
    pub parser_invalid_argument: u32,
}

impl CoreErrors {
    /// The names that a program with a parser must declare, in the order of `core.p4`.
    pub const NAMES: [&'static str; 7] = [
        "NoError",
        "PacketTooShort",
        "NoMatch",
        "StackOutOfBounds",
        "HeaderTooShort",
        "ParserTimeout",
        "ParserInvalidArgument",
    ];

    /// Finds the errors in a program. An error that the program does not declare gets `u32::MAX`;
    /// the validator accepts that only in programs without parsers.
    pub fn find_in(program: &Program) -> Self {
        let position = |name: &str| {
            program.errors.iter().position(|error| error == name).map_or(u32::MAX, |index| index as u32)
        };
        Self {
            packet_too_short: position("PacketTooShort"),
            no_match: position("NoMatch"),
            stack_out_of_bounds: position("StackOutOfBounds"),
            header_too_short: position("HeaderTooShort"),
            parser_timeout: position("ParserTimeout"),
            parser_invalid_argument: position("ParserInvalidArgument"),
        }
    }
}
