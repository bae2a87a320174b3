//! One function of machine code: its frame, its ends, and what its parts share.
//!
//! Values of up to 64 bits are one `i64`, wider ones several, the least significant first; bits above the width are 0. A varbit is
//! the address of its length and words.

mod batch;
mod calls;
mod checksum;
mod dead;
mod deparse;
mod expr;
mod fused;
mod headers;
mod in_place;
mod known;
mod lazy;
mod origin;
mod parse;
mod places;
mod reading;
mod states;
mod stmt;
mod vars;
mod wide;

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{
    AbiParam, Block as Label, InstBuilder, MemFlagsData, SigRef, Signature, StackSlot, StackSlotData,
    StackSlotKind, Type, Value,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;
use cranelift_module::Module;
use rustc_hash::FxHashMap;
use weir_exec::Pipeline;
use weir_ir::CoreErrors;
use weir_ir::{Block, Layout, Program, VarId};

use crate::analysis::{Analysis, Body, Facts};
use crate::compile::{Broken, Policy, Shared};
use crate::runtime::{Registers, status};

pub(crate) use checksum::is_plain;
use fused::Fusion;
pub(crate) use fused::{Role, end};
use lazy::Extracted;
use origin::Origin;
use vars::Home;

/// What is compiled, seen by all functions.
pub(crate) struct Unit<'p> {
    pub program: &'p Program,
    pub layout: &'p Layout,
    pub errors: CoreErrors,
    pub policy: Policy,
    /// What externs mean, and for a pipeline's function what runs.
    pub pipeline: Option<&'p Pipeline>,
}

/// Where the packet lies, and its length.
#[derive(Clone, Copy)]
struct Packet {
    address: Value,
    bytes: Value,
    bits: Value,
}

/// Where `break` and `continue` lead.
struct Loop {
    step: Label,
    after: Label,
    breaks: bool,
    continues: bool,
}

/// Where `return` in a body that went inline leads.
struct Inlined {
    after: Label,
    used: bool,
}

/// Makes one function.
pub(crate) struct Emit<'e, 'p, 'f> {
    unit: &'e Unit<'p>,
    analysis: &'e mut Analysis<'p>,
    shared: &'e mut Shared,
    module: &'e mut JITModule,
    b: FunctionBuilder<'f>,
    entry: Label,
    /// Every constant once, at the beginning: ways that meet with the same one agree.
    numbers: FxHashMap<(Type, u64), Value>,
    /// The address of the [`Registers`].
    context: Value,
    /// The address of the state's words.
    words: Variable,
    homes: FxHashMap<VarId, Home>,
    /// Of a pipeline: where values came from that are there until it ends.
    origins: FxHashMap<Value, Origin>,
    /// Of a pipeline: bytes of the packet as they lie, by an extracted header's address, the first and how many.
    raw_words: FxHashMap<(Value, u32, u32), Value>,
    /// Bits of the packet consumed, in functions that parse.
    position: Option<Variable>,
    /// The packet, in functions that parse.
    packet: Option<Packet>,
    /// Whether every extract begins and every emit ends at a whole byte.
    whole_extracts: bool,
    whole_emits: bool,
    /// What a parser's state has extracted last, as long as it is what it was.
    extracted: Option<Extracted>,
    /// Whether nothing of a pipeline's stage comes behind the block at hand.
    last: bool,
    loops: Vec<Loop>,
    inlined: Vec<Inlined>,
    /// Ends the function; its parameter is the status.
    epilogue: Label,
    /// Labels that end the function with a status.
    ends: FxHashMap<u64, Label>,
    /// Memory to hand values over, as large as its largest use.
    scratch: StackSlot,
    signatures: FxHashMap<(usize, bool), SigRef>,
    /// What the function of a pipeline needs beside.
    fusion: Option<Fusion>,
}

/// Bytes from the first of some words to one of them.
fn word_offset(word: usize) -> i32 {
    word.checked_mul(8).and_then(|bytes| i32::try_from(bytes).ok()).expect("fewer than 2^28 words")
}

/// A function's signature: `count` words in, and a word out or nothing.
fn signature(convention: CallConv, count: usize, result: bool) -> Signature {
    let mut signature = Signature::new(convention);
    signature.params.extend(std::iter::repeat_n(AbiParam::new(I64), count));
    if result {
        signature.returns.push(AbiParam::new(I64));
    }
    signature
}

/// The signature of all functions that are made here: a context in, a status out.
pub(crate) fn entry_signature(convention: CallConv) -> Signature {
    signature(convention, 1, true)
}

/// What all functions that are made have in common.
pub(crate) struct Parts<'e, 'p> {
    pub unit: &'e Unit<'p>,
    pub analysis: &'e mut Analysis<'p>,
    pub shared: &'e mut Shared,
    pub module: &'e mut JITModule,
}

