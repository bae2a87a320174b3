//! An environment that answers by a hash of the question, so that all executors hear the same: entries of random actions with random
//! data, value sets, externs that change their arguments and metadata beside them, and now and then a failing assertion.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use weir_exec::{
    CallFrame, Environment, Executor, ExternSemantics, Fault, FrameValue, Lookup, LookupBatch, LookupResult,
    Pipeline, Value,
};
use weir_ir::*;

use super::dice::Dice;

/// What was asked of the environment.
#[derive(Clone, Debug, PartialEq)]
pub enum Question {
    Table(TableId, Vec<Bits>),
    Set(ValueSetId, Vec<Bits>),
    Extern(String, Vec<Value>),
    /// What a call of unknown meaning finds in the state, if it looks.
    Seen(VarId, Bits),
    /// How many bytes the parser took, as far as an extern would know.
    Parsed(usize),
    /// Words were not as a frame says.
    Untidy(u32, Vec<u64>),
}

/// Verified checksums that were asked for: what was given and what would be right.
pub type Sums = Vec<(u64, u64)>;

/// Words that the row of any action has room in.
const ROW: usize = 64;

/// The environment.
pub struct World<'a> {
    pub program: &'a Program,
    /// What calls mean.
    pub pipeline: Option<&'a Pipeline>,
    pub seed: u64,
    pub asked: Vec<Question>,
    pub sums: Sums,
    /// What the parser took.
    pub taken: usize,
    /// Whether an extern asked for something that comes later.
    pub wants: bool,
    /// The number of the moment for which the pipeline's steady tables are steady.
    pub moment: Option<u64>,
    /// Look-ups in steady tables: hits and misses.
    pub looked: Looked,
    /// Keys that were looked up ahead.
    pub told: u64,
}

/// By table: look-ups that hit, and those that missed.
pub type Looked = BTreeMap<TableId, (u64, u64)>;

/// Adds a table's look-ups.
pub fn count(looked: &mut Looked, table: TableId, (hits, misses): (u64, u64)) {
    let (all_hits, all_misses) = looked.entry(table).or_default();
    *all_hits += hits;
    *all_misses += misses;
}

impl<'a> World<'a> {
    pub fn new(program: &'a Program, pipeline: Option<&'a Pipeline>, seed: u64) -> Self {
        Self {
            program,
            pipeline,
            seed,
            asked: Vec::new(),
            sums: Vec::new(),
            taken: 0,
            wants: false,
            moment: None,
            looked: Looked::new(),
            told: 0,
        }
    }

    fn dice(&self, keys: &[Bits]) -> Dice {
        let mut dice = Dice(self.seed);
        for key in keys {
            let mut words = vec![0; key.width().div_ceil(64) as usize];
            key.write_words(&mut words);
            for word in words.into_iter().chain([u64::from(key.width())]) {
                dice.0 ^= word;
                dice.next();
            }
        }
        dice
    }

    /// What a call does to its arguments and what it gives, whoever asks.
    fn answer(&mut self, call: &ExternCall, args: &mut [Value]) -> Result<(Vec<Bits>, Dice), Fault> {
        self.asked.push(Question::Parsed(self.taken));
        self.asked.push(Question::Extern(call.callee.clone(), args.to_vec()));
        let mut dice = self.dice(&args.iter().flat_map(bits).cloned().collect::<Vec<_>>());
        if dice.below(40) == 0 {
            return Err(Fault::AssertionFailed);
        }
        self.wants |= dice.below(8) == 0;
        for (arg, value) in call.args.iter().zip(args) {
            if let (Direction::Out | Direction::InOut, Value::Bits(values)) = (arg.direction, value) {
                for value in values {
                    if dice.below(3) > 0 {
                        *value = dice.bits(value.width());
                    }
                }
            }
        }
        let types = call.result.iter().map(|var| self.program.vars[*var].ty);
        Ok((types.map(|ty| dice.value(self.program, ty)).collect(), dice))
    }

    /// Plain variables that hold numbers.
    fn plain(&self) -> Vec<VarId> {
        let plain = self.program.vars.iter().filter(|(_, var)| {
            var.role == VarRole::Plain && matches!(var.ty, Type::Bits { .. } | Type::Bool)
        });
        plain.map(|(id, _)| id).collect()
    }
}

