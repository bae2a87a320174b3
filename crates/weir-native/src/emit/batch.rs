//! A pipeline's function goes from packet to packet of a batch: what it does before and behind each of them.
//!
//! [`Registers`] say which packet runs, and for each what belongs to it; they move on together. The function returns behind the last packet, behind one that asked
//! the environment for anything (which makes it the last, so that the environment hears of the next one), and where a packet does not come to its end.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{Block as Label, InstBuilder, MemFlagsData, Value};
use cranelift_frontend::Variable;
use weir_exec::{PacketView, Pipeline, PipelineEnd};

use super::fused::{Role, end};
use super::{Emit, Packet};
use crate::runtime::Registers;

/// Where packets begin and end.
pub(super) struct Batch {
    /// A packet begins here.
    head: Label,
    /// Here it has come to its end.
    pub(super) done: Label,
    /// Ends the function; its parameter is what is returned.
    pub(super) last: Label,
    /// Where the packet begins in the end, in bytes from where it began.
    start: Variable,
    inputs: usize,
    /// Whether any is read.
    pub(super) takes_inputs: bool,
    outputs: usize,
}

/// Bytes from the beginning of an [`PipelineEnd`] to the fields of its variants.
const FIELDS: i32 = 8;

impl Emit<'_, '_, '_> {
    /// Begins a packet; all that follows is of it.
    pub(super) fn begin_packet(&mut self, pipeline: &Pipeline, role: Role) -> Batch {
        let [head, done, last] = [(); 3].map(|()| self.b.create_block());
        self.b.append_block_param(last, I64);
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        let (trusted, zero) = (MemFlagsData::trusted(), self.k(0));
        if role == Role::Run {
            let (told, whither) = (self.load_context(Registers::TOLD), self.load_context(Registers::WHITHER));
            let told = self.b.ins().load(I64, trusted, told, 0);
            self.b.ins().store(trusted, told, whither, 0);
        }
        let window = self.load_context(Registers::WINDOW);
        let [memory, first, end] =
            PacketView::FIELD_OFFSETS.map(|part| self.b.ins().load(I64, trusted, window, part as i32));
        let (address, bytes) = (self.b.ins().iadd(memory, first), self.b.ins().isub(end, first));
        if role == Role::Run {
            self.store_context(Registers::PACKET, address);
            self.store_context(Registers::PACKET_BYTES, bytes);
            // It may be left before it is parsed.
            self.store_context(Registers::CONSUMED, zero);
        }
        let position = self.b.declare_var(I64);
        self.b.def_var(position, zero);
        self.position = Some(position);
        let bits = self.in_bits(bytes);
        self.packet = Some(Packet { address, bytes, bits });
        let start = self.b.declare_var(I64);
        self.b.def_var(start, zero);
        Batch {
            head,
            done,
            last,
            start,
            inputs: pipeline.inputs.len(),
            takes_inputs: false,
            outputs: pipeline.outputs,
        }
    }

    /// Bytes of room before the packet.
    pub(super) fn room(&mut self) -> Value {
        let window = self.load_context(Registers::WINDOW);
        self.b.ins().load(I64, MemFlagsData::trusted(), window, PacketView::FIELD_OFFSETS[1] as i32)
    }

    /// The packet begins here from now on, in bytes from where it began.
    pub(super) fn begins_at(&mut self, start: Value) {
        if let Some(fusion) = &self.fusion {
            let variable = fusion.batch.start;
            self.b.def_var(variable, start);
        }
    }

    /// What comes behind packets that have come to their end, and behind all of them.
    pub(super) fn end_packets(&mut self, role: Role, returns_each: bool) {
        let Some(fusion) = &self.fusion else { return };
        let Batch { head, done, last, start, outputs, .. } = fusion.batch;
        let trusted = MemFlagsData::trusted();
        self.b.switch_to_block(last);
        let what = self.b.block_params(last)[0];
        match role {
            Role::Scout => {
                self.tell_key(what);
                self.move_on_inputs();
                let more = self.next_window();
                let out = self.b.create_block();
                self.b.ins().brif(more, head, &[], out, &[]);
                self.b.switch_to_block(out);
                self.b.ins().return_(&[what]);
            }
            Role::Run => {
                self.b.ins().return_(&[what]);
                self.b.switch_to_block(done);
                let (start, room) = (self.b.use_var(start), self.room());
                let begin = self.plus(room, start);
                let ends = self.load_context(Registers::ENDS);
                let done = self.number(I32, 0);
                self.b.ins().store(trusted, done, ends, 0);
                self.b.ins().store(trusted, begin, ends, FIELDS);
                self.move_on(Registers::ENDS, size_of::<PipelineEnd>());
                self.move_on(Registers::TOLD, 8);
                self.move_on_inputs();
                self.move_on(Registers::OUTPUTS, 8 * outputs);
                let more = self.next_window();
                let done = self.k(end::DONE);
                if returns_each {
                    self.b.ins().jump(last, &[done.into()]);
                } else {
                    self.b.ins().brif(more, head, &[], last, &[done.into()]);
                }
            }
        }
    }

    /// Where a packet's key is that the scout was to look for, or 0 if its guess is another.
    fn tell_key(&mut self, guess: Value) {
        let zero = self.k(0);
        let wanted = self.load_context(Registers::WANTED);
        let found = self.compare(IntCC::Equal, guess, wanted);
        let (key, bias) = (self.load_context(Registers::OUTPUTS), self.load_context(Registers::BIAS));
        let place = self.b.ins().isub(key, bias);
        let place = self.select(found, place, zero);
        let told = self.load_context(Registers::ENDS);
        self.b.ins().store(MemFlagsData::trusted(), place, told, 0);
        self.move_on(Registers::ENDS, 8);
        let stride = self.load_context(Registers::STRIDE);
        let step = self.select(found, stride, zero);
        let next = self.b.ins().iadd(key, step);
        self.store_context(Registers::OUTPUTS, next);
    }

    /// The next packet's turn; whether there is one.
    fn next_window(&mut self) -> Value {
        self.move_on(Registers::WINDOW, size_of::<PacketView<'_>>());
        let (window, last) = (self.load_context(Registers::WINDOW), self.load_context(Registers::LAST));
        self.b.ins().icmp(IntCC::NotEqual, window, last)
    }

    fn move_on_inputs(&mut self) {
        if let Some(fusion) = &self.fusion
            && fusion.batch.takes_inputs
        {
            let inputs = fusion.batch.inputs;
            self.move_on(Registers::INPUTS, 8 * inputs);
        }
    }

    fn move_on(&mut self, register: i32, bytes: usize) {
        let (before, bytes) = (self.load_context(register), self.k(bytes as u64));
        let after = self.plus(before, bytes);
        self.store_context(register, after);
    }
}
