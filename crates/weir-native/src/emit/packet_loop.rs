//! The loop over the packets of a batch in a pipeline's function: the code before and after each
//! packet.
//!
//! [`Registers`] point to the running packet and to its data; these pointers advance together.
//! The function returns after the last packet, after a packet for which it called the environment
//! (so that the environment learns which packet is next), and after a packet that does not run
//! through all stages.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::types::{I32, I64};
use cranelift_codegen::ir::{InstBuilder, MemFlagsData, Value};
use weir_exec::{PacketView, Pipeline, PipelineEnd, Stage};

use super::scope::{PacketLoop, PipelineFunction};
use super::{Emit, Packet};
use crate::abi::Registers;
use crate::abi::status::end;

/// Bytes from the start of a [`PipelineEnd`] to the fields of its variants.
pub(crate) const END_FIELDS: i32 = 8;

impl Emit<'_, '_, '_> {
    /// Begins the code for a packet.
    pub(super) fn begin_packet(&mut self, pipeline: &Pipeline, function: PipelineFunction) -> PacketLoop {
        let [head, done, exit] = [(); 3].map(|()| self.b.create_block());
        self.b.append_block_param(exit, I64);
        self.b.ins().jump(head, &[]);
        self.b.switch_to_block(head);
        let (trusted, zero) = (MemFlagsData::trusted(), self.iconst(0));
        if function == PipelineFunction::Run {
            let selector = self.load_context(Registers::SELECTORS);
            let target = self.load_context(Registers::SELECTOR_TARGET);
            let selector = self.b.ins().load(I64, trusted, selector, 0);
            self.b.ins().store(trusted, selector, target, 0);
        }
        let view = self.load_context(Registers::PACKET_VIEW);
        let [memory, first, end] =
            PacketView::FIELD_OFFSETS.map(|offset| self.b.ins().load(I64, trusted, view, offset as i32));
        let (address, bytes) = (self.b.ins().iadd(memory, first), self.b.ins().isub(end, first));
        if function == PipelineFunction::Run {
            self.store_context(Registers::PACKET, address);
            self.store_context(Registers::PACKET_BYTES, bytes);
            // The pipeline may be left before the packet is parsed.
            self.store_context(Registers::CONSUMED, zero);
            if pipeline.stages().contains(&Stage::Restart) {
                self.store_context(Registers::PACKET_START, first);
                self.store_context(Registers::RESTARTS, zero);
            }
        }
        let position = self.b.declare_var(I64);
        self.b.def_var(position, zero);
        self.position = Some(position);
        let bits = self.bytes_to_bits(bytes);
        self.packet = Some(Packet { address, bytes, bits });
        let start = self.b.declare_var(I64);
        self.b.def_var(start, zero);
        let (inputs, outputs) = (pipeline.inputs().len(), pipeline.outputs());
        PacketLoop { head, done, exit, start, base: None, inputs, reads_inputs: false, outputs }
    }

    /// Returns the number of bytes of the packet.
    pub(super) fn packet_length(&mut self) -> Value {
        self.packet.map(|packet| packet.bytes).unwrap_or_else(|| self.iconst(0))
    }

    /// Emits code for the number of free bytes before the packet.
    pub(super) fn headroom(&mut self) -> Value {
        let window = self.load_context(Registers::PACKET_VIEW);
        let flags = MemFlagsData::trusted();
        let initial = self.b.ins().load(I64, flags, window, PacketView::FIELD_OFFSETS[1] as i32);
        match self.scope.as_ref().and_then(|scope| scope.packets.base) {
            Some(base) => self.plus(initial, base),
            None => initial,
        }
    }

    /// Emits code after which the packet begins with the headers that the deparser wrote. `number`
    /// is the number of restarts so far.
    pub(super) fn restart_packet(&mut self, number: usize) {
        let Some(scope) = &self.scope else { return };
        let (start, base, consumed) = (scope.packets.start, scope.packets.base, scope.consumed);
        let (moved, zero) = (self.b.use_var(start), self.iconst(0));
        self.b.def_var(start, zero);
        self.b.def_var(consumed, zero);
        let base = base.map_or(moved, |base| self.plus(base, moved));
        if let Some(scope) = &mut self.scope {
            scope.packets.base = Some(base);
        }
        if let (Some(Packet { address, bytes, .. }), Some(position)) = (self.packet, self.position) {
            let (address, bytes) = (self.plus(address, moved), self.minus(bytes, moved));
            self.b.def_var(position, zero);
            self.packet = Some(Packet { address, bytes, bits: self.bytes_to_bits(bytes) });
            self.store_context(Registers::PACKET, address);
            self.store_context(Registers::PACKET_BYTES, bytes);
        }
        self.store_context(Registers::CONSUMED, zero);
        let (first, number) = (self.headroom(), self.iconst(number as u64));
        self.store_context(Registers::PACKET_START, first);
        self.store_context(Registers::RESTARTS, number);
    }

    /// Sets the packet's first byte, relative to its previous first byte.
    pub(super) fn set_packet_start(&mut self, start: Value) {
        if let Some(scope) = &self.scope {
            let variable = scope.packets.start;
            self.b.def_var(variable, start);
        }
    }

    /// Emits the code that follows each packet, and the code that follows the last packet.
    pub(super) fn end_packets(&mut self, function: PipelineFunction, returns_each: bool) {
        let Some(scope) = &self.scope else { return };
        let PacketLoop { head, done, exit, start, outputs, .. } = scope.packets;
        let trusted = MemFlagsData::trusted();
        self.b.switch_to_block(exit);
        let returned = self.b.block_params(exit)[0];
        match function {
            PipelineFunction::PredictKeys => {
                self.report_selector(returned);
                self.advance_inputs();
                let more = self.next_packet();
                let exit_block = self.b.create_block();
                self.b.ins().brif(more, head, &[], exit_block, &[]);
                self.b.switch_to_block(exit_block);
                self.b.ins().return_(&[returned]);
            }
            PipelineFunction::Run => {
                self.b.ins().return_(&[returned]);
                self.b.switch_to_block(done);
                let (start, headroom) = (self.b.use_var(start), self.headroom());
                let begin = self.plus(headroom, start);
                let ends = self.load_context(Registers::ENDS);
                let done = self.typed_const(I32, 0);
                self.b.ins().store(trusted, done, ends, 0);
                self.b.ins().store(trusted, begin, ends, END_FIELDS);
                self.advance_register(Registers::ENDS, size_of::<PipelineEnd>());
                self.advance_register(Registers::SELECTORS, 8);
                self.advance_inputs();
                self.advance_register(Registers::OUTPUTS, 8 * outputs);
                let more = self.next_packet();
                let done = self.iconst(end::DONE);
                if returns_each {
                    self.b.ins().jump(exit, &[done.into()]);
                } else {
                    self.b.ins().brif(more, head, &[], exit, &[done.into()]);
                }
            }
        }
    }

    /// Advances to the next packet. Returns whether there is one.
    fn next_packet(&mut self) -> Value {
        self.advance_register(Registers::PACKET_VIEW, size_of::<PacketView<'_>>());
        let view = self.load_context(Registers::PACKET_VIEW);
        let last = self.load_context(Registers::LAST_VIEW);
        self.b.ins().icmp(IntCC::NotEqual, view, last)
    }

    fn advance_inputs(&mut self) {
        if let Some(scope) = &self.scope
            && scope.packets.reads_inputs
        {
            let inputs = scope.packets.inputs;
            self.advance_register(Registers::INPUTS, 8 * inputs);
        }
    }

    pub(super) fn advance_register(&mut self, register: i32, bytes: usize) {
        let (before, bytes) = (self.load_context(register), self.iconst(bytes as u64));
        let after = self.plus(before, bytes);
        self.store_context(register, after);
    }
}
