//! An environment whose answers are hashes of the arguments, so that all executors get the same
//! answers: entries of random actions with random data, value sets, externs that change their
//! arguments and other metadata, and sometimes a failing assertion.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use weir_exec::{
    CallFrame, Environment, Executor, ExternSemantics, Fault, FrameValue, Lookup, LookupBatch, LookupResult,
    NewValue, Pipeline, SumStep, Value,
};
use weir_ir::*;

use super::rng::Rng;

/// A call of the environment.
#[derive(Clone, Debug, PartialEq)]
pub enum EnvironmentCall {
    Table(TableId, Vec<Bits>),
    Set(ValueSetId, Vec<Bits>),
    Extern(String, Vec<Value>),
    /// A value that an extern with unknown semantics reads from the state.
    Seen(VarId, Bits),
    /// The number of bytes that the parser consumed, as an extern knows it.
    Parsed(usize),
    /// The offset at which the packet begins after a restart.
    Restarted(usize),
    /// Words that do not fit their frame.
    Untidy(u32, Vec<u64>),
}

/// Verified checksums: the given checksum and the right checksum.
pub type Sums = Vec<(u64, u64)>;

/// The number of words that a row of any action needs at most.
const ROW: usize = 64;

/// The environment.
pub struct World<'a> {
    pub program: &'a Program,
    /// The pipeline, if there is one, which knows the semantics of externs.
    pub pipeline: Option<&'a Pipeline>,
    pub seed: u64,
    pub calls: Vec<EnvironmentCall>,
    pub sums: Sums,
    /// The number of bytes that the parser consumed.
    pub consumed: usize,
    /// The offset at which the packet begins since a restart, if no call has been recorded since.
    pub restarted: Option<usize>,
    /// Whether an extern has deferred work.
    pub deferred: bool,
    /// The version of the pipeline's cacheable tables, if they have one.
    pub version: Option<u64>,
    /// Lookups in tables with a version: hits and misses.
    pub lookups: LookupCounts,
    /// Keys that were looked up ahead.
    pub looked_ahead: u64,
}

/// For each table the numbers of hits and misses.
pub type LookupCounts = BTreeMap<TableId, (u64, u64)>;

/// Adds lookups of a table.
pub fn count(lookups: &mut LookupCounts, table: TableId, (hits, misses): (u64, u64)) {
    let (all_hits, all_misses) = lookups.entry(table).or_default();
    *all_hits += hits;
    *all_misses += misses;
}

impl<'a> World<'a> {
    pub fn new(program: &'a Program, pipeline: Option<&'a Pipeline>, seed: u64) -> Self {
        Self {
            program,
            pipeline,
            seed,
            calls: Vec::new(),
            sums: Vec::new(),
            consumed: 0,
            restarted: None,
            deferred: false,
            version: None,
            lookups: LookupCounts::new(),
            looked_ahead: 0,
        }
    }

    fn rng(&self, keys: &[Bits]) -> Rng {
        let mut rng = Rng(self.seed);
        for key in keys {
            let mut words = vec![0; key.width().div_ceil(64) as usize];
            key.write_words(&mut words);
            for word in words.into_iter().chain([u64::from(key.width())]) {
                rng.0 ^= word;
                rng.next();
            }
        }
        rng
    }

    /// Records a call, and before it where the packet begins since a restart.
    fn record(&mut self, call: EnvironmentCall) {
        self.calls.extend(self.restarted.take().map(EnvironmentCall::Restarted));
        self.calls.push(call);
    }

    /// Applies an extern to its arguments, and returns its result, for any way of calling it.
    fn extern_results(&mut self, call: &ExternCall, args: &mut [Value]) -> Result<(Vec<Bits>, Rng), Fault> {
        self.record(EnvironmentCall::Parsed(self.consumed));
        self.calls.push(EnvironmentCall::Extern(call.callee.clone(), args.to_vec()));
        let mut rng = self.rng(&args.iter().flat_map(bits).cloned().collect::<Vec<_>>());
        if rng.number_below(40) == 0 {
            return Err(Fault::AssertionFailed);
        }
        self.deferred |= rng.number_below(8) == 0;
        for (arg, value) in call.args.iter().zip(args) {
            if let (Direction::Out | Direction::InOut, Value::Bits(values)) = (arg.direction, value) {
                for value in values {
                    if rng.number_below(3) > 0 {
                        *value = rng.bits(value.width());
                    }
                }
            }
        }
        let types = call.result.iter().map(|var| self.program.vars[*var].ty);
        Ok((types.map(|ty| rng.value(self.program, ty)).collect(), rng))
    }

    /// Returns the plain variables that hold numbers.
    fn plain_vars(&self) -> Vec<VarId> {
        let plain_vars = self.program.vars.iter().filter(|(_, var)| {
            var.role == VarRole::Plain && matches!(var.ty, Type::Bits { .. } | Type::Bool)
        });
        plain_vars.map(|(id, _)| id).collect()
    }
}

