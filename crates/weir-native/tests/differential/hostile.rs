//! An environment that breaks its contract at random, and runs in it.

use std::cell::Cell;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Once};

use weir_exec::{
    CompiledPipeline, Environment, Executor, Fault, Lookup, LookupBatch, LookupResult, PacketBatch,
    PacketView, Pipeline, PipelineEnd, Value,
};
use weir_ir::*;

use super::rng::{Rng, packet, program_entropy, select_numbers};
use super::{random_program, stages_entropy};

/// Words or bytes on either side of memory that a run may write.
const GUARD: usize = 64;

/// Counts of the events that a run reached.
#[derive(Debug, Default)]
pub struct Reached {
    /// The number of packets that came to an end.
    pub ends: u64,
    /// Runs that panicked.
    pub panics: u64,
    /// Calls that wrote junk into the state.
    pub scrambled: u64,
}

struct Hostile<'a> {
    program: &'a Program,
    rng: Rng,
    /// The row that the last lookup returned.
    row: Vec<AtomicU64>,
    scrambled: u64,
}

impl Hostile<'_> {
    fn one_in(&mut self, count: usize) -> bool {
        self.rng.number_below(count) == 0
    }

    /// Returns a word that may be mistaken for bits, lengths, counters or numbers.
    fn word(&mut self) -> u64 {
        match self.rng.number_below(8) {
            0 => 0,
            1 | 2 => 1,
            3 => 1 << self.rng.number_below(64),
            4 => u64::MAX - self.rng.number_below(3) as u64,
            5 => self.rng.number_below(4096) as u64,
            _ => self.rng.next(),
        }
    }

    fn randomize_state(&mut self, state: &mut State) {
        for word in state.words_mut() {
            if self.rng.number_below(2) == 0 {
                *word = self.word();
            }
        }
    }

    /// Returns an action, mostly one of the table's list.
    fn action(&mut self, table: TableId) -> usize {
        let listed = &self.program.tables[table].actions;
        match self.rng.number_below(20) {
            0 => self.word() as usize,
            1 => self.rng.number_below(self.program.actions.len()),
            _ => listed[self.rng.number_below(listed.len())].action.index(),
        }
    }

    fn new_row(&mut self, table: TableId) {
        let words = if self.one_in(30) { self.rng.number_below(4) } else { 64 };
        let mut row: Vec<u64> = (0..words).map(|_| self.word()).collect();
        if let Some(action) = row.first_mut() {
            *action = self.action(table) as u64;
        }
        self.row = row.into_iter().map(AtomicU64::new).collect();
    }

    fn bits(&mut self, width: u32) -> Bits {
        let width = if self.one_in(30) { self.rng.number_below(300) as u32 } else { width };
        self.rng.bits(width)
    }

    fn may_panic(&mut self) {
        assert!(!self.one_in(100), "the environment panics");
    }
}

impl Environment for Hostile<'_> {
    fn lookup(&mut self, table: TableId, _: &[Bits]) -> Lookup {
        self.may_panic();
        let action = self.action(table).min(self.program.actions.len() - 1);
        let action = ActionId::new(action);
        let params = &self.program.actions[action].params;
        let mut args: Vec<Bits> =
            params.iter().map(|param| self.bits(self.program.vars[param.var].ty.width())).collect();
        if self.one_in(60) {
            args.pop();
        }
        Lookup { hit: self.one_in(2), call: Arc::new(ActionCall { action, args }), entry: None }
    }

    fn lookup_words<'a>(
        &'a mut self,
        _: &Program,
        table: TableId,
        _: &[u64],
        _: &'a [AtomicU64],
    ) -> LookupResult<'a> {
        self.may_panic();
        self.new_row(table);
        LookupResult { hit: self.one_in(2), row: &self.row }
    }

    fn in_value_set(&mut self, _: ValueSetId, _: &[Bits]) -> bool {
        self.may_panic();
        self.one_in(2)
    }

    fn call(
        &mut self,
        call: &ExternCall,
        args: &mut [Value],
        executor: &dyn Executor,
        state: &mut State,
    ) -> Result<Vec<Bits>, Fault> {
        self.may_panic();
        match self.rng.number_below(60) {
            0 => *state = executor.layout().state(),
            1 => *state = Layout::new(&Program::default()).state(),
            2 => return Err(Fault::LoopLimit),
            3..40 => {
                self.scrambled += 1;
                self.randomize_state(state);
            }
            _ => {}
        }
        for arg in args {
            if let Value::Bits(values) = arg {
                for value in values {
                    *value = self.bits(value.width());
                }
            }
        }
        let widths = call.result.iter().map(|var| self.program.vars[*var].ty.width());
        Ok(widths.collect::<Vec<_>>().into_iter().map(|width| self.bits(width)).collect())
    }

    fn call_words(&mut self, _: u32, words: &mut [u64]) -> Result<(), Fault> {
        self.may_panic();
        for word in words {
            if self.one_in(2) {
                *word = self.word();
            }
        }
        Ok(())
    }

    fn table_version(&mut self, _: TableId) -> Option<u64> {
        (!self.one_in(4)).then(|| self.rng.number_below(3) as u64)
    }

    fn prefers_batches(&self, _: TableId) -> bool {
        true
    }

    fn lookup_batch(&mut self, table: TableId, asked: &mut LookupBatch<'_>) {
        self.may_panic();
        let count = if self.one_in(4) { self.rng.number_below(asked.len() + 1) } else { asked.len() };
        for _ in 0..count {
            self.new_row(table);
            let hit = self.one_in(2);
            asked.fill(std::iter::repeat_n(LookupResult { hit, row: &self.row }, count));
        }
    }

    fn begin_packet(&mut self, _: usize) {
        self.row.clear();
        self.may_panic();
    }

    fn parser_finished(&mut self, _: usize) {
        self.may_panic();
    }

    fn packet_restarted(&mut self, _: usize) {
        self.may_panic();
    }

    fn has_deferred_work(&self) -> bool {
        self.rng.0.is_multiple_of(3)
    }
}

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Returns the result of a run; `None` if it panics. The panic is not reported.
fn without_panic_output<T>(run: impl FnOnce() -> T) -> Option<T> {
    QUIET.set(true);
    let end = catch_unwind(AssertUnwindSafe(run));
    QUIET.set(false);
    end.ok()
}

