//! What v1model's externs do while a block runs.

use std::borrow::Cow;
use std::cell::Cell;
use std::sync::atomic::AtomicU64;

use rand_core::Rng;
use weir_device::Nanos;
use weir_exec::{Environment, Event, Executor, Fault, Lookup, LookupBatch, LookupResult, PacketView, Value};
use weir_ir::wire::Writer;
use weir_ir::{Arg, ArgValue, Bits, ExternCall, ExternId, Leaf, Program, State, TableId, ValueSetId, VarId};

use super::meanings::{WordCall, given};
use super::metadata::{Fields, set};
use super::support::Enumerations;
use super::words::placed;
use crate::externs::hash::{Algorithm, HashKind};
use crate::externs::meter::{Colour, MeterArray};
use crate::externs::register::RegisterArray;
use crate::externs::{ExternState, random};
use crate::packet::{Keep, PacketId};
use crate::path::PathContext;
use crate::state::{Chosen, ThreadState};
use crate::state::{Digest, LogLine};
use crate::tables::key_words;
use crate::trace::{StepKind, argument_fields, assigned};

/// What a block asked for that happens after it.
#[derive(Clone, Debug, Default)]
pub(super) struct Signals {
    /// Session of the last clone, and what it keeps.
    pub clone: Option<(u32, Keep)>,
    /// What the last resubmission keeps.
    pub resubmit: Option<Keep>,
    /// What the last recirculation keeps.
    pub recirculate: Option<Keep>,
    /// Bytes to which the packet is cut: the least that was asked for.
    pub truncate: Option<usize>,
}

