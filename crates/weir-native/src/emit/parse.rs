//! Parsers: states, transitions, and the reading of packet bits (P4 spec §12).
//!
//! Every extract compares its whole length with what is left of the packet once; the reads behind it stay within that length.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{Block as Label, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Switch;
use weir_ir::exec::LOOP_LIMIT;
use weir_ir::{
    Expr, HeaderId, HeaderRef, HeaderType, Id, Keyset, Parser, ParserId, ParserState, Place, SelectCase,
    Target, Transition, Type,
};

use super::in_place::integer;
use super::wide::count;
use super::{Emit, Packet};
use crate::analysis::type_of;
use crate::compile::Broken;
use crate::runtime::{self, FAILED, Handed, SetSite, status};

/// Where the bits lie that are read.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// In whole bytes from an address on, as many as are known to be there.
    Bytes { address: Value, bytes: u32 },
    /// From a bit of the packet on.
    Bits(Value),
}

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
            let same = self.ask_host(runtime::same_varbit as *const u8, &[words[0], wanted]);
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
    fn require(&mut self, at: Value, bits: Value) -> Value {
        let end = self.plus(at, bits);
        if let Some(Packet { bytes, bits, .. }) = self.packet {
            let short = match self.known(end) {
                Some(end) => self.compare_k(IntCC::UnsignedLessThan, bytes, end.div_ceil(8)),
                None => self.compare(IntCC::UnsignedGreaterThan, end, bits),
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

    pub(super) fn read_words(&mut self, source: Source, offset: u32, width: u32) -> Vec<Value> {
        (0..count(width) as u32)
            .map(|i| {
                let end = offset + width - 64 * i;
                let bits = (width - 64 * i).min(64);
                self.read_word_at(source, end - bits, bits)
            })
            .collect()
    }

    /// 1 to 64 bits.
    pub(super) fn read_word_at(&mut self, source: Source, offset: u32, width: u32) -> Value {
        let (address, bytes) = match source {
            Source::Bytes { address, bytes } => (address, bytes),
            Source::Bits(at) => {
                let (offset, width) = (self.k(u64::from(offset)), self.k(u64::from(width)));
                let at = self.b.ins().iadd(at, offset);
                return self.ask_host(runtime::read_bits as *const u8, &[self.context, at, width]);
            }
        };
        let (first, end) = (offset / 8, (offset + width).div_ceil(8));
        // The smallest load that covers the bits and stays within what is there.
        let size = [1, 2, 4, 8].into_iter().find(|size| *size >= end - first && *size <= bytes);
        let Some(size) = size else {
            // Two loads: the first as large as fits into the bytes that the bits take.
            let largest = [4, 2, 1].into_iter().find(|size| *size < end - first).unwrap_or(1);
            let head = 8 * (first + largest) - offset;
            let high = self.read_word_at(source, offset, head);
            let low = self.read_word_at(source, offset + head, width - head);
            let up = self.k(u64::from(width - head));
            let high = self.b.ins().ishl(high, up);
            return self.b.ins().bor(high, low);
        };
        let start = first.min(bytes - size);
        let mut value = if size == 1 || self.broken(Broken::WrongEndianness) {
            load_long(self.b.ins(), size, address, start)
        } else {
            let ty = integer(size);
            let value = self.b.ins().load(ty, MemFlagsData::new().with_notrap(), address, start as i32);
            let value = self.b.ins().bswap(value);
            if ty == I64 { value } else { self.b.ins().uextend(I64, value) }
        };
        let spare = 8 * (start + size) - (offset + width);
        if spare > 0 {
            let down = self.k(u64::from(spare));
            value = self.b.ins().ushr(value, down);
        }
        if offset > 8 * start {
            let mut words = [value];
            self.mask(&mut words, width);
            value = words[0];
        }
        value
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

/// Loads 1, 2, 4 or 8 bytes as they lie as a whole word.
pub(super) fn load_long<'i>(at: impl InstBuilder<'i>, bytes: u32, address: Value, offset: u32) -> Value {
    let (flags, offset) = (MemFlagsData::new().with_notrap(), offset as i32);
    match bytes {
        1 => at.uload8(I64, flags, address, offset),
        2 => at.uload16(I64, flags, address, offset),
        4 => at.uload32(flags, address, offset),
        _ => at.load(I64, flags, address, offset),
    }
}

/// How a value of a type is handed over to the runtime.
pub(super) fn handed(ty: Type) -> Handed {
    match ty {
        Type::Varbit { .. } => Handed::Varbit,
        ty => Handed::Words(ty.width()),
    }
}

/// The states that one leads to, once for each case.
fn next_states(state: &ParserState) -> Vec<usize> {
    let target = |target: &Target| match target {
        Target::State(id) => Some(id.index()),
        Target::Accept | Target::Reject => None,
    };
    match &state.transition {
        Transition::Goto(to) => target(to).into_iter().collect(),
        Transition::Select { cases, .. } => cases.iter().filter_map(|case| target(&case.target)).collect(),
    }
}

/// The states that can be reached, each after all that lead to it but for those of a circle.
fn order(parser: &Parser) -> Vec<Id<ParserState>> {
    let mut seen = vec![false; parser.states.len()];
    let mut order = Vec::with_capacity(seen.len());
    // States that are begun, and what of their next ones is left.
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let start = parser.start.index();
    seen[start] = true;
    open.push((start, next_states(&parser.states[parser.start])));
    while let Some((state, next)) = open.last_mut() {
        match next.pop() {
            Some(next) if !std::mem::replace(&mut seen[next], true) => {
                open.push((next, next_states(&parser.states[Id::new(next)])));
            }
            Some(_) => {}
            None => {
                order.push(Id::new(*state));
                open.pop();
            }
        }
    }
    order.reverse();
    order
}

/// Whether a state can come again.
fn has_circle(parser: &Parser) -> bool {
    // Removes states that lead to no state that is left, until none is left or all lead on.
    let next: Vec<Vec<usize>> = parser.states.values().map(next_states).collect();
    let mut before = vec![Vec::new(); next.len()];
    let mut leads: Vec<usize> = next.iter().map(Vec::len).collect();
    for (from, to) in next.iter().enumerate() {
        to.iter().for_each(|to| before[*to].push(from));
    }
    let mut ends: Vec<usize> = (0..next.len()).filter(|state| leads[*state] == 0).collect();
    let mut removed = 0;
    while let Some(state) = ends.pop() {
        removed += 1;
        for from in &before[state] {
            leads[*from] -= 1;
            if leads[*from] == 0 {
                ends.push(*from);
            }
        }
    }
    removed < next.len() || next.len() >= LOOP_LIMIT as usize || {
        let start: Id<ParserState> = parser.start;
        start.index() >= next.len()
    }
}