/// Runs the blocks and a pipeline of random programs with the executor that `make` returns.
pub fn fuzz(seeds: Range<u64>, packets: u64, make: &dyn Fn(ValidProgram) -> Arc<dyn Executor>) -> Reached {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    let mut reached = Reached::default();
    for seed in seeds {
        let program = random_program(&program_entropy(seed));
        let pipeline = weir_testgen::pipeline(&program, &stages_entropy(seed));
        let executor = make(program.clone());
        let mut hostile = Hostile { program: &program, rng: Rng(seed), row: Vec::new(), scrambled: 0 };
        let mut fused = Arc::clone(&executor).compile_pipeline(pipeline.clone());
        for round in 0..packets / 4 {
            blocks(&*executor, &mut hostile, &mut reached);
            if round % 2 == 0 {
                fused.begin(&mut hostile);
            }
            batch((&mut *fused, &pipeline), executor.layout(), &mut hostile, &mut reached);
            if round % 3 == 0 {
                fused.finish(&mut hostile);
            }
        }
        reached.scrambled += hostile.scrambled;
    }
    reached
}

fn blocks(executor: &dyn Executor, hostile: &mut Hostile<'_>, reached: &mut Reached) {
    let program = hostile.program;
    let mut state = executor.layout().state();
    hostile.randomize_state(&mut state);
    let bytes = packet(&mut hostile.rng, &select_numbers(program));
    for (id, _) in program.parsers.iter() {
        let end = without_panic_output(|| executor.parse(id, &bytes, &mut state, hostile));
        let Some(end) = end else { return reached.panics += 1 };
        assert!(end.consumed <= bytes.len(), "a parser took more than there is");
        reached.ends += 1;
    }
    for (id, _) in program.controls.iter() {
        if executor.layout().words() != state.words_mut().len() {
            state = executor.layout().state();
        }
        let mut output = vec![0xa5; hostile.rng.number_below(3)];
        match without_panic_output(|| executor.control(id, &mut state, &mut output, hostile)) {
            Some(_) => reached.ends += 1,
            None => reached.panics += 1,
        }
    }
}

fn batch(
    (fused, pipeline): (&mut dyn CompiledPipeline, &Pipeline),
    layout: &Layout,
    hostile: &mut Hostile<'_>,
    reached: &mut Reached,
) {
    let numbers = select_numbers(hostile.program);
    let rng = &mut hostile.rng;
    let packets: Vec<(Vec<u8>, usize)> = (0..1 + rng.number_below(8))
        .map(|_| (packet(rng, &numbers), [0, 1, 20, 256][rng.number_below(4)]))
        .collect();
    let memories: Vec<Vec<Cell<u8>>> = packets
        .iter()
        .map(|(bytes, room)| {
            let guard = [0xa5; GUARD];
            let all = [&guard[..], &vec![0; *room], bytes, &guard].concat();
            all.into_iter().map(Cell::new).collect()
        })
        .collect();
    let windows: Vec<PacketView<'_>> = memories
        .iter()
        .zip(&packets)
        .map(|(memory, (bytes, room))| {
            PacketView::new(&memory[GUARD..memory.len() - GUARD], *room, room + bytes.len())
        })
        .collect();
    let count = windows.len();
    let inputs: Vec<u64> = (0..count * pipeline.inputs().len()).map(|_| hostile.word()).collect();
    let marked = PipelineEnd::Left { code: 0xa5a5, consumed: 0x5a5a, start: 0x3c3c };
    let mut outputs = vec![0xa5a5; count * pipeline.outputs() + 2 * GUARD];
    let mut ends = vec![marked; count + 2 * GUARD];
    let mut state = layout.state();
    let mut ran = 0;
    while ran < count {
        if state.words_mut().len() != layout.words() {
            state = layout.state();
        }
        hostile.randomize_state(&mut state);
        let batch = PacketBatch {
            packets: &windows[ran..],
            inputs: &inputs[ran * pipeline.inputs().len()..],
            outputs: &mut outputs[GUARD + ran * pipeline.outputs()..][..(count - ran) * pipeline.outputs()],
            ends: &mut ends[GUARD + ran..][..count - ran],
            stop: &|end| matches!(end, PipelineEnd::Left { .. }),
        };
        match without_panic_output(|| fused.run_batch(batch, &mut state, hostile)) {
            Some(more) => {
                assert!(more > 0 && more <= count - ran, "{more} packets ran of {}", count - ran);
                ran += more;
                reached.ends += more as u64;
            }
            None => {
                reached.panics += 1;
                ran += 1;
            }
        }
    }
    let guards = |length: usize| (0..GUARD).chain(length - GUARD..length);
    for memory in &memories {
        assert!(guards(memory.len()).all(|at| memory[at].get() == 0xa5), "a byte changed around a packet");
    }
    assert!(guards(outputs.len()).all(|at| outputs[at] == 0xa5a5), "a word changed around the outputs");
    assert!(guards(ends.len()).all(|at| ends[at] == marked), "a word changed around the ends");
    for (window, end) in windows.iter().zip(&ends[GUARD..]) {
        if let PipelineEnd::Done { start } = end {
            assert!(*start <= window.end(), "a packet begins behind its end");
        }
    }
}
