//! Emits runs of headers in a loop. The headers of a run are emitted one after the other, and are
//! at equal distances in the state, like the elements of large arrays. With separate code for each
//! header, the time of compilation would grow faster than the number of headers.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{InstBuilder, Value};
use weir_ir::{HeaderId, VarId};

use super::Emit;

/// The largest number of headers in a turn. Elements of several stacks may alternate, like the
/// members of the unions of a stack.
const MAX_HEADERS_PER_TURN: usize = 8;

/// Headers that are emitted one after the other.
pub(super) enum EmittedPart {
    One(HeaderId),
    /// Headers at equal distances.
    Run(ElementRun),
}

/// A number of turns of headers: the headers of the first turn, and the distance in words from one
/// turn to the next.
pub(super) struct ElementRun {
    pub firsts: Vec<(HeaderId, u32)>,
    pub turns: usize,
}

impl Emit<'_, '_, '_> {
    /// Groups headers into runs of headers at equal distances.
    pub(super) fn with_runs(&self, headers: &[HeaderId]) -> Vec<EmittedPart> {
        let mut parts = Vec::new();
        let mut rest = headers;
        while let Some(first) = rest.first() {
            match self.run_at(rest) {
                Some(run) => {
                    rest = &rest[run.firsts.len() * run.turns..];
                    parts.push(EmittedPart::Run(run));
                }
                None => {
                    rest = &rest[1..];
                    parts.push(EmittedPart::One(*first));
                }
            }
        }
        parts
    }

    /// Returns the longest run that begins with the first of these headers.
    fn run_at(&self, headers: &[HeaderId]) -> Option<ElementRun> {
        let min_run = self.unit.options.min_run;
        let mut best: Option<ElementRun> = None;
        for period in 1..=MAX_HEADERS_PER_TURN.min(headers.len() / min_run.max(2)) {
            let (firsts, seconds) = (&headers[..period], &headers[period..2 * period]);
            let strides = firsts.iter().zip(seconds).map(|(first, second)| self.stride(*first, *second));
            let Some(strides) = strides.collect::<Option<Vec<u32>>>() else { continue };
            let firsts: Vec<_> = firsts.iter().copied().zip(strides).collect();
            let continues = |turn: usize, turned: &[HeaderId]| {
                let mut headers = firsts.iter().zip(turned);
                headers.all(|((first, stride), header)| {
                    self.stride(*first, *header) == stride.checked_mul(turn as u32)
                })
            };
            let turns = headers.chunks_exact(period).enumerate().skip(1);
            let turns = 1 + turns.take_while(|(turn, turned)| continues(*turn, turned)).count();
            let before = best.as_ref().map_or(0, |best| best.firsts.len() * best.turns);
            if turns >= min_run && turns * period > before {
                best = Some(ElementRun { firsts, turns });
            }
        }
        best
    }

    /// Returns the distance in words between the variables of two headers of the same type; `None`
    /// unless both headers are in the state alone, and all variables have the same distance.
    fn stride(&self, from: HeaderId, to: HeaderId) -> Option<u32> {
        let headers = &self.unit.program.headers;
        let usable = |header| self.is_in_state(header) && !self.has_location(header);
        if headers[from].ty != headers[to].ty || !usable(from) || !usable(to) {
            return None;
        }
        let word = |var: VarId| self.unit.layout.slot(var).word;
        let stride = word(headers[to].valid).checked_sub(word(headers[from].valid))?;
        // A field without bits has no place in the state.
        let pairs = self.vars_of(from).into_iter().zip(self.vars_of(to));
        let mut pairs = pairs.filter(|(from, _)| self.unit.layout.slot(*from).width > 0);
        let all = pairs.all(|(from, to)| word(to).checked_sub(word(from)) == Some(stride));
        (all && stride > 0).then_some(stride)
    }

    /// Emits code that runs for each turn of a run. `with` emits it for the headers of the first
    /// turn.
    pub(super) fn for_each_element(&mut self, run: &ElementRun, mut with: impl FnMut(&mut Self, HeaderId)) {
        let (zero, one) = (self.iconst(0), self.iconst(1));
        let turn = self.b.declare_var(I64);
        self.b.def_var(turn, zero);
        let [head, body, after] = [(); 3].map(|()| self.b.create_block());
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        let index = self.b.use_var(turn);
        let more = self.compare_const(IntCC::UnsignedLessThan, index, run.turns as u64);
        self.b.ins().brif(more, body, &[], after, &[]);
        self.b.switch_to_block(body);
        self.b.seal_block(body);
        for (first, stride) in &run.firsts {
            let vars = self.vars_of(*first);
            self.with_displaced(&vars, (index, *stride), |emit| with(emit, *first));
        }
        let next = self.b.ins().iadd(index, one);
        self.b.def_var(turn, next);
        self.b.ins().jump(head, &[]);
        self.b.seal_block(head);
        self.b.switch_to_block(after);
        self.b.seal_block(after);
    }

    /// Emits code that appends the valid headers among these.
    pub(super) fn emit_in_order(&mut self, headers: &[HeaderId]) {
        for emitted in self.with_runs(headers) {
            match emitted {
                EmittedPart::One(header) => self.emit_header(header),
                EmittedPart::Run(run) => self.for_each_element(&run, Self::emit_header),
            }
        }
    }

    /// Emits code for the number of valid elements of a run, and the number of their bytes.
    pub(super) fn valid_elements(&mut self, run: &ElementRun) -> (Value, Value) {
        let zero = self.iconst(0);
        let [count, length] = [(); 2].map(|()| self.b.declare_var(I64));
        self.b.def_var(count, zero);
        self.b.def_var(length, zero);
        self.for_each_element(run, |emit, header| {
            let (valid, bytes) = emit.emitted_length(header);
            for (sum, more) in [(count, valid), (length, bytes)] {
                let before = emit.b.use_var(sum);
                let now = emit.b.ins().iadd(before, more);
                emit.b.def_var(sum, now);
            }
        });
        (self.b.use_var(count), self.b.use_var(length))
    }
}
