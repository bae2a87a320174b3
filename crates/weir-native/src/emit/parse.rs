//! Parsers: states, transitions, extracts (P4 spec §12).
//!
//! Every extract compares its whole length with what is left of the packet once; the reads behind it stay within that length.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block as Label, InstBuilder, Value};
use cranelift_frontend::Switch;
use weir_exec::LOOP_LIMIT;
use weir_ir::{
    Expr, HeaderId, HeaderRef, HeaderType, Keyset, ParserId, ParserState, Place, SelectCase, Target,
    Transition, Type,
};

use super::reading::Source;
use super::states::{has_circle, next_states, order};
use super::wide::count;
use super::{Emit, Packet};
use crate::analysis::type_of;
use crate::runtime::{self, FAILED, Handed, SetSite, status};

/// Up to so many values are compared one by one.
const FEW_CASES: usize = 4;

/// A header in the packet.
struct Found {
    /// Its first bit.
    at: Value,
    /// The same as a place (see `places`), if all extracts begin at whole bytes.
    place: Value,
    source: Source,
    /// Bits of its varbit.
    varbit: Option<Value>,
    /// The words of its fields; none of a varbit.
    fields: Vec<Vec<Value>>,
}

impl Emit<'_, '_, '_> {
    /// All of a parser.
    pub(super) fn parser_states(&mut self, id: ParserId) {
        let parser = &self.unit.program.parsers[id];
        if !self.block(&parser.locals) {
            return;
        }
        let labels: Vec<Label> = parser.states.iter().map(|_| self.b.create_block()).collect();
        let visits = has_circle(parser).then(|| self.b.declare_var(I64));
        if let Some(visits) = visits {
            let zero = self.k(0);
            self.b.def_var(visits, zero);
        }
        let order = order(parser);
        // Ways that still lead to each state. Where all are there it is known what they have in common; so states come after those that lead to them.
        let mut ways = vec![0; parser.states.len()];
        order.iter().flat_map(|state| next_states(&parser.states[*state])).for_each(|next| ways[next] += 1);
        let start = labels[parser.start.index()];
        self.b.ins().jump(start, &[]);
        if ways[parser.start.index()] == 0 {
            self.b.seal_block(start);
        }
        for id in order {
            let state = &parser.states[id];
            self.b.switch_to_block(labels[id.index()]);
            self.new_state();
            if let Some(visits) = visits {
                let before = self.b.use_var(visits);
                let past = self.compare_k(IntCC::UnsignedGreaterThanOrEqual, before, u64::from(LOOP_LIMIT));
                self.leave_if(past, self.error(self.unit.errors.parser_timeout));
                let one = self.k(1);
                let now = self.b.ins().iadd(before, one);
                self.b.def_var(visits, now);
            }
            if self.block(&state.body) {
                self.transition(state, &labels);
            }
            for next in next_states(state) {
                ways[next] -= 1;
                if ways[next] == 0 {
                    self.b.seal_block(labels[next]);
                }
            }
        }
    }

    pub(super) fn error(&self, error: u32) -> u64 {
        status::PARSER_ERROR + u64::from(error)
    }

    fn target(&mut self, target: Target, labels: &[Label]) -> Label {
        match target {
            Target::State(id) => labels[id.index()],
            Target::Accept => self.accepts(),
            Target::Reject => self.end(status::REJECT),
        }
    }

    fn transition(&mut self, state: &ParserState, labels: &[Label]) {
        let (keys, cases) = match &state.transition {
            Transition::Goto(target) => {
                let label = self.target(*target, labels);
                self.b.ins().jump(label, &[]);
                return;
            }
            Transition::Select { keys, cases, .. } => (keys, cases),
        };
        let values: Vec<Vec<Value>> = keys
            .iter()
            .map(|key| match key.ty {
                Type::Varbit { .. } => vec![self.varbit(key)],
                _ => self.eval(key),
            })
            .collect();
        let mut rest = cases.as_slice();
        if let ([word], [key]) = (values.iter().flatten().collect::<Vec<_>>().as_slice(), keys.as_slice())
            && !matches!(key.ty, Type::Varbit { .. })
        {
            rest = self.plain_cases(**word, cases, labels);
        }
        for case in rest {
            let label = self.target(case.target, labels);
            if !self.case(case, keys, &values, label) {
                return;
            }
        }
        self.leave(self.error(self.unit.errors.no_match));
    }

    /// Decides the first cases if they are single values, by search or jump table; the others are left.
    fn plain_cases<'c>(
        &mut self,
        word: Value,
        cases: &'c [SelectCase],
        labels: &[Label],
    ) -> &'c [SelectCase] {
        let mut found: Vec<(u64, Label)> = Vec::new();
        let mut plain = 0;
        for case in cases {
            let [Keyset::Value(value)] = case.keysets.as_slice() else { break };
            let (value, label) = (value.low_u64(), self.target(case.target, labels));
            // Of two cases with one value the first decides.
            if found.iter().all(|(known, _)| *known != value) {
                found.push((value, label));
            }
            plain += 1;
        }
        if found.len() <= FEW_CASES && self.known(word).is_none() {
            for (value, label) in found {
                let (same, on) = (self.compare_k(IntCC::Equal, word, value), self.b.create_block());
                self.b.ins().brif(same, label, &[], on, &[]);
                self.b.switch_to_block(on);
                self.b.seal_block(on);
            }
        } else if plain > 0 {
            let mut switch = Switch::new();
            found.into_iter().for_each(|(value, label)| switch.set_entry(u128::from(value), label));
            let on = self.b.create_block();
            switch.emit(&mut self.b, word, on);
            self.b.switch_to_block(on);
            self.b.seal_block(on);
        }
        &cases[plain..]
    }

    /// Goes to the label if all keysets hold their keys. Whether the next case can be reached.
    fn case(&mut self, case: &SelectCase, keys: &[Expr], values: &[Vec<Value>], label: Label) -> bool {
        let other = self.b.create_block();
        let mut holds: Option<Value> = None;
        let mut asked = false;
        for (i, keyset) in case.keysets.iter().enumerate() {
            let here = match keyset {
                Keyset::Any => continue,
                Keyset::Set(set) => {
                    // A set is asked only if the keysets before it hold.
                    if let Some(so_far) = holds.take() {
                        let on = self.b.create_block();
                        self.b.ins().brif(so_far, on, &[], other, &[]);
                        self.b.switch_to_block(on);
                        self.b.seal_block(on);
                        asked = true;
                    }
                    let covered = i..i + self.unit.program.value_sets[*set].fields.len();
                    self.in_value_set(*set, &keys[covered.clone()], &values[covered])
                }
                other => self.holds(other, &keys[i], &values[i]),
            };
            holds = Some(match holds {
                None => here,
                Some(before) => self.b.ins().band(before, here),
            });
        }
        let always = holds.is_none() && !asked;
        match holds {
            Some(holds) => {
                self.b.ins().brif(holds, label, &[], other, &[]);
            }
            None => {
                self.b.ins().jump(label, &[]);
            }
        }
        self.go_on(other, !always)
    }

    /// Whether one keyset, no value set, holds its key.
    fn holds(&mut self, keyset: &Keyset, key: &Expr, words: &[Value]) -> Value {
        let width = key.ty.width();
        if let (Type::Varbit { .. }, Keyset::Value(value)) = (key.ty, keyset) {
            let mut constant = vec![0; 1 + count(width)];
            constant[0] = u64::from(value.width());
            value.write_words(&mut constant[1..]);
            let wanted = self.constant_address(constant);
            let max = self.k(u64::from(width));
            let same = self.ask_host(runtime::same_varbit as *const u8, &[words[0], wanted, max]);
            return self.compare_k(IntCC::NotEqual, same, 0);
        }
        match keyset {
            Keyset::Value(value) => {
                let value = self.constant(value);
                self.same(words, &value)
            }
            Keyset::Mask(value, mask) => {
                let (value, mask) = (self.constant(&value.and(mask)), self.constant(mask));
                let masked: Vec<Value> =
                    words.iter().zip(mask).map(|(word, mask)| self.b.ins().band(*word, mask)).collect();
                self.same(&masked, &value)
            }
            Keyset::Range(low, high) => {
                let signed = key.ty.is_signed();
                let (low, high) = (self.constant(low), self.constant(high));
                let under = self.less(words, &low, width, signed);
                let over = self.less(&high, words, width, signed);
                let out = self.b.ins().bor(under, over);
                self.not(out)
            }
            Keyset::Any | Keyset::Set(_) => self.truth_k(true),
        }
    }

    fn in_value_set(&mut self, set: weir_ir::ValueSetId, keys: &[Expr], values: &[Vec<Value>]) -> Value {
        let site = self.shared.sites.sets.len() as u64;
        let keys = keys.iter().map(|key| handed(key.ty)).collect();
        self.shared.sites.sets.push(SetSite { set, keys });
        let words: Vec<Value> = values.iter().flatten().copied().collect();
        let (words, site) = (self.hand_over(&words), self.k(site));
        let answer = self.ask_host(runtime::in_value_set as *const u8, &[self.context, site, words]);
        let failed = self.compare_k(IntCC::Equal, answer, FAILED);
        self.leave_if(failed, status::PANIC);
        self.compare_k(IntCC::NotEqual, answer, 0)
    }

    fn position(&mut self) -> Value {
        match self.position {
            Some(position) => self.b.use_var(position),
            None => self.k(0),
        }
    }

    fn move_to(&mut self, at: Value) {
        if let Some(position) = self.position {
            self.b.def_var(position, at);
        }
    }

    /// Where the parser reads; `bytes` bytes from here on are there.
    fn source(&mut self, at: Value, bytes: u32) -> Source {
        match self.packet {
            Some(Packet { address, .. }) if self.whole_extracts => {
                let offset = self.down(at, 3);
                Source::Bytes { address: self.b.ins().iadd(address, offset), bytes }
            }
            _ => Source::Bits(at),
        }
    }

    /// Ends parsing unless so many bits are left; tells where they end.
    fn require(&mut self, at: Value, wanted: Value) -> Value {
        let end = self.plus(at, wanted);
        if let Some(Packet { bytes, bits, .. }) = self.packet {
            let short = match (self.known(end), self.known(wanted)) {
                (Some(end), _) => self.compare_k(IntCC::UnsignedLessThan, bytes, end.div_ceil(8)),
                (None, Some(_)) => self.compare(IntCC::UnsignedGreaterThan, end, bits),
                // It may be any number, so that the sum may wrap. The position never is behind the packet.
                (None, None) => {
                    let left = self.minus(bits, at);
                    self.compare(IntCC::UnsignedGreaterThan, wanted, left)
                }
            };
            self.leave_if(short, self.error(self.unit.errors.packet_too_short));
        }
        end
    }

    /// All checks come before the first write, in the specification's order, so that an error leaves header, stack and
    /// position as they were.
    pub(super) fn extract(&mut self, to: &HeaderRef, varbit_bits: Option<&Expr>) {
        let program = self.unit.program;
        let element = match to {
            HeaderRef::Header(_) => None,
            HeaderRef::Element(stack, index) => Some((*stack, self.one(index))),
            HeaderRef::Next(stack) => Some((*stack, self.read_word(program.stacks[*stack].next_index))),
        };
        if let Some((stack, index)) = element {
            let size = program.stacks[stack].elements.len() as u64;
            let past = self.compare_k(IntCC::UnsignedGreaterThanOrEqual, index, size);
            self.leave_if(past, self.error(self.unit.errors.stack_out_of_bounds));
        }
        let layout = &program.header_types[type_of(program, to)];
        let fixed = layout.fixed_width();
        let varbit = varbit_bits.map(|bits| self.one(bits));
        let mut total = self.k(u64::from(fixed));
        if let Some(varbit) = varbit {
            total = self.plus(total, varbit);
            let seven = self.k(7);
            let spare = self.b.ins().band(total, seven);
            self.leave_if(spare, self.error(self.unit.errors.parser_invalid_argument));
        }
        self.extracted = None;
        let at = self.position();
        let end = self.require(at, total);
        for field in &layout.fields {
            if let (Type::Varbit { max }, Some(varbit)) = (field.ty, varbit) {
                let over = self.compare_k(IntCC::UnsignedGreaterThan, varbit, u64::from(max));
                self.leave_if(over, self.error(self.unit.errors.header_too_short));
            }
        }
        let source = self.source(at, fixed.div_ceil(8));
        let found = Found {
            at,
            place: self.down(at, 3),
            source,
            varbit,
            fields: self.read_fields(layout, source, at, varbit),
        };
        match (to, element) {
            (HeaderRef::Header(header), _) => self.fill(*header, &found),
            (_, Some((stack, index))) => {
                self.at_element(stack, index, |emit, header| emit.fill(header, &found));
            }
            (_, None) => {}
        }
        self.move_to(end);
        if let (HeaderRef::Next(stack), Some((_, index))) = (to, element) {
            let one = self.k(1);
            let next = self.plus(index, one);
            self.set(program.stacks[*stack].next_index, &[next]);
            if varbit.is_none() {
                self.note_extracted(*stack, next, found.fields);
            }
        }
    }

    /// Reads the fields of a header whose bits are known to be there, but for varbits.
    fn read_fields(
        &mut self,
        layout: &HeaderType,
        source: Source,
        at: Value,
        varbit: Option<Value>,
    ) -> Vec<Vec<Value>> {
        let (mut source, mut offset) = (source, 0);
        let mut fields = Vec::with_capacity(layout.fields.len());
        for field in &layout.fields {
            if let (Type::Varbit { .. }, Some(varbit)) = (field.ty, varbit) {
                // What comes behind lies so much further on.
                source = Source::Bits(self.b.ins().iadd(at, varbit));
                fields.push(Vec::new());
                continue;
            }
            let width = field.ty.width();
            fields.push(self.read_words(source, offset, width));
            offset += width;
        }
        fields
    }

    /// Fills a header with what was found.
    fn fill(&mut self, header: HeaderId, found: &Found) {
        let program = self.unit.program;
        self.note_place(header, found.place);
        let of = &program.headers[header];
        self.set_k(of.valid, 1);
        if self.is_lazy(header) {
            return self.set_source(header, found.place);
        }
        let mut offset = 0;
        for ((field, var), words) in
            program.header_types[of.ty].fields.iter().zip(&of.fields).zip(&found.fields)
        {
            if let (Type::Varbit { max }, Some(varbit)) = (field.ty, found.varbit) {
                let to = self.varbit_address(*var);
                let before = self.k(u64::from(offset));
                let from = self.b.ins().iadd(found.at, before);
                let max = self.k(u64::from(max));
                let read = runtime::read_varbit as *const u8;
                self.call_host(read, &[self.context, to, from, varbit, max], false);
                continue;
            }
            self.set(*var, words);
            self.note_field(header, words, found.source, (offset, field.ty.width()));
            offset += field.ty.width();
        }
    }

    pub(super) fn lookahead(&mut self, place: &Place) {
        let width = self.place_type(place).width();
        let at = self.position();
        let bits = self.k(u64::from(width));
        self.require(at, bits);
        let source = self.source(at, width.div_ceil(8));
        let words = self.read_words(source, 0, width);
        self.write_place(place, &words);
    }

    pub(super) fn advance(&mut self, bits: &Expr) {
        let bits = self.one(bits);
        let seven = self.k(7);
        let spare = self.b.ins().band(bits, seven);
        self.leave_if(spare, self.error(self.unit.errors.parser_invalid_argument));
        let at = self.position();
        let end = self.require(at, bits);
        self.move_to(end);
    }

    pub(super) fn verify(&mut self, condition: &Expr, error: &Expr) {
        let condition = self.truth(condition);
        let (bad, on) = (self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, on, &[], bad, &[]);
        self.b.set_cold_block(bad);
        self.b.switch_to_block(bad);
        self.b.seal_block(bad);
        let error = self.one(error);
        let base = self.k(status::PARSER_ERROR);
        let status = self.b.ins().iadd(base, error);
        self.b.ins().jump(self.epilogue, &[status.into()]);
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }
}

/// How a value of a type is handed over to the runtime.
pub(super) fn handed(ty: Type) -> Handed {
    match ty {
        Type::Varbit { max } => Handed::Varbit(max),
        ty => Handed::Words(ty.width()),
    }
}
