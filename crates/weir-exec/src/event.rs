//! The steps of a traced packet.

use weir_ir::{ActionId, Bits, ExternCall, HeaderId, Loc, ParserId, ParserStateId, TableId, Target, VarId};

use crate::lookup::Lookup;
use crate::value::Value;

/// One step of a traced packet.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A parser state was entered.
    State(ParserId, ParserStateId),
    /// A header was extracted, with the values of its fields. The value of a varbit has as many
    /// bits as were extracted.
    Extracted(HeaderId, &'a [Bits], Loc),
    /// A transition was taken. The values are those of the keys of a select, if there is one.
    Transition(ParserId, Target, &'a [Bits], Loc),
    /// Parsing ends with this error, a position in [`Program::errors`](weir_ir::Program::errors).
    ParserError(u32, Loc),
    /// A table was applied; its action's [`Event::Action`] follows.
    Applied {
        /// The table.
        table: TableId,
        /// The key's values.
        keys: &'a [Bits],
        /// The result of the lookup.
        found: &'a Lookup,
        /// The place in the source.
        loc: Loc,
    },
    /// An action begins. Events up to its [`Event::ActionEnded`] belong to it.
    Action(ActionId, &'a [Bits]),
    /// The innermost running action ended.
    ActionEnded,
    /// A variable was written.
    Assigned {
        /// The variable.
        var: VarId,
        /// The value before the write.
        old: &'a Bits,
        /// The value after the write.
        new: &'a Bits,
        /// The place in the source.
        loc: Loc,
    },
    /// A field of an invalid header was written.
    AssignedInvalid(VarId, &'a Bits, Loc),
    /// A header became valid (true) or invalid. The fields of a header that becomes valid are 0
    /// unless an [`Event::Assigned`] follows.
    Validity(HeaderId, bool, Loc),
    /// A condition was evaluated.
    Branch(bool, Loc),
    /// A switch statement was evaluated: its value, and whether a case matched. Otherwise, the
    /// default runs.
    Switched(&'a Bits, bool, Loc),
    /// An extern is called. Events up to its [`Event::Returned`] belong to the call, including the
    /// writes of its results.
    Called(&'a ExternCall, &'a [Value], Loc),
    /// The innermost extern call returned.
    Returned,
    /// A header was emitted, with the values of its fields.
    Emitted(HeaderId, &'a [Bits], Loc),
}