fn bits(value: &Value) -> &[Bits] {
    match value {
        Value::Bits(values) => values,
        Value::Text(_) | Value::Extern(_) => &[],
    }
}

/// The Internet checksum (RFC 1071) of bits, one behind the other.
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
    /// What a table has for a key.
    fn found(&self, table: TableId, keys: &[Bits]) -> Lookup {
        let mut dice = self.dice(keys);
        let of = &self.program.tables[table];
        let hit = dice.below(4) > 0;
        let call = if hit {
            let action = of.actions[dice.below(of.actions.len())].action;
            let params = &self.program.actions[action].params;
            let types = params.iter().map(|param| self.program.vars[param.var].ty);
            ActionCall { action, args: types.map(|ty| dice.value(self.program, ty)).collect() }
        } else {
            of.default_action.clone()
        };
        Lookup { hit, call: Arc::new(call), entry: None }
    }
}

impl Environment for World<'_> {
    fn lookup(&mut self, table: TableId, keys: &[Bits]) -> Lookup {
        let found = self.found(table, keys);
        match self.table_version(table) {
            Some(_) => count(&mut self.looked, table, (u64::from(found.hit), u64::from(!found.hit))),
            None => self.asked.push(Question::Table(table, keys.to_vec())),
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
            let found = self.found(table, &values.collect::<Vec<_>>());
            let row: Vec<_> = (0..ROW).map(|_| AtomicU64::new(u64::MAX)).collect();
            found.call.write_row(&row);
            (found.hit, row)
        });
        let rows: Vec<_> = rows.collect();
        self.told += rows.len() as u64;
        asked.fill(rows.iter().map(|(hit, row)| LookupResult { hit: *hit, row }));
    }

    fn begin_packet(&mut self, _packet: usize) {
        (self.taken, self.wants) = (0, false);
    }

    fn table_version(&mut self, table: TableId) -> Option<u64> {
        self.moment
            .filter(|_| self.pipeline.is_some_and(|pipeline| pipeline.cacheable_tables().contains(&table)))
    }

    fn count_cached_lookups(&mut self, table: TableId, hits: u64, misses: u64) {
        count(&mut self.looked, table, (hits, misses));
    }

    fn in_value_set(&mut self, set: ValueSetId, keys: &[Bits]) -> bool {
        self.asked.push(Question::Set(set, keys.to_vec()));
        self.dice(keys).below(2) == 0
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
                for (var, value) in values {
                    layout.set_u64(state, *var, *value);
                    // Arguments are written back.
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
            ExternSemantics::Words(_) => return self.answer(call, args).map(|(result, _)| result),
            ExternSemantics::Call => {}
        }
        let (result, mut dice) = self.answer(call, args)?;
        // Metadata beside the arguments.
        let plain = self.plain();
        if !plain.is_empty() && dice.below(2) == 0 {
            let var = plain[dice.below(plain.len())];
            self.asked.push(Question::Seen(var, layout.get(state, var)));
            let var = plain[dice.below(plain.len())];
            let value = dice.bits(self.program.vars[var].ty.width());
            layout.set(state, var, &value);
        }
        Ok(result)
    }

    fn call_words(&mut self, call: u32, words: &mut [u64]) -> Result<(), Fault> {
        let mut meanings = self.pipeline.iter().flat_map(|pipeline| &pipeline.spec().extern_semantics);
        let known = meanings.find(|(_, meaning)| *meaning == ExternSemantics::Words(call));
        let call_number = call;
        let call = &known.expect("only calls that have such a meaning are asked this way").0;
        let frame = CallFrame::of(self.program, call).expect("such a call has a frame");
        let value = |part: &FrameValue, words: &[u64]| Bits::from_words(part.width, &words[part.words()]);
        let parts = frame.args.iter().flatten();
        let tidy = parts.clone().all(|part| {
            let mut clean = vec![0; part.words().len()];
            value(part, words).write_words(&mut clean);
            clean == words[part.words()]
        });
        let zero = frame.result.iter().all(|part| words[part.words()].iter().all(|word| *word == 0));
        if !tidy || !zero || words.len() != frame.words {
            self.asked.push(Question::Untidy(call_number, words.to_vec()));
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
        let (result, _) = self.answer(call, &mut args)?;
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
        self.taken = consumed;
    }

    fn has_deferred_work(&self) -> bool {
        self.wants
    }
}
