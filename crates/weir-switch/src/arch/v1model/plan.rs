//! The way of a packet through all blocks without a stop: what most packets do where nothing holds them up.
//!
//! It does what [`PacketPath::ingress`](crate::path::PacketPath::ingress) and `egress` do for a unicast packet whose queue is empty and has no
//! rate. Everything else leaves it at the end of ingress or egress and goes on in the long way from there.

use weir_ir::pipeline::{End, Pipeline, Source, Stage, Test, Work};
use weir_ir::{Program, Table};

use super::env::{Bytes, Signals};
use super::metadata::micros;
use super::path::{Step, V1Path, dropped, reason};
use crate::buffer::Buffer;
use crate::config::SwitchConfig;
use crate::device::Port;
use crate::path::{Fate, Frame, Id, Straight, Surroundings};
use crate::stats::{DropPlace, DropReason};
use crate::tables::supports_timeout;

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
        let meanings = self.calls.meanings(program, drop_port);
        let plain = |table: &Table| {
            table.implementation.is_none() && table.attached.is_empty() && !supports_timeout(table)
        };
        let tables = program.tables.iter();
        let steady = tables.filter(|(_, table)| plain(table)).map(|(id, _)| id).collect();
        Some(Pipeline { inputs, stages, outputs: 1, meanings, steady })
    }

    /// Takes packets the whole way; see [`PacketPath::forward`](crate::path::PacketPath::forward).
    pub(super) fn run(
        &self,
        around: &mut Surroundings<'_>,
        straight: &mut Straight,
        buffers: &mut [Buffer],
        fates: &mut Vec<Fate>,
    ) -> usize {
        let Straight { fused, state, drops, hashed, scouts } = straight;
        let time = micros(around.now);
        let inputs = |port: Port, length: usize| {
            let mut inputs = [0; 3];
            (inputs[PORT], inputs[LENGTH], inputs[TIME]) = (u64::from(port), length as u64, time);
            inputs
        };
        let nothing = Step { id: UNKNOWN, length: 0, bytes: Bytes::Slice(&[]), parsed: 0 };
        let mut env = self.env(around, &nothing);
        std::mem::swap(&mut env.hashed, hashed);
        fused.begin(&mut env);
        let (mut taken, mut rest) = (0, buffers);
        let stopped = 'all: loop {
            if rest.is_empty() {
                break None;
            }
            scouts.look(&**fused, env.around.runtime, rest, |buffer| inputs(buffer.port, buffer.len()));
            let (some, others) = rest.split_at_mut(scouts.ahead(rest.len()));
            rest = others;
            let before = taken;
            for buffer in some {
                taken += 1;
                let (port, length) = (buffer.port, buffer.len());
                // Nothing is traced where packets go straight through.
                env.id = Id { packet: buffer.id, copy: 0 };
                let (window, start, out) = buffer.parts();
                (env.length, env.bytes, env.parsed) = (length, Bytes::Window(window), length);
                if self.asks {
                    env.signals = Signals::default();
                }
                env.colours.clear();
                let mut outputs = [0];
                let work = Work { state, inputs: &inputs(port, length), outputs: &mut outputs };
                let end = fused.run(window, work, &mut env);
                env.around.runtime.turn.end();
                // Where its queue is; egress may write the field of that name, which changes nothing.
                let egress_port = outputs[0] as Port;
                let lost = match end {
                    End::Done { start: first } => {
                        (*start, *out) = (first, Some(egress_port));
                        continue;
                    }
                    End::Left { code: DROPPED_BY_INGRESS, .. } => (DropPlace::Ingress, DropReason::DropPort),
                    End::Left { code: DROPPED_BY_EGRESS, .. } => (DropPlace::Egress, DropReason::DropPort),
                    End::Fault { fault, stage: PARSE } => (DropPlace::Parser, reason(fault)),
                    End::Fault { fault, stage: 1..=INGRESS } => (DropPlace::Ingress, reason(fault)),
                    End::Fault { fault, .. } => (DropPlace::Egress, reason(fault)),
                    End::Left { .. } | End::NoRoom { .. } => {
                        scouts.passed(taken - before);
                        break 'all Some((end, port, egress_port, window));
                    }
                };
                match drops.iter_mut().find(|(known, _)| *known == lost) {
                    Some((_, count)) => *count += 1,
                    None => drops.push((lost, 1)),
                }
            }
            scouts.passed(taken - before);
        };
        fused.finish(&mut env);
        std::mem::swap(&mut env.hashed, hashed);
        let (id, length, signals) = (env.id, env.length, std::mem::take(&mut env.signals));
        let Some((end, port, egress_port, window)) = stopped else { return taken };
        let frame = |parsed| Frame {
            id,
            bytes: window.to_vec(0),
            parsed,
            state: state.clone(),
            length,
            truncate: None,
            recirculate: None,
            generation: 0,
        };
        match end {
            End::Left { code: AFTER_INGRESS, consumed } => {
                self.after_ingress(around, (port, &[]), frame(consumed), signals, fates);
            }
            End::NoRoom { consumed } => {
                let mut frame = frame(consumed);
                let mut bytes = Vec::with_capacity(2 * length);
                fates.push(match self.emit(around, &mut frame, &mut bytes) {
                    Ok(()) => Fate::Transmit { port: egress_port, id, bytes },
                    Err(fault) => dropped(DropPlace::Egress, reason(fault), id),
                });
            }
            End::Left { consumed, .. } => {
                self.after_egress(around, egress_port, frame(consumed), signals, fates);
            }
            End::Done { .. } | End::Fault { .. } => unreachable!("they do not stop the others"),
        }
        taken
    }
}

/// No packet yet.
const UNKNOWN: Id = Id { packet: 0, copy: 0 };