/// A packet's bytes, in a vector or in a window that a pipeline works on.
#[derive(Clone, Copy)]
pub(super) enum Bytes<'a> {
    Slice(&'a [u8]),
    PacketView(PacketView<'a>),
}

/// Externs that leave such wishes.
pub(super) const ASKING: [&str; 8] = [
    "clone",
    "clone3",
    "clone_preserving_field_list",
    "resubmit",
    "resubmit_preserving_field_list",
    "recirculate",
    "recirculate_preserving_field_list",
    "truncate",
];

/// PathContext of one block, or of a pipeline of them, for one packet.
pub(super) struct V1Env<'a, 'b> {
    pub context: &'a mut PathContext<'b>,
    pub fields: &'a Fields,
    pub enums: &'a Enumerations,
    /// By the numbers that the pipeline's meanings have.
    pub calls: &'a [WordCall],
    pub id: PacketId,
    /// Bytes when the pass began.
    pub length: usize,
    /// The packet, of which the parser took so many bytes; the rest is payload.
    pub bytes: Bytes<'a>,
    pub parsed: usize,
    /// Packets that come one after the other, and their ids.
    pub batch: (&'a [PacketView<'a>], &'a [u64]),
    /// Whether the program calls externs of [`ASKING`].
    pub asks: bool,
    pub signals: Signals,
    pub key: Vec<u64>,
    /// What is hashed.
    pub hashed: Vec<u8>,
    /// What direct meters said in this block.
    pub colours: Vec<(ExternId, Colour)>,
}

impl Signals {
    /// Cuts the packet to so many bytes, unless it has been cut shorter.
    pub(super) fn cut(&mut self, length: u64) {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        self.truncate = Some(self.truncate.map_or(length, |least| least.min(length)));
    }
}

impl V1Env<'_, '_> {
    fn now(&self) -> Nanos {
        self.context.now
    }

    /// The algorithm's value for the bits, followed by the payload if asked for.
    fn digest_of(&mut self, algorithm: &Bits, data: &[Bits], with_payload: bool) -> u64 {
        let Some(kind) = self.enums.hash(algorithm) else { return 0 };
        self.sum_of(kind, with_payload, |writer| data.iter().for_each(|bits| writer.push(bits)))
    }

    /// The value for what is written, followed by the payload if asked for.
    pub(super) fn sum_of(
        &mut self,
        kind: HashKind,
        with_payload: bool,
        write: impl FnOnce(&mut Writer<'_>),
    ) -> u64 {
        let HashKind::Data(algorithm) = kind else { return self.context.thread.random.next_u64() };
        self.hashed.clear();
        write(&mut Writer::new(&mut self.hashed));
        if with_payload {
            match self.bytes {
                Bytes::Slice(packet) => self.hashed.extend_from_slice(&packet[self.parsed..]),
                Bytes::PacketView(window) => {
                    self.hashed.extend(window.bytes()[self.parsed..].iter().map(Cell::get));
                }
            }
        }
        self.context.control.settings.hashes.compute(algorithm, &self.hashed)
    }

    /// A register, to touch in turn.
    #[inline]
    pub(super) fn register(&mut self, id: ExternId) -> Option<&RegisterArray> {
        let externs = &self.context.control.settings.externs;
        let ExternState::Register(register) = &externs[id.index()] else { return None };
        if register.needs_lock {
            self.context.thread.register_lock.acquire();
        }
        Some(register)
    }

    /// A meter, likewise.
    #[inline]
    pub(super) fn meter(&mut self, id: ExternId) -> Option<&MeterArray> {
        let externs = &self.context.control.settings.externs;
        let ExternState::Meter(meter) = &externs[id.index()] else { return None };
        if meter.needs_lock {
            self.context.thread.register_lock.acquire();
        }
        Some(meter)
    }

    /// What a direct meter said, as v1model numbers it.
    pub(super) fn colour(&self, meter: ExternId) -> u128 {
        self.colours.iter().rev().find(|(of, _)| *of == meter).map_or(0, |(_, colour)| *colour as u128)
    }

    /// Whether a checksum is to be computed, and its value in the width of the checksum field.
    fn checksum(&mut self, args: &[Value], with_payload: bool) -> Option<Bits> {
        if scalar(args, 0).is_some_and(Bits::is_zero) {
            return None;
        }
        let (data, checksum, algorithm) = (bits(args, 1), scalar(args, 2)?, scalar(args, 3)?);
        let value = self.digest_of(algorithm, data, with_payload);
        Some(Bits::new(checksum.width(), u128::from(value)))
    }

    /// Sets a field of the standard metadata, and lets a trace know.
    fn assign(&mut self, executor: &dyn Executor, state: &mut State, field: Option<VarId>, value: u64) {
        let Some(var) = field else { return };
        let layout = executor.layout();
        let old = layout.get(state, var);
        set(layout, state, field, value);
        let new = layout.get(state, var);
        let step = || assigned(executor.program(), var, &old, &new);
        self.context.trace.record(self.context.now, self.id, step);
    }

    pub(super) fn log(&mut self, text: &str, values: &[Bits]) {
        let mut values = values.iter();
        let mut line = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("{}") {
            line += &rest[..at];
            match values.next() {
                Some(value) => line += &value.to_string(),
                None => line += "{}",
            }
            rest = &rest[at + 2..];
        }
        line += rest;
        let entry = LogLine { time: self.now(), packet: self.id.packet, text: line };
        self.context.trace.record(self.now(), self.id, || StepKind::Logged(entry.text.clone()));
        self.context.thread.messages.log(entry);
    }
}

/// What an action profile decided, for a trace.
fn selected(program: &Program, table: TableId, chosen: Chosen) -> StepKind {
    let Chosen { group, member, choice } = chosen;
    StepKind::Selected { table: program.tables[table].name.clone(), group, member, choice }
}

impl Environment for V1Env<'_, '_> {
    fn warn(&mut self, text: &str) {
        self.log(text, &[]);
    }

    fn tracing(&self) -> bool {
        self.context.trace.wants(self.id)
    }

    fn event(&mut self, event: Event<'_>) {
        let PathContext { executor, control, trace, now, .. } = &mut *self.context;
        trace.event(executor.program(), *control, *now, self.id, &event);
    }

    #[inline]
    fn begin_packet(&mut self, packet: usize) {
        self.context.thread.register_lock.release();
        let (windows, ids) = self.batch;
        let window = windows[packet];
        self.length = window.len();
        // Nothing is traced where packets go straight through.
        self.id = PacketId { packet: ids[packet], copy: 0 };
        (self.bytes, self.parsed) = (Bytes::PacketView(window), self.length);
        self.colours.clear();
        if self.asks {
            self.signals = Signals::default();
        }
    }

    fn parser_finished(&mut self, consumed: usize) {
        self.parsed = consumed;
    }

    fn has_deferred_work(&self) -> bool {
        let Signals { clone, resubmit, recirculate, truncate } = &self.signals;
        clone.is_some() || resubmit.is_some() || recirculate.is_some() || truncate.is_some()
    }

    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup {
        let now = self.now();
        let found = self.context.thread.lookup(self.context.control, table, keys, now, self.length);
        self.colours.extend(found.colour);
        if let Some(chosen) = found.chosen {
            let PathContext { executor, trace, .. } = &mut *self.context;
            trace.record(now, self.id, || selected(executor.program(), table, chosen));
        }
        found.lookup
    }

    fn lookup_words<'a>(
        &'a mut self,
        _program: &Program,
        table: TableId,
        key: &[u64],
        room: &'a [AtomicU64],
    ) -> LookupResult<'a> {
        let PathContext { executor, control, thread, now, trace, .. } = &mut *self.context;
        if control.is_plain(table) {
            return thread.lookup_plain(*control, table, key);
        }
        let found = thread.lookup_words(*control, table, key, room, *now, self.length);
        self.colours.extend(found.colour);
        if let Some(chosen) = found.chosen {
            trace.record(*now, self.id, || selected(executor.program(), table, chosen));
        }
        found.lookup
    }

    fn table_version(&mut self, table: TableId) -> Option<u64> {
        self.context.thread.stable_version(self.context.control, table)
    }

    fn count_cached_lookups(&mut self, table: TableId, hits: u64, misses: u64) {
        self.context.thread.count_lookups(table, hits, misses);
    }

    fn prefers_batches(&self, table: TableId) -> bool {
        self.context.control.batching_pays_off(table)
    }

    fn prefetch_lookups(&mut self, table: TableId, keys: &[u64]) {
        self.context.thread.prefetch(self.context.control, table, keys);
    }

    fn prefetch(&mut self, table: TableId, keys: &[u64], each: usize) {
        self.context.control.prefetch_memory(table, keys, each);
    }

    fn lookup_batch(&mut self, table: TableId, asked: &mut LookupBatch<'_>) {
        self.context.control.answer_all(table, asked);
    }

    fn call_words(&mut self, call: u32, words: &mut [u64]) -> Result<(), Fault> {
        let calls = self.calls;
        self.word_call(&calls[call as usize], words)
    }

    fn in_value_set(&mut self, set: ValueSetId, keys: &[Bits]) -> bool {
        key_words(keys, &mut self.key);
        self.context.control.settings.value_sets[set.index()].view().find(&self.key).is_some()
    }

    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        match call.callee.as_str() {
            "mark_to_drop" => {
                let drop_port = u64::from(self.context.config.drop_port);
                match (call.args.first(), args.first_mut()) {
                    (Some(Arg { value: ArgValue::Vars { names, .. }, .. }), Some(Value::Bits(values))) => {
                        for (name, value) in names.iter().zip(values) {
                            match name.as_str() {
                                "egress_spec" => *value = Bits::new(value.width(), u128::from(drop_port)),
                                "mcast_grp" => *value = Bits::zero(value.width()),
                                _ => {}
                            }
                        }
                    }
                    _ => {
                        self.assign(executor, state, self.fields.egress_spec, drop_port);
                        self.assign(executor, state, self.fields.mcast_grp, 0);
                    }
                }
            }
            "verify_checksum" | "verify_checksum_with_payload" => {
                let with_payload = call.callee.ends_with("payload");
                if let (Some(computed), Some(given)) = (self.checksum(args, with_payload), scalar(args, 2)) {
                    let wrong = *given != computed;
                    let step = || StepKind::Verified { given: given.clone(), computed };
                    self.context.trace.record(self.context.now, self.id, step);
                    if wrong {
                        self.assign(executor, state, self.fields.checksum_error, 1);
                    }
                }
            }
            "update_checksum" | "update_checksum_with_payload" => {
                let with_payload = call.callee.ends_with("payload");
                if let Some(checksum) = self.checksum(args, with_payload) {
                    put(args, 2, checksum);
                }
            }
            "hash" => {
                if let (Some(result), Some(algorithm), Some(base), Some(max)) =
                    (scalar(args, 0), scalar(args, 1), scalar(args, 2), scalar(args, 4))
                {
                    let hash = self.digest_of(algorithm, bits(args, 3), false);
                    let placed = placed(hash, base, max, result.width());
                    put(args, 0, placed);
                }
            }
            "random" => {
                if let (Some(low), Some(high)) = (scalar(args, 1), scalar(args, 2)) {
                    let (low, high) = (low.clone(), high.clone());
                    let ThreadState { random, choices, .. } = &mut *self.context.thread;
                    let (value, choice) = random::choose(random, choices, &low, &high);
                    let drawn = value.clone();
                    let step = || StepKind::Drawn { value: drawn, low, high, choice };
                    self.context.trace.record(self.now(), self.id, step);
                    put(args, 0, value);
                }
            }
            "counter.count" => {
                if let (Some(id), Some(index)) = (call.instance, scalar(args, 0).and_then(Bits::to_u64))
                    && let ExternState::Counter(counter) = &self.context.control.settings.externs[id.index()]
                {
                    counter.count(index, self.length);
                }
            }
            // A direct counter counts each hit of its table by itself.
            "direct_counter.count" => {}
            "register.read" => {
                if let (Some(id), Some(index)) = (call.instance, scalar(args, 1).map(Bits::to_u64))
                    && let Some(register) = self.register(id)
                {
                    args[0] = Value::Bits(register.read(index));
                }
            }
            "register.write" => {
                if let (Some(id), Some(index)) = (call.instance, scalar(args, 0).and_then(Bits::to_u64)) {
                    let cell = with_validity(call, 1, bits(args, 1), executor, state);
                    if let Some(register) = self.register(id) {
                        register.write(index, &cell);
                    }
                }
            }
            "Checksum16.get" => {
                let value = self.sum_of(HashKind::Data(Algorithm::Csum16), false, |writer| {
                    bits(args, 0).iter().for_each(|bits| writer.push(bits));
                });
                return Ok(call.result.iter().map(|_| Bits::new(16, u128::from(value))).collect());
            }
            "meter.execute_meter" => {
                let (now, length) = (self.now(), self.length);
                if let (Some(id), Some(index), Some(width)) =
                    (call.instance, scalar(args, 0).and_then(Bits::to_u64), scalar(args, 1).map(Bits::width))
                    && let Some(meter) = self.meter(id)
                {
                    let colour = meter.execute(index, now, length).map_or(0, |colour| colour as u128);
                    put(args, 1, Bits::new(width, colour));
                }
            }
            "direct_meter.read" => {
                if let (Some(id), Some(width)) = (call.instance, scalar(args, 0).map(Bits::width)) {
                    put(args, 0, Bits::new(width, self.colour(id)));
                }
            }
            "clone" => self.signals.clone = Some((number(args, 1) as u32, Keep::Nothing)),
            "clone3" => self.signals.clone = Some((number(args, 1) as u32, given(self.fields, call, 2))),
            "clone_preserving_field_list" => {
                self.signals.clone = Some((number(args, 1) as u32, Keep::List(number(args, 2) as u8)));
            }
            "resubmit" => self.signals.resubmit = Some(given(self.fields, call, 0)),
            "resubmit_preserving_field_list" => {
                self.signals.resubmit = Some(Keep::List(number(args, 0) as u8));
            }
            "recirculate" => self.signals.recirculate = Some(given(self.fields, call, 0)),
            "recirculate_preserving_field_list" => {
                self.signals.recirculate = Some(Keep::List(number(args, 0) as u8));
            }
            "truncate" => self.signals.cut(number(args, 0)),
            "digest" => {
                let fields = argument_fields(executor.program(), call, 1, bits(args, 1));
                let receiver = number(args, 0);
                let digest = Digest {
                    time: self.now(),
                    packet: self.id.packet,
                    receiver,
                    values: bits(args, 1).to_vec(),
                    names: fields.iter().map(|field| field.name.clone()).collect(),
                };
                let now = self.now();
                self.context.trace.record(now, self.id, || StepKind::Digested { receiver, fields });
                self.context.thread.messages.digest(digest);
            }
            "log_msg" => {
                let text = match args.first() {
                    Some(Value::Text(text)) => text.as_str(),
                    _ => "",
                };
                self.log(text, bits(args, 1));
            }
            "assert" | "assume" => {
                if scalar(args, 0).is_some_and(Bits::is_zero) {
                    return Err(Fault::AssertionFailed);
                }
            }
            other => unreachable!("`{other}` was refused when the program was loaded"),
        }
        Ok(Vec::new())
    }
}

