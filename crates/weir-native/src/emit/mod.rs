//! Translates the IR to Cranelift's form, one function at a time. This module contains the
//! function's frame, its ends, and parts that the submodules share.
//!
//! A value of up to 64 bits is one `i64`. A wider value is several `i64`, least significant first.
//! Bits above the width are 0. A varbit is represented by the address of its length, which its
//! words follow.

mod anchor;
mod arrays;
mod calls;
mod checksum;
mod constants;
mod dead;
mod deparse;
mod element_runs;
mod expr;
mod externs;
mod extract;
mod flow;
mod headers;
mod held_values;
mod key_prediction;
mod lazy;
mod locations;
mod origin;
mod packet_loop;
mod packet_reads;
mod parser;
mod pipeline;
mod runtime_calls;
mod scope;
mod select;
mod stage_ends;
mod state_graph;
mod stmt;
mod tables;
mod unit;
mod vars;
mod words;
mod write_headers;

use cranelift_codegen::cursor::{Cursor, FuncCursor};
use cranelift_codegen::ir::types::I64;
use cranelift_codegen::ir::{
    Block as Label, InstBuilder, MemFlagsData, SigRef, StackSlot, StackSlotData, StackSlotKind, Type, Value,
};
use cranelift_frontend::{FunctionBuilder, Variable};
use cranelift_jit::JITModule;
use cranelift_module::Module;
use rustc_hash::{FxHashMap, FxHashSet};
use weir_ir::{Block, ParserId, VarId};

use crate::abi::{Registers, status};
use crate::analysis::{Analysis, Body, Facts, block_of};
use crate::options::InjectedBug;
use arrays::DisplacedWords;
use lazy::ExtractedElement;
use origin::Origin;
pub(crate) use packet_loop::END_FIELDS;
pub(crate) use scope::PipelineFunction;
use scope::PipelineScope;
use unit::signature;
pub(crate) use unit::{Output, Unit, entry_signature};
use vars::VarRegisters;

/// The packet's address and length in the emitted code.
#[derive(Clone, Copy)]
struct Packet {
    address: Value,
    bytes: Value,
    bits: Value,
}

/// The targets of `break` and `continue` in a loop.
struct Loop {
    step: Label,
    after: Label,
    breaks: bool,
    continues: bool,
}

/// The target of `return` in an inlined body.
struct InlinedBody {
    after: Label,
    used: bool,
}

/// The state of emitting one function.
pub(crate) struct Emit<'e, 'p, 'f> {
    unit: &'e Unit<'p>,
    analysis: &'e mut Analysis<'p>,
    output: &'e mut Output,
    module: &'e mut JITModule,
    b: FunctionBuilder<'f>,
    entry: Label,
    /// Every constant, defined once in the entry block. So a variable that has the same constant on
    /// all branches to a block is a constant there.
    numbers: FxHashMap<(Type, u64), Value>,
    /// The address of the [`Registers`].
    context: Value,
    /// The address of the state's words.
    words: Variable,
    registers: FxHashMap<VarId, VarRegisters>,
    /// Set while code for an element of a large array is emitted.
    displaced: Option<DisplacedWords>,
    /// The origins of values; only in a pipeline.
    origins: FxHashMap<Value, Origin>,
    /// The bytes of the packet in memory order, by the address of the extracted header, the first
    /// byte and the number of bytes; only in a pipeline.
    raw_words: FxHashMap<(Value, u32, u32), Value>,
    /// The checksums that key prediction expects to be right.
    expected: FxHashSet<Value>,
    /// The number of bits consumed, in functions that parse.
    position: Option<Variable>,
    /// The packet; only in functions that parse.
    packet: Option<Packet>,
    /// Whether every extract begins at a whole byte, and every emit ends at one.
    whole_extracts: bool,
    whole_emits: bool,
    /// The stack element that the current parser state extracted last, as long as it is unchanged.
    extracted: Option<ExtractedElement>,
    /// Whether the current block is the last one of its stage; only in a pipeline.
    last: bool,
    loops: Vec<Loop>,
    inlined: Vec<InlinedBody>,
    /// The label that ends the function; its parameter is the status.
    epilogue: Label,
    /// The labels that end the function with a certain status.
    ends: FxHashMap<u64, Label>,
    /// Memory for arguments of runtime functions, as large as its largest use.
    scratch: StackSlot,
    /// The slot in which [`Emit::anchor`] stores values to keep their computation in place, and the
    /// values stored in it.
    anchor: Option<StackSlot>,
    anchored: FxHashSet<Value>,
    signatures: FxHashMap<(usize, bool), SigRef>,
    /// The state that only a pipeline's function needs.
    scope: Option<PipelineScope>,
}

