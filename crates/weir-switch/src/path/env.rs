//! The [`Environment`] of every architecture, which executors query while a block or a pipeline
//! runs over a packet.

use std::sync::atomic::AtomicU64;

use weir_exec::{
    CallFrame, Environment, Event, Executor, Fault, Lookup, LookupBatch, LookupResult, PacketView, Value,
};
use weir_ir::{Bits, ExternCall, ExternId, Program, State, TableId, ValueSetId};

use super::extern_context::Bytes;
use super::{Deferred, ExternContext, Operations, PathContext};
use crate::externs::meter::Colour;
use crate::packet::PacketId;
use crate::state::ChosenMember;
use crate::tables::{FewWords, key_words};
use crate::trace::{StepKind, assignment_step};

/// The environment of one packet, or of several packets one after the other.
pub(super) struct PacketEnv<'a, 'b> {
    pub packet: ExternContext<'a, 'b>,
    operations: &'a Operations,
    /// The packets of a batch, in order, and their ids.
    batch: (&'a [PacketView<'a>], &'a [u64]),
    /// Whether calls of the program can defer work.
    can_defer: bool,
    key: Vec<u64>,
}

impl<'a, 'b> PacketEnv<'a, 'b> {
    /// Creates the environment for a packet.
    pub(super) fn new(packet: ExternContext<'a, 'b>, operations: &'a Operations) -> Self {
        PacketEnv { packet, operations, batch: (&[], &[]), can_defer: true, key: Vec::new() }
    }

    /// Creates the environment for packets that run one after the other, with their ids.
    #[inline]
    pub(super) fn for_batch(
        packet: ExternContext<'a, 'b>,
        operations: &'a Operations,
        batch: (&'a [PacketView<'a>], &'a [u64]),
        can_defer: bool,
    ) -> Self {
        PacketEnv { packet, operations, batch, can_defer, key: Vec::new() }
    }

    /// Records the results of a lookup apart from the entry.
    #[inline]
    fn record_lookup(
        &mut self,
        table: TableId,
        colour: Option<(ExternId, Colour)>,
        chosen: Option<ChosenMember>,
        cells: Option<Option<u32>>,
    ) {
        self.packet.colours.extend(colour);
        self.packet.cells.extend(cells.map(|slot| (table, slot)));
        if let Some(ChosenMember { group, member, choice }) = chosen {
            let program = self.packet.context.executor.program();
            self.packet.trace(|| StepKind::Selected {
                table: program.tables[table].name.clone(),
                group,
                member,
                choice,
            });
        }
    }

    /// Keeps the key of a lookup that missed, if packets may add entries to the table.
    fn keep_missed(&mut self, table: TableId, hit: bool, key: impl FnOnce() -> FewWords) {
        if self.packet.context.control.tables.get(table).shape.limit_of_added.is_some() {
            self.packet.missed = (!hit).then(|| (table, key()));
        }
    }

    /// Sets the metadata that a call has written.
    fn assign(&mut self, executor: &dyn Executor, state: &mut State) {
        let (program, layout) = (executor.program(), executor.layout());
        for (field, value) in self.packet.assignments.drain(..) {
            let old = layout.get(state, field);
            layout.set_u64(state, field, value);
            let new = layout.get(state, field);
            let PathContext { trace, now, .. } = &mut *self.packet.context;
            trace.record(*now, self.packet.id, || assignment_step(program, field, &old, &new));
        }
    }
}

impl Environment for PacketEnv<'_, '_> {
    fn warn(&mut self, text: &str) {
        self.packet.log(text.to_owned());
    }

    fn tracing(&self) -> bool {
        self.packet.context.trace.is_recorded(self.packet.id)
    }

    fn event(&mut self, event: Event<'_>) {
        let PathContext { executor, control, trace, now, .. } = &mut *self.packet.context;
        trace.event(executor.program(), *control, *now, self.packet.id, &event);
    }