/// An argument's values with the validity of its headers before their fields, and zeroes for the fields of invalid ones, which are left
/// out of `values`.
fn with_validity<'v>(
    call: &ExternCall,
    position: usize,
    values: &'v [Bits],
    executor: &dyn Executor,
    state: &State,
) -> Cow<'v, [Bits]> {
    let Some(Arg { value: ArgValue::Leaves(leaves), .. }) = call.args.get(position) else {
        return Cow::Borrowed(values);
    };
    if leaves.iter().all(|leaf| matches!(leaf, Leaf::Value(_))) {
        return Cow::Borrowed(values);
    }
    let (program, layout) = (executor.program(), executor.layout());
    let mut values = values.iter().cloned();
    let mut all = Vec::new();
    for leaf in leaves {
        match leaf {
            Leaf::Value(_) => all.extend(values.next()),
            Leaf::Header(id) => {
                let header = &program.headers[*id];
                let valid = layout.get(state, header.valid);
                let is_valid = !valid.is_zero();
                all.push(valid);
                if is_valid {
                    all.extend(values.by_ref().take(header.fields.len()));
                } else {
                    all.extend(header.fields.iter().map(|var| Bits::zero(program.vars[*var].ty.width())));
                }
            }
        }
    }
    Cow::Owned(all)
}

fn bits(args: &[Value], index: usize) -> &[Bits] {
    match args.get(index) {
        Some(Value::Bits(values)) => values,
        _ => &[],
    }
}

fn scalar(args: &[Value], index: usize) -> Option<&Bits> {
    args.get(index).and_then(Value::scalar)
}

fn number(args: &[Value], index: usize) -> u64 {
    scalar(args, index).map_or(0, Bits::low_u64)
}

fn put(args: &mut [Value], index: usize, value: Bits) {
    if let Some(place) = args.get_mut(index) {
        *place = Value::Bits(vec![value]);
    }
}