impl<'e, 'p, 'f> Emit<'e, 'p, 'f> {
    /// Begins a function whose code has these facts.
    pub(crate) fn new(parts: Parts<'e, 'p>, mut b: FunctionBuilder<'f>, facts: &Facts) -> Self {
        let entry = b.create_block();
        b.append_block_params_for_function_params(entry);
        b.switch_to_block(entry);
        b.seal_block(entry);
        let context = b.block_params(entry)[0];
        let words = b.declare_var(I64);
        let epilogue = b.create_block();
        b.append_block_param(epilogue, I64);
        let scratch = b.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 8, 3));
        let Parts { unit, analysis, shared, module } = parts;
        let mut emit = Self {
            unit,
            analysis,
            shared,
            module,
            b,
            entry,
            numbers: FxHashMap::default(),
            context,
            words,
            homes: FxHashMap::default(),
            origins: FxHashMap::default(),
            raw_words: FxHashMap::default(),
            position: None,
            packet: None,
            whole_extracts: false,
            whole_emits: false,
            extracted: None,
            last: false,
            loops: Vec::new(),
            inlined: Vec::new(),
            epilogue,
            ends: FxHashMap::default(),
            scratch,
            signatures: FxHashMap::default(),
            fusion: None,
        };
        emit.load_words();
        if facts.parses {
            let at = emit.load_context(Registers::POSITION);
            emit.look_at_packet(at);
        }
        emit
    }

    fn look_at_packet(&mut self, at: Value) {
        let position = self.b.declare_var(I64);
        self.b.def_var(position, at);
        self.position = Some(position);
        let address = self.load_context(Registers::PACKET);
        let bytes = self.load_context(Registers::PACKET_BYTES);
        let bits = self.in_bits(bytes);
        self.packet = Some(Packet { address, bytes, bits });
    }

    fn in_bits(&mut self, bytes: Value) -> Value {
        let three = self.k(3);
        self.b.ins().ishl(bytes, three)
    }

    /// A parser.
    pub(crate) fn parser(mut self, id: weir_ir::ParserId, facts: &Facts) {
        self.settle(facts);
        self.whole_extracts = facts.whole_extracts;
        self.parser_states(id);
        self.finish();
    }

    /// A control.
    pub(crate) fn control(mut self, body: &Block, facts: &Facts) {
        self.settle(facts);
        self.whole_emits = facts.whole_emits;
        if self.block(body) {
            self.leave(status::DONE);
        }
        self.finish();
    }

    /// An action or a procedure.
    pub(crate) fn body(mut self, body: Body, facts: &Facts) {
        self.settle(facts);
        let program = self.unit.program;
        if self.block(crate::analysis::block_of(program, body)) {
            self.leave(status::DONE);
        }
        self.finish();
    }

    fn finish(mut self) {
        let ends: Vec<(u64, Label)> = self.ends.drain().collect();
        for (status, label) in ends {
            self.b.switch_to_block(label);
            let status = self.k(status);
            self.b.ins().jump(self.epilogue, &[status.into()]);
        }
        self.b.switch_to_block(self.epilogue);
        let status = self.b.block_params(self.epilogue)[0];
        self.keep_position();
        self.b.ins().return_(&[status]);
        self.b.seal_all_blocks();
        dead::remove(self.b.func);
        let target = self.module.isa().frontend_config();
        self.b.finalize(target);
    }

    /// Whether the executor is broken on purpose, for tests.
    fn broken(&self, how: Broken) -> bool {
        self.unit.policy.broken(how)
    }

    fn k(&mut self, value: u64) -> Value {
        self.number(I64, value)
    }

    /// A constant of a type; bits above its width are 0.
    fn number(&mut self, ty: Type, value: u64) -> Value {
        if let Some(known) = self.numbers.get(&(ty, value)) {
            return *known;
        }
        // The entry holds an instruction from the beginning on, and dominates everything.
        let mut cursor = FuncCursor::new(self.b.func).at_first_insertion_point(self.entry);
        let number = cursor.ins().iconst(ty, value as i64);
        self.numbers.insert((ty, value), number);
        number
    }

    fn load_context(&mut self, offset: i32) -> Value {
        self.b.ins().load(I64, MemFlagsData::trusted(), self.context, offset)
    }

    fn store_context(&mut self, offset: i32, value: Value) {
        self.b.ins().store(MemFlagsData::trusted(), value, self.context, offset);
    }

    /// Notes where the state's words lie, again after calls that may move them.
    fn load_words(&mut self) {
        let words = self.load_context(Registers::WORDS);
        self.b.def_var(self.words, words);
    }

    /// Leaves the position where other functions find it.
    fn keep_position(&mut self) {
        if let Some(position) = self.position {
            let at = self.b.use_var(position);
            self.store_context(Registers::POSITION, at);
        }
    }

    /// Takes the position over from another function.
    fn take_position(&mut self) {
        if let Some(position) = self.position {
            let at = self.load_context(Registers::POSITION);
            self.b.def_var(position, at);
        }
    }

    /// The label that ends the function with a status.
    fn end(&mut self, status: u64) -> Label {
        if let Some(label) = self.ends.get(&status) {
            return *label;
        }
        let label = self.b.create_block();
        if status != status::DONE {
            self.b.set_cold_block(label);
        }
        self.ends.insert(status, label);
        label
    }

    /// Ends the function here.
    fn leave(&mut self, status: u64) {
        let label = self.end(status);
        self.b.ins().jump(label, &[]);
    }

    /// Ends the function with a status if a condition holds, goes on if not.
    fn leave_if(&mut self, condition: Value, status: u64) {
        if self.known(condition) == Some(0) {
            return;
        }
        let label = self.end(status);
        // A block of its own, so that what only this way needs is made on it.
        let (out, on) = (self.b.create_block(), self.b.create_block());
        self.b.set_cold_block(out);
        self.b.ins().brif(condition, out, &[], on, &[]);
        self.b.switch_to_block(out);
        self.b.seal_block(out);
        self.b.ins().jump(label, &[]);
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }

    /// Ends the function with a status computed at run time unless it is [`status::DONE`].
    fn leave_unless_done(&mut self, status: Value) {
        let on = self.b.create_block();
        self.b.ins().brif(status, self.epilogue, &[status.into()], on, &[]);
        self.b.switch_to_block(on);
        self.b.seal_block(on);
    }

    /// Two ways that meet again; each tells whether it comes to its end.
    fn branch(
        &mut self,
        condition: Value,
        then: impl FnOnce(&mut Self) -> bool,
        otherwise: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        match self.known(condition) {
            Some(0) => return otherwise(self),
            Some(_) => return then(self),
            None => {}
        }
        let (yes, no, after) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.b.ins().brif(condition, yes, &[], no, &[]);
        let mut alive = false;
        self.b.switch_to_block(yes);
        self.b.seal_block(yes);
        if then(self) {
            self.b.ins().jump(after, &[]);
            alive = true;
        }
        self.b.switch_to_block(no);
        self.b.seal_block(no);
        if otherwise(self) {
            self.b.ins().jump(after, &[]);
            alive = true;
        }
        self.go_on(after, alive)
    }

    /// Does something if a condition holds.
    fn when(&mut self, condition: Value, then: impl FnOnce(&mut Self)) {
        self.branch(
            condition,
            |emit| {
                then(emit);
                true
            },
            |_| true,
        );
    }

    /// Continues at a label that ways lead to if `alive`.
    fn go_on(&mut self, label: Label, alive: bool) -> bool {
        if alive {
            self.b.switch_to_block(label);
            self.b.seal_block(label);
        }
        alive
    }

    /// One of `count` ways by a number, or the last way if the number is not below `count`; each tells whether it comes to its end.
    fn choose(
        &mut self,
        index: Value,
        count: usize,
        mut way: impl FnMut(&mut Self, usize) -> bool,
        otherwise: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        if let Some(index) = self.known(index) {
            return if index < count as u64 { way(self, index as usize) } else { otherwise(self) };
        }
        let labels: Vec<Label> = (0..count).map(|_| self.b.create_block()).collect();
        let (past, after) = (self.b.create_block(), self.b.create_block());
        let mut switch = cranelift_frontend::Switch::new();
        for (i, label) in labels.iter().enumerate() {
            switch.set_entry(i as u128, *label);
        }
        switch.emit(&mut self.b, index, past);
        let mut alive = false;
        for (i, label) in labels.into_iter().enumerate() {
            self.b.switch_to_block(label);
            self.b.seal_block(label);
            if way(self, i) {
                self.b.ins().jump(after, &[]);
                alive = true;
            }
        }
        self.b.switch_to_block(past);
        self.b.seal_block(past);
        if otherwise(self) {
            self.b.ins().jump(after, &[]);
            alive = true;
        }
        self.go_on(after, alive)
    }

    /// Puts words into the scratch memory, one behind the other, and tells its address. What it held before is lost.
    fn hand_over(&mut self, values: &[Value]) -> Value {
        self.reserve(values.len());
        let address = self.scratch_at(0);
        for (i, value) in values.iter().enumerate() {
            self.b.ins().store(MemFlagsData::trusted(), *value, address, word_offset(i));
        }
        address
    }

    fn reserve(&mut self, words: usize) {
        let slot = &mut self.b.func.sized_stack_slots[self.scratch];
        slot.size = slot.size.max(word_offset(words) as u32);
    }

    fn scratch_at(&mut self, word: usize) -> Value {
        self.b.ins().stack_addr(I64, self.scratch, word_offset(word))
    }

    /// Calls one of the [runtime's](crate::runtime) functions.
    fn call_host(&mut self, function: *const u8, args: &[Value], result: bool) -> Option<Value> {
        if self.scouting() {
            self.give_up();
            return None;
        }
        let convention = self.module.isa().default_call_conv();
        let signature = *self
            .signatures
            .entry((args.len(), result))
            .or_insert_with(|| self.b.import_signature(signature(convention, args.len(), result)));
        let address = self.k(function as usize as u64);
        let call = self.b.ins().call_indirect(signature, address, args);
        self.b.inst_results(call).first().copied()
    }

    /// The same of a function that returns a word.
    fn ask_host(&mut self, function: *const u8, args: &[Value]) -> Value {
        match self.call_host(function, args, true) {
            Some(result) => result,
            None => self.k(0),
        }
    }
}