    #[inline]
    fn begin_packet(&mut self, packet: usize) {
        self.packet.context.thread.register_lock.release();
        let (packets, ids) = self.batch;
        // Packets on the fast path are not traced.
        self.packet.id = PacketId { packet: ids[packet], copy: 0 };
        self.packet.begin(packets[packet]);
        if self.can_defer {
            self.packet.deferred = Deferred::default();
        }
    }

    fn parser_finished(&mut self, consumed: usize) {
        self.packet.parsed = consumed;
    }

    fn packet_restarted(&mut self, start: usize) {
        if let Bytes::View(view) = self.packet.bytes {
            self.packet.begin(PacketView::new(view.memory(), start, view.end()));
        }
    }

    fn ends_batch(&self) -> bool {
        self.packet.context.thread.has_added
    }

    fn has_deferred_work(&self) -> bool {
        !self.packet.deferred.is_empty()
    }

    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup {
        let PathContext { control, thread, now, .. } = &mut *self.packet.context;
        let found = thread.lookup(*control, table, keys, *now, self.packet.length);
        self.record_lookup(table, found.colour, found.chosen, found.cells);
        self.keep_missed(table, found.lookup.hit, || {
            let mut words = Vec::new();
            key_words(keys, &mut words);
            FewWords::from_vec(words)
        });
        found.lookup
    }

    fn lookup_words<'a>(
        &'a mut self,
        _program: &Program,
        table: TableId,
        key: &[u64],
        room: &'a [AtomicU64],
    ) -> LookupResult<'a> {
        let PathContext { control, thread, now, .. } = &mut *self.packet.context;
        let view = control.tables.get(table);
        if view.shape.is_plain {
            return thread.lookup_plain(table, view, key);
        }
        let found = thread.lookup_words(*control, table, key, room, *now, self.packet.length);
        self.record_lookup(table, found.colour, found.chosen, found.cells);
        self.keep_missed(table, found.lookup.hit, || FewWords::from_slice(key));
        found.lookup
    }

    fn table_version(&mut self, table: TableId) -> Option<u64> {
        self.packet.context.thread.table_version(self.packet.context.control, table)
    }

    fn count_cached_lookups(&mut self, table: TableId, hits: u64, misses: u64) {
        self.packet.context.thread.count_lookups(table, hits, misses);
    }

    fn prefers_batches(&self, table: TableId) -> bool {
        self.packet.context.control.prefers_batches(table)
    }

    fn prefetch_lookups(&mut self, table: TableId, keys: &[u64]) {
        self.packet.context.thread.prefetch_lookups(self.packet.context.control, table, keys);
    }

    fn prefetch(&mut self, table: TableId, keys: &[u64], stride: usize) {
        self.packet.context.control.prefetch(table, keys, stride);
    }

    fn lookup_batch(&mut self, table: TableId, batch: &mut LookupBatch<'_>) {
        self.packet.context.control.lookup_batch(table, batch);
    }

    fn in_value_set(&mut self, set: ValueSetId, keys: &[Bits]) -> bool {
        key_words(keys, &mut self.key);
        self.packet.context.control.settings.value_sets[set.index()].view().find(&self.key).is_some()
    }

    fn call_words(&mut self, call: u32, words: &mut [u64]) -> Result<(), Fault> {
        let operations = self.operations;
        operations.numbered(call as usize)(&mut self.packet, words)
    }

    fn call_frame(
        &mut self,
        call: &ExternCall,
        words: &mut [u64],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<(), Fault> {
        let operations = self.operations;
        // An executor never moves its calls, so their addresses identify them.
        let numbers = &mut self.packet.context.thread.call_numbers;
        let number =
            *numbers.entry(std::ptr::from_ref(call).addr()).or_insert_with(|| operations.number(call));
        let done = operations.numbered(number)(&mut self.packet, words);
        if !self.packet.assignments.is_empty() {
            self.assign(executor, state);
        }
        done
    }

    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        let program = executor.program();
        let frame = CallFrame::of_any(program, call);
        let mut words = vec![0; frame.words];
        frame.set_arguments(call, args, (program, executor.layout(), state), &mut words);
        self.call_frame(call, &mut words, executor, state)?;
        Ok(frame.results(call, &words, args))
    }
}
