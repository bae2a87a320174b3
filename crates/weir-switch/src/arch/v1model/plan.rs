//! The way of a packet through all blocks without a stop: what most packets do where nothing holds them up.
//!
//! It does what [`PacketPath::ingress`](crate::path::PacketPath::ingress) and `egress` do for a unicast packet whose queue is empty and has no
//! rate. Everything else leaves it at the end of ingress or egress and goes on in the long way from there.

use weir_ir::pipeline::{End, Fused, Pipeline, Source, Stage, Test, Work};
use weir_ir::{Program, State};

use super::env::Bytes;
use super::metadata::micros;
use super::path::{Step, V1Path, dropped, reason};
use crate::buffer::Buffer;
use crate::config::SwitchConfig;
use crate::device::Port;
use crate::path::{Fate, Frame, Id, Surroundings};
use crate::stats::{DropPlace, DropReason};

/// Codes with which the pipeline is left.
const AFTER_INGRESS: u32 = 1;
const DROPPED_BY_INGRESS: u32 = 2;
const AFTER_EGRESS: u32 = 3;
const DROPPED_BY_EGRESS: u32 = 4;

/// Positions of [`Pipeline::inputs`].
const PORT: usize = 0;
const LENGTH: usize = 1;
const TIME: usize = 2;

/// The first stages; a fault in a later one is egress's.
const PARSE: usize = 0;
const INGRESS: usize = 2;

impl V1Path {
    /// The stages. A program whose metadata lacks one of the fields that come in has no such plan.
    pub(super) fn plan(&self, program: &Program, config: &SwitchConfig) -> Option<Pipeline> {
        let fields = &self.fields;
        let inputs = vec![fields.ingress_port?, fields.packet_length?, fields.ingress_global_timestamp?];
        let egress_spec = fields.egress_spec?;
        let drop_port = u64::from(config.drop_port);
        let leave = |condition, code, keep| Stage::LeaveIf { condition, code, keep };
        let asked = |code| self.asks.then_some(Stage::LeaveIfAsked { code });
        let set = |field: Option<_>, source| field.map(|field| Stage::Set(field, source));
        let zero = Source::Const(0);
        let blocks = &self.blocks;

        let mut stages = vec![
            Stage::Parse { parser: blocks.parser, error: fields.parser_error },
            Stage::Control(blocks.verify),
            Stage::Control(blocks.ingress),
        ];
        stages.extend(asked(AFTER_INGRESS));
        stages.extend(fields.mcast_grp.map(|group| leave(Test::IsNot(group, 0), AFTER_INGRESS, true)));
        stages.push(leave(Test::Is(egress_spec, drop_port), DROPPED_BY_INGRESS, false));
        if config.priorities > 1 {
            let most = config.priorities as u64;
            stages.extend(fields.priority.map(|var| leave(Test::AtLeast(var, most), AFTER_INGRESS, true)));
        }
        stages.push(Stage::Note(egress_spec, 0));
        let between = [
            set(fields.egress_port, Source::Var(egress_spec)),
            set(fields.instance_type, zero),
            set(fields.egress_spec, Source::Const(drop_port + 1)),
            set(fields.packet_length, Source::Input(LENGTH)),
            set(fields.egress_global_timestamp, Source::Input(TIME)),
            set(fields.enq_timestamp, Source::Input(TIME)),
            set(fields.enq_qdepth, zero),
            set(fields.deq_timedelta, zero),
            set(fields.deq_qdepth, zero),
        ];
        stages.extend(between.into_iter().flatten());
        stages.push(Stage::Control(blocks.egress));
        stages.extend(asked(AFTER_EGRESS));
        stages.push(leave(Test::Is(egress_spec, drop_port), DROPPED_BY_EGRESS, false));
        stages.push(Stage::Control(blocks.update));
        stages.push(Stage::Deparse(blocks.deparser));
        Some(Pipeline { inputs, stages, outputs: 1, meanings: self.calls.meanings(program, drop_port) })
    }

    /// Takes a packet the whole way; the port where it leaves, or else its fates.
    pub(super) fn run(
        &self,
        around: &mut Surroundings<'_>,
        fused: &dyn Fused,
        buffer: &mut Buffer,
        state: &mut State,
        fates: &mut Vec<Fate>,
    ) -> Option<Port> {
        let (id, port, length) = (untraced(buffer), buffer.port, buffer.len());
        let mut inputs = [0; 3];
        (inputs[PORT], inputs[LENGTH], inputs[TIME]) = (u64::from(port), length as u64, micros(around.now));
        let mut outputs = [0];
        let window = buffer.window();
        let step = Step { id, length, bytes: Bytes::Window(window), parsed: length };
        let mut env = self.env(around, &step);
        let work = Work { state, inputs: &inputs, outputs: &mut outputs };
        let end = fused.run(window, work, &mut env);
        let signals = std::mem::take(&mut env.signals);
        // Where its queue is; egress may write the field of that name, which changes nothing.
        let egress_port = outputs[0] as Port;
        let frame = |parsed| Frame {
            id,
            bytes: buffer.bytes().to_vec(),
            parsed,
            state: state.clone(),
            length,
            truncate: None,
            recirculate: None,
            generation: 0,
        };
        match end {
            End::Done { start } => {
                buffer.set_start(start);
                return Some(egress_port);
            }
            End::Left { code: AFTER_INGRESS, consumed } => {
                self.after_ingress(around, (port, &[]), frame(consumed), signals, fates);
            }
            End::Left { code: AFTER_EGRESS, consumed } => {
                self.after_egress(around, egress_port, frame(consumed), signals, fates);
            }
            End::Left { code: DROPPED_BY_EGRESS, .. } => {
                fates.push(dropped(DropPlace::Egress, DropReason::DropPort, id));
            }
            End::Left { .. } => fates.push(dropped(DropPlace::Ingress, DropReason::DropPort, id)),
            End::NoRoom { consumed } => {
                let mut frame = frame(consumed);
                let mut bytes = Vec::with_capacity(2 * length);
                fates.push(match self.emit(around, &mut frame, &mut bytes) {
                    Ok(()) => Fate::Transmit { port: egress_port, id, bytes },
                    Err(fault) => dropped(DropPlace::Egress, reason(fault), id),
                });
            }
            End::Fault { fault, stage } => {
                let place = match stage {
                    PARSE => DropPlace::Parser,
                    1..=INGRESS => DropPlace::Ingress,
                    _ => DropPlace::Egress,
                };
                fates.push(dropped(place, reason(fault), id));
            }
        }
        None
    }
}

/// Nothing is traced where packets go straight through.
fn untraced(buffer: &Buffer) -> Id {
    Id { packet: buffer.id, copy: 0 }
}
