//! The parts of a program that a dissector contains, collected while its code is written.

use std::collections::BTreeSet;

use weir_ir::{HeaderId, Loc, ProcedureId, Program, StackId, ValueSetId, VarId};

use crate::Refusal;
use crate::needed::Needed;

/// The maximum nesting depth of statements and expressions: Lua's parser has a limit of 200, and a
/// level here takes at most two there.
pub(crate) const MAX_NESTING: usize = 90;

/// A call of an extern, which a dissector cannot run.
pub(crate) struct Unknown {
    pub(crate) callee: String,
    pub(crate) loc: Loc,
    /// The variables that the call writes.
    pub(crate) writes: Vec<VarId>,
}

/// The code of a parser while it is written.
pub(crate) struct Code<'p> {
    pub(crate) program: &'p Program,
    /// The variables that the code names, apart from those of headers and stacks.
    pub(crate) vars: BTreeSet<VarId>,
    pub(crate) headers: BTreeSet<HeaderId>,
    pub(crate) stacks: BTreeSet<StackId>,
    pub(crate) sets: BTreeSet<ValueSetId>,
    pub(crate) procedures: BTreeSet<ProcedureId>,
    /// Procedures whose code is not written yet.
    pub(crate) pending: Vec<ProcedureId>,
    pub(crate) needed: Needed,
    pub(crate) unknown: Vec<Unknown>,
    pub(crate) refusals: Vec<Refusal>,
    /// The variables that the current expression has read.
    pub(crate) reads: Vec<VarId>,
    pub(crate) depth: usize,
    /// The number of loops so far, and the numbers of those around the current statement.
    pub(crate) loops: usize,
    pub(crate) around: Vec<usize>,
}

impl<'p> Code<'p> {
    pub(crate) fn new(program: &'p Program) -> Self {
        Self {
            program,
            vars: BTreeSet::new(),
            headers: BTreeSet::new(),
            stacks: BTreeSet::new(),
            sets: BTreeSet::new(),
            procedures: BTreeSet::new(),
            pending: Vec::new(),
            needed: Needed::default(),
            unknown: Vec::new(),
            refusals: Vec::new(),
            reads: Vec::new(),
            depth: 0,
            loops: 0,
            around: Vec::new(),
        }
    }

    /// Notes that the program cannot have a dissector, once for each reason and place.
    pub(crate) fn refuse(&mut self, loc: Loc, message: impl Into<String>) {
        let refusal = Refusal::new(self.program, loc, message);
        if !self.refusals.contains(&refusal) {
            self.refusals.push(refusal);
        }
    }

    /// The calls of externs whose results decide what the parser does.
    pub(crate) fn refuse_unknown(&mut self) {
        let needed = self.needed.all();
        for call in std::mem::take(&mut self.unknown) {
            if let Some(var) = call.writes.iter().find(|var| needed.contains(var)) {
                let name = &self.program.vars[*var].name;
                let message = format!(
                    "the parser's path depends on `{}`, which writes `{name}`: Wireshark cannot run externs, so a \
                     dissector would not know which headers follow",
                    call.callee
                );
                self.refuse(call.loc, message);
            }
        }
    }
}