fn bits(value: &Value) -> &[Bits] {
    match value {
        Value::Bits(values) => values,
        Value::Text(_) | Value::Extern(_) => &[],
    }
}

/// Returns the Internet checksum (RFC 1071) of concatenated bits.
pub fn checksum(values: &[Bits]) -> u64 {
    let width: usize = values.iter().map(|value| value.width() as usize).sum();
    let mut all = vec![false; width.next_multiple_of(16)];
    let each = values.iter().flat_map(|value| (0..value.width()).rev().map(|i| value.bit(i)));
    all.iter_mut().zip(each).for_each(|(to, bit)| *to = bit);
    let words = all.chunks(16).map(|word| word.iter().fold(0u64, |word, bit| word << 1 | u64::from(*bit)));
    let sum: u64 = words.sum();
    let folded = (0..4).fold(sum, |sum, _| (sum >> 16) + (sum & 0xffff));
    !folded & 0xffff
}

impl World<'_> {
    fn lookup_result(&self, table: TableId, keys: &[Bits]) -> Lookup {
        let mut rng = self.rng(keys);
        let declared = &self.program.tables[table];
        let hit = rng.number_below(4) > 0;
        let call = if hit {
            let action = declared.actions[rng.number_below(declared.actions.len())].action;
            let params = &self.program.actions[action].params;
            let types = params.iter().map(|param| self.program.vars[param.var].ty);
            ActionCall { action, args: types.map(|ty| rng.value(self.program, ty)).collect() }
        } else {
            declared.default_action.clone()
        };
        Lookup { hit, call: Arc::new(call), entry: None }
    }
}

