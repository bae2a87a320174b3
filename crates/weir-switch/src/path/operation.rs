//! Extern calls of a program. When the program is loaded, each distinct call is resolved into an
//! operation on the words of the call's frame.
//!
//! There is one implementation of each extern. Executors fill the words of the call's frame
//! ([`Environment::call_frame`](weir_exec::Environment::call_frame)); a pipeline's machine code
//! calls the operation by its number
//! ([`Environment::call_words`](weir_exec::Environment::call_words)).

use rustc_hash::FxHashMap;
use weir_exec::{CallFrame, ExternSemantics, Fault};
use weir_ir::{ExternCall, Program};

use super::ExternContext;

/// The operation of a call: it reads its arguments from the words of its frame and writes its
/// results there.
pub(crate) type Operation = dyn Fn(&mut ExternContext<'_, '_>, &mut [u64]) -> Result<(), Fault> + Send + Sync;

/// A call of an extern: the function that runs it, and the facts that executors need.
pub(crate) struct ResolvedCall {
    operation: Box<Operation>,
    semantics: CallSemantics,
    effect: Effect,
    reads_payload: bool,
}

/// The properties of a call on which machine code may rely.
enum CallSemantics {
    /// The call reads and writes only its frame.
    Words,
    /// The call may also write metadata.
    Opaque,
    /// The effect of the call is known in terms of the IR.
    Known(ExternSemantics),
}

/// The data that a call reads or changes apart from the packet's own state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The call has no effect, and its results depend only on the packet.
    None,
    /// The call uses data that lasts until the end of the block, such as a sum of earlier calls.
    Local,
    /// The call reads an extern object.
    Read,
    /// The call uses or changes extern objects, random numbers, messages or the clock.
    State,
    /// The call defers work to the end of the block.
    Deferred,
    /// The call adds entries to tables, or changes when entries expire.
    Entries,
}

impl ResolvedCall {
    /// A call that reads and writes its frame, and state of the switch.
    pub(crate) fn new(
        operation: impl Fn(&mut ExternContext<'_, '_>, &mut [u64]) -> Result<(), Fault> + Send + Sync + 'static,
    ) -> Self {
        Self {
            operation: Box::new(operation),
            semantics: CallSemantics::Words,
            effect: Effect::State,
            reads_payload: false,
        }
    }

    /// Creates a call that does nothing.
    pub(crate) fn no_effect() -> Self {
        Self::new(|_, _| Ok(())).with_semantics(ExternSemantics::Set(Vec::new()))
    }

    /// Marks the call as pure: its results depend on the packet alone.
    pub(crate) fn pure(self) -> Self {
        Self { effect: Effect::None, ..self }
    }

    /// Marks the call as local: it depends on the packet and on earlier calls of the block, and
    /// only later calls of the block depend on it.
    pub(crate) fn local(self) -> Self {
        Self { effect: Effect::Local, ..self }
    }

    /// Marks the call as one that reads its extern object and changes nothing.
    pub(crate) fn only_reading(self) -> Self {
        Self { effect: Effect::Read, ..self }
    }

    /// Sets whether the call also reads the payload.
    pub(crate) fn reading_payload(self, reads_payload: bool) -> Self {
        Self { reads_payload, ..self }
    }

    /// Marks the call as one that defers work to the end of the block.
    pub(crate) fn deferring(self) -> Self {
        Self { effect: Effect::Deferred, ..self }
    }

    /// Marks the call as one that adds or changes table entries.
    pub(crate) fn changing_entries(self) -> Self {
        Self { effect: Effect::Entries, ..self }
    }

    /// Marks the call as one that may also write metadata ([`ExternContext::assign`]).
    pub(crate) fn writing_metadata(self) -> Self {
        Self { semantics: CallSemantics::Opaque, ..self }
    }

    /// Sets the effect of the call in terms of the IR, for machine code. The call depends on the
    /// packet alone.
    pub(crate) fn with_semantics(self, semantics: ExternSemantics) -> Self {
        Self { semantics: CallSemantics::Known(semantics), effect: Effect::None, ..self }
    }
}

/// The resolved calls of a program.
#[derive(Default)]
pub(crate) struct Operations {
    calls: Vec<Site>,
    numbers: FxHashMap<ExternCall, usize>,
}

/// A call with its resolution.
struct Site {
    call: ExternCall,
    resolved: ResolvedCall,
}

impl Operations {
    /// Adds a call, unless an equal call exists.
    pub(crate) fn add(&mut self, call: &ExternCall, resolved: ResolvedCall) {
        if !self.numbers.contains_key(call) {
            self.numbers.insert(call.clone(), self.calls.len());
            self.calls.push(Site { call: call.clone(), resolved });
        }
    }

    /// Returns the number of a call.
    ///
    /// # Panics
    /// If the call is not one of the program.
    pub(super) fn number(&self, call: &ExternCall) -> usize {
        *self.numbers.get(call).unwrap_or_else(|| panic!("`{}` was not resolved", call.callee))
    }

    /// Returns the operation of the call with this number.
    #[inline]
    pub(super) fn numbered(&self, number: usize) -> &Operation {
        &*self.calls[number].resolved.operation
    }

    /// Returns the properties of all calls on which machine code may rely.
    pub(super) fn semantics(&self, program: &Program) -> Vec<(ExternCall, ExternSemantics)> {
        let semantics = |(number, site): (usize, &Site)| {
            let semantics = match &site.resolved.semantics {
                CallSemantics::Known(semantics) => semantics.clone(),
                CallSemantics::Words if CallFrame::for_call(program, &site.call).is_some() => {
                    ExternSemantics::Words(number as u32)
                }
                CallSemantics::Words | CallSemantics::Opaque => ExternSemantics::Call,
            };
            (site.call.clone(), semantics)
        };
        self.calls.iter().enumerate().map(semantics).collect()
    }

    /// Returns whether any call defers work to the end of its block.
    pub(super) fn can_defer(&self) -> bool {
        self.calls.iter().any(|site| site.resolved.effect == Effect::Deferred)
    }

    /// Returns whether any call adds or changes table entries.
    pub(super) fn can_change_entries(&self) -> bool {
        self.calls.iter().any(|site| site.resolved.effect == Effect::Entries)
    }

    /// Returns the data that a call reads or changes apart from the packet's own state.
    pub(crate) fn effect(&self, call: &ExternCall) -> Effect {
        self.resolved_call(call).map_or(Effect::State, |resolved| resolved.effect)
    }

    /// Returns whether a call reads the payload.
    pub(crate) fn reads_payload(&self, call: &ExternCall) -> bool {
        self.resolved_call(call).is_none_or(|resolved| resolved.reads_payload)
    }

    /// Returns the effect of a call in terms of the IR, if it is known.
    pub(crate) fn known_semantics(&self, call: &ExternCall) -> Option<&ExternSemantics> {
        match &self.resolved_call(call)?.semantics {
            CallSemantics::Known(semantics) => Some(semantics),
            CallSemantics::Words | CallSemantics::Opaque => None,
        }
    }

    fn resolved_call(&self, call: &ExternCall) -> Option<&ResolvedCall> {
        self.numbers.get(call).map(|number| &self.calls[*number].resolved)
    }
}