/// Returns the offset of a word in bytes.
fn word_offset(word: usize) -> i32 {
    word.checked_mul(8).and_then(|bytes| i32::try_from(bytes).ok()).expect("fewer than 2^28 words")
}

/// The state that the functions of one compilation share while they are emitted.
pub(crate) struct Parts<'e, 'p> {
    pub unit: &'e Unit<'p>,
    pub analysis: &'e mut Analysis<'p>,
    pub output: &'e mut Output,
    pub module: &'e mut JITModule,
}

impl<'e, 'p, 'f> Emit<'e, 'p, 'f> {
    /// Begins a function for code with these facts.
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
        let Parts { unit, analysis, output, module } = parts;
        let mut emit = Self {
            unit,
            analysis,
            output,
            module,
            b,
            entry,
            numbers: FxHashMap::default(),
            context,
            words,
            registers: FxHashMap::default(),
            displaced: None,
            origins: FxHashMap::default(),
            raw_words: FxHashMap::default(),
            expected: FxHashSet::default(),
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
            anchor: None,
            anchored: FxHashSet::default(),
            signatures: FxHashMap::default(),
            scope: None,
        };
        emit.load_words();
        if facts.parses {
            let start = emit.load_context(Registers::POSITION);
            emit.look_at_packet(start);
        }
        emit
    }

    fn look_at_packet(&mut self, at: Value) {
        let position = self.b.declare_var(I64);
        self.b.def_var(position, at);
        self.position = Some(position);
        let address = self.load_context(Registers::PACKET);
        let bytes = self.load_context(Registers::PACKET_BYTES);
        let bits = self.bytes_to_bits(bytes);
        self.packet = Some(Packet { address, bytes, bits });
    }

    fn bytes_to_bits(&mut self, bytes: Value) -> Value {
        let three = self.iconst(3);
        self.b.ins().ishl(bytes, three)
    }

    /// Emits the function of a parser.
    pub(crate) fn parser(mut self, id: ParserId, facts: &Facts) {
        self.assign_registers(facts);
        self.whole_extracts = facts.whole_extracts;
        self.parser_states(id);
        self.finish();
    }

    /// Emits the function of a control.
    pub(crate) fn control(mut self, body: &Block, facts: &Facts) {
        self.assign_registers(facts);
        self.whole_emits = facts.whole_emits;
        if self.block(body) {
            self.end_with(status::DONE);
        }
        self.finish();
    }

    /// Emits an action or a procedure.
    pub(crate) fn body(mut self, body: Body, facts: &Facts) {
        self.assign_registers(facts);
        let program = self.unit.program;
        if self.block(block_of(program, body)) {
            self.end_with(status::DONE);
        }
        self.finish();
    }

    /// Emits the ends of the function and finishes it.
    fn finish(mut self) {
        let ends: Vec<(u64, Label)> = self.ends.drain().collect();
        for (status, label) in ends {
            self.b.switch_to_block(label);
            let status = self.iconst(status);
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

    /// Returns whether a test injects this bug.
    fn has_bug(&self, bug: InjectedBug) -> bool {
        self.unit.options.has_bug(bug)
    }

    /// Emits a constant of 64 bits.
    fn iconst(&mut self, value: u64) -> Value {
        self.typed_const(I64, value)
    }

    /// Emits a constant; bits above the width of its type are 0.
    fn typed_const(&mut self, ty: Type, value: u64) -> Value {
        if let Some(known) = self.numbers.get(&(ty, value)) {
            return *known;
        }
        // The entry block contains an instruction from the beginning, and dominates all blocks.
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

    /// Loads the address of the state's words. This is repeated after calls that may change the
    /// address.
    fn load_words(&mut self) {
        let words = self.load_context(Registers::WORDS);
        self.b.def_var(self.words, words);
    }

    /// Emits code that stores the position in the packet for other functions.
    fn keep_position(&mut self) {
        if let Some(position) = self.position {
            let value = self.b.use_var(position);
            self.store_context(Registers::POSITION, value);
        }
    }

    /// Loads the position that another function stored.
    fn take_position(&mut self) {
        if let Some(position) = self.position {
            let value = self.load_context(Registers::POSITION);
            self.b.def_var(position, value);
        }
    }
}