impl Environment for World<'_> {
    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup {
        let found = self.lookup_result(table, keys);
        match self.table_version(table) {
            Some(_) => count(&mut self.lookups, table, (u64::from(found.hit), u64::from(!found.hit))),
            None => self.record(EnvironmentCall::Table(table, keys.to_vec())),
        }
        found
    }

    fn prefers_batches(&self, _table: TableId) -> bool {
        true
    }

    fn lookup_batch(&mut self, table: TableId, asked: &mut LookupBatch<'_>) {
        assert!(self.table_version(table).is_some(), "only steady tables answer ahead");
        let widths = self.program.tables[table].keys.iter().map(|key| key.expr.ty.width());
        let widths: Vec<u32> = widths.collect();
        let (places, each) = asked.slots();
        let rows = places.chunks_exact(each).map(|mut key| {
            let values = widths.iter().map(|width| {
                let (of, rest) = key.split_at(width.div_ceil(64) as usize);
                key = rest;
                Bits::from_words(*width, of)
            });
            let lookup = self.lookup_result(table, &values.collect::<Vec<_>>());
            let row: Vec<_> = (0..ROW).map(|_| AtomicU64::new(u64::MAX)).collect();
            lookup.call.write_row(&row);
            (lookup.hit, row)
        });
        let rows: Vec<_> = rows.collect();
        self.looked_ahead += rows.len() as u64;
        asked.fill(rows.iter().map(|(hit, row)| LookupResult { hit: *hit, row }));
    }

    fn begin_packet(&mut self, _packet: usize) {
        (self.consumed, self.restarted, self.deferred) = (0, None, false);
    }

    fn table_version(&mut self, table: TableId) -> Option<u64> {
        self.version
            .filter(|_| self.pipeline.is_some_and(|pipeline| pipeline.cacheable_tables().contains(&table)))
    }

    fn count_cached_lookups(&mut self, table: TableId, hits: u64, misses: u64) {
        count(&mut self.lookups, table, (hits, misses));
    }

    fn in_value_set(&mut self, set: ValueSetId, keys: &[Bits]) -> bool {
        self.record(EnvironmentCall::Set(set, keys.to_vec()));
        self.rng(keys).number_below(2) == 0
    }

    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        let layout = executor.layout();
        let meaning = self.pipeline.map_or(&ExternSemantics::Call, |pipeline| pipeline.semantics(call));
        let holds = |condition: usize| bits(&args[condition])[0].is_true();
        match meaning {
            ExternSemantics::Set(values) => {
                let of_arguments = |value: &NewValue| match *value {
                    NewValue::Const(value) => value,
                    NewValue::Arg(arg) => bits(&args[arg])[0].low_u64(),
                };
                let values: Vec<_> = values.iter().map(|(var, value)| (var, of_arguments(value))).collect();
                for (var, value) in values {
                    layout.set_u64(state, *var, value);
                    // Arguments that the call writes are written back.
                    for (arg, given) in call.args.iter().zip(&mut *args) {
                        if let (ArgValue::Vars { vars, .. }, Value::Bits(given)) = (&arg.value, given) {
                            for (_, given) in vars.iter().zip(given).filter(|(given, _)| *given == var) {
                                *given = layout.get(state, *var);
                            }
                        }
                    }
                }
                return Ok(Vec::new());
            }
            ExternSemantics::VerifyChecksum { condition, data, given, error } => {
                if holds(*condition) {
                    let (right, given) = (checksum(bits(&args[*data])), bits(&args[*given])[0].low_u64());
                    self.sums.push((given, right));
                    if right != given {
                        layout.set_u64(state, *error, 1);
                    }
                }
                return Ok(Vec::new());
            }
            ExternSemantics::UpdateChecksum { condition, data, field } => {
                if holds(*condition) {
                    let right = checksum(bits(&args[*data]));
                    args[*field] = Value::Bits(vec![Bits::new(16, u128::from(right))]);
                }
                return Ok(Vec::new());
            }
            ExternSemantics::Checksum { data } => {
                let right = checksum(bits(&args[*data]));
                return Ok(call.result.iter().map(|_| Bits::new(16, u128::from(right))).collect());
            }
            ExternSemantics::Sum { sum, step } => {
                let before = layout.get_u64(state, *sum);
                let mut result = Vec::new();
                match step {
                    SumStep::Clear => layout.set_u64(state, *sum, 0),
                    SumStep::Add(data) => {
                        let added = 0xffff ^ checksum(bits(&args[*data]));
                        let both = before + added;
                        layout.set_u64(state, *sum, (both & 0xffff) + (both >> 16));
                    }
                    SumStep::Set(value) => layout.set_u64(state, *sum, bits(&args[*value])[0].low_u64()),
                    SumStep::Get { complement } => {
                        let value = if *complement { 0xffff ^ before } else { before };
                        result = call.result.iter().map(|_| Bits::new(16, u128::from(value))).collect();
                    }
                    SumStep::IsWrong => {
                        let is_wrong = u128::from(before != 0xffff);
                        result = call.result.iter().map(|_| Bits::new(1, is_wrong)).collect();
                    }
                }
                return Ok(result);
            }
            ExternSemantics::Words(_) => return self.extern_results(call, args).map(|(result, _)| result),
            ExternSemantics::Call => {}
        }
        let (result, mut rng) = self.extern_results(call, args)?;
        // Externs also change metadata in addition to their arguments.
        let plain_vars = self.plain_vars();
        if !plain_vars.is_empty() && rng.number_below(2) == 0 {
            let var = plain_vars[rng.number_below(plain_vars.len())];
            self.calls.push(EnvironmentCall::Seen(var, layout.get(state, var)));
            let var = plain_vars[rng.number_below(plain_vars.len())];
            let value = rng.bits(self.program.vars[var].ty.width());
            layout.set(state, var, &value);
        }
        Ok(result)
    }

    fn call_words(&mut self, call: u32, words: &mut [u64]) -> Result<(), Fault> {
        let mut meanings = self.pipeline.iter().flat_map(|pipeline| &pipeline.spec().extern_semantics);
        let known = meanings.find(|(_, meaning)| *meaning == ExternSemantics::Words(call));
        let call_number = call;
        let call = &known.expect("only calls that have such a meaning are asked this way").0;
        let frame = CallFrame::for_call(self.program, call).expect("such a call has a frame");
        let value = |part: &FrameValue, words: &[u64]| Bits::from_words(part.width, &words[part.words()]);
        let parts = frame.args.iter().flatten();
        let tidy = parts.clone().all(|part| {
            let mut clean = vec![0; part.words().len()];
            value(part, words).write_words(&mut clean);
            clean == words[part.words()]
        });
        let zero = frame.result.iter().all(|part| words[part.words()].iter().all(|word| *word == 0));
        if !tidy || !zero || words.len() != frame.words {
            self.calls.push(EnvironmentCall::Untidy(call_number, words.to_vec()));
        }
        let mut args = Vec::new();
        for (arg, parts) in call.args.iter().zip(&frame.args) {
            args.push(match &arg.value {
                ArgValue::Text(text) => Value::Text(text.clone()),
                ArgValue::Extern(id) => Value::Extern(*id),
                ArgValue::Leaves(_) | ArgValue::Vars { .. } => {
                    let there =
                        parts.iter().filter(|part| part.if_valid.is_none_or(|valid| words[valid] == 1));
                    Value::Bits(there.map(|part| value(part, words)).collect())
                }
            });
        }
        let (result, _) = self.extern_results(call, &mut args)?;
        for ((arg, parts), value) in call.args.iter().zip(&frame.args).zip(&args) {
            if arg.direction != Direction::In {
                for (part, value) in parts.iter().zip(bits(value)) {
                    value.write_words(&mut words[part.words()]);
                }
            }
        }
        for (part, value) in frame.result.iter().zip(&result) {
            value.write_words(&mut words[part.words()]);
        }
        Ok(())
    }

    fn parser_finished(&mut self, consumed: usize) {
        self.consumed = consumed;
    }

    fn packet_restarted(&mut self, start: usize) {
        (self.consumed, self.restarted) = (0, Some(start));
    }

    fn has_deferred_work(&self) -> bool {
        self.deferred
    }
}
