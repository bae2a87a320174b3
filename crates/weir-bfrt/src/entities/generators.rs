//! Changes and reads the applications, the buffer and the ports of packet generators. A request for
//! all pipes is about the only pipe.

use weir_device::Port;
use weir_grpc::{Code, Problem};
use weir_ir::Bits;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::update::Type;
use weir_switch::control::{
    BUFFER_BYTES, Control, GeneratorApp, GeneratorCounts, GeneratorPort, GeneratorTrigger, Update,
};

use super::device::{defaults, given_fields};
use super::target::PIPE;
use super::writer::{Wanted, Writer};
use crate::info::{DeviceInfo, Table, generator_ids as f};
use crate::matches::{fields, index};
use crate::notes::{Notes, WithAction, merge};
use crate::values::{Data, write_flag, write_numbers, write_uint};

/// The fields with counts, which the switch keeps.
const COUNTS: [u32; 3] = [f::BATCH_COUNT, f::PACKET_COUNT, f::TRIGGER_COUNT];

/// Returns the settings of an application with these data; `None` if it makes no packets.
fn app(data: &Data<'_>) -> Result<Option<GeneratorApp>, Problem> {
    if data.flag(f::ENABLE) != Some(true) {
        return Ok(None);
    }
    let number = |id| data.uint(id).unwrap_or(0);
    let bits = |id| data.number(id).and_then(Bits::to_u128).unwrap_or(0);
    let trigger = match data.action.map(|action| action.id) {
        Some(f::ONE_SHOT) => GeneratorTrigger::Once(number(f::TIMER)),
        Some(f::PERIODIC) => GeneratorTrigger::Periodic(number(f::TIMER)),
        Some(f::PORT_DOWN) => GeneratorTrigger::PortDown(None),
        Some(_) => GeneratorTrigger::Recirculated { value: bits(f::PATTERN), mask: bits(f::PATTERN_MASK) },
        None => return Err(Problem::invalid("an application needs an action, which is its trigger")),
    };
    Ok(Some(GeneratorApp {
        trigger,
        offset: number(f::OFFSET) as usize,
        length: number(f::LENGTH) as usize,
        source_port: number(f::SOURCE_PORT) as Port,
        increments_source_port: data.flag(f::INCREMENT) == Some(true),
        batches: number(f::BATCHES) as u32 + 1,
        packets_per_batch: number(f::PACKETS) as u32 + 1,
        batch_gap: (number(f::BATCH_GAP), number(f::BATCH_JITTER)),
        packet_gap: (number(f::PACKET_GAP), number(f::PACKET_JITTER)),
    }))
}

/// Returns the position and the length that a key of the buffer names.
fn part_of_buffer(table: &Table, key: &bfrt::TableKey) -> Result<(usize, usize), Problem> {
    use bfrt::key_field::MatchType;
    let fields = fields(table, key)?;
    let number = |place: usize| match fields[place].and_then(|field| field.match_type.as_ref()) {
        Some(MatchType::Exact(exact)) => {
            let value = crate::values::number(&table.keys[place].name, 32, &exact.value)?;
            Ok(value.low_u64() as usize)
        }
        Some(_) => Err(Problem::invalid(format!("`{}` is matched Exact", table.keys[place].name))),
        None => Ok(0),
    };
    let (offset, length) = (number(0)?, number(1)?);
    match offset + length <= BUFFER_BYTES {
        true => Ok((offset, length)),
        false => Err(Problem::invalid(format!("the buffer has {BUFFER_BYTES} bytes"))),
    }
}

/// Returns the action and the data of an application.
pub(super) fn read_app(table: &Table, notes: &Notes, control: &Control<'_>, app: u32) -> WithAction {
    let known = notes.generators.get(&app);
    let (action, mut data) = known.cloned().unwrap_or_else(|| (f::ONE_SHOT, defaults(table)));
    let (_, counts) = control.generator(PIPE, app as u8);
    data.retain(|field| !COUNTS.contains(&field.field_id));
    let counts = COUNTS.into_iter().zip([counts.batches, counts.packets, counts.triggers]);
    data.extend(counts.map(|(id, count)| write_uint(id, 64, count)));
    (action, data)
}

/// Returns the data of a port.
pub(super) fn read_port(info: &DeviceInfo, control: &Control<'_>, port: u32) -> Vec<bfrt::DataField> {
    let settings = control.generator_port(port);
    vec![
        write_flag(f::RECIRCULATES, info.chip.recirculates()(port)),
        write_flag(f::GENERATES, settings.generates),
        write_flag(f::MATCHES, settings.matches_patterns),
        write_flag(f::REARMS, false),
    ]
}

/// Returns the bytes of the part of the buffer that a key names.
pub(super) fn read_buffer(
    table: &Table,
    control: &Control<'_>,
    key: &bfrt::TableKey,
) -> Result<Vec<bfrt::DataField>, Problem> {
    let (offset, length) = part_of_buffer(table, key)?;
    let written = control.generator_buffer(PIPE);
    let byte = |at: usize| u32::from(written.get(at).copied().unwrap_or(0));
    Ok(vec![write_numbers(f::BYTES, (offset..offset + length).map(byte).collect())])
}

impl Writer<'_, '_, '_> {
    pub(super) fn generator_app(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        if wanted.is_for_all() && matches!(wanted.kind, Type::Delete | Type::Reset) {
            return (0..table.size as u32).try_for_each(|app| self.remove_app(app));
        }
        let number = index(table, wanted.key()?)?;
        if u64::from(number) >= table.size {
            return Err(Problem::invalid(format!("`app_id` is at most {}, not {number}", table.size - 1)));
        }
        match wanted.kind {
            Type::Delete | Type::Reset => return self.remove_app(number),
            Type::Insert | Type::Modify => {}
            _ => return Err(wanted.unsupported(table)),
        }
        let known = self.notes.generators.get(&number).cloned();
        let (old_action, mut fields) = known.unwrap_or_else(|| (0, defaults(table)));
        let action_id = wanted.data.action.map_or(old_action, |action| action.id);
        if action_id != old_action {
            // Parameters of another action have no meaning.
            fields.retain(|field| table.data.iter().any(|known| known.id == field.field_id));
        }
        merge(&mut fields, given_fields(wanted));
        fields.retain(|field| !COUNTS.contains(&field.field_id));
        let all = bfrt::TableData { action_id, fields };
        let config = app(&Data::read(table, Some(&all))?)?;
        let given = COUNTS.map(|id| wanted.data.uint(id));
        if given.iter().any(Option::is_some) {
            let (_, old) = self.control().generator(PIPE, number as u8);
            let [batches, packets, triggers] = given;
            let counts = GeneratorCounts {
                batches: batches.unwrap_or(old.batches),
                packets: packets.unwrap_or(old.packets),
                triggers: triggers.unwrap_or(old.triggers),
            };
            self.change(&Update::SetGeneratorCounts { pipe: PIPE, app: number as u8, counts })?;
        }
        // Settings that stay the same must not start a timer again.
        if self.control().generator(PIPE, number as u8).0 != config {
            self.change(&Update::SetGenerator { pipe: PIPE, app: number as u8, config })?;
        }
        self.notes.generators.insert(number, (all.action_id, all.fields));
        Ok(())
    }

    fn remove_app(&mut self, app: u32) -> Result<(), Problem> {
        let (pipe, number) = (PIPE, app as u8);
        self.change(&Update::SetGenerator { pipe, app: number, config: None })?;
        let counts = GeneratorCounts::default();
        self.change(&Update::SetGeneratorCounts { pipe, app: number, counts })?;
        self.notes.generators.remove(&app);
        Ok(())
    }

    pub(super) fn generator_port(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        let is_reset = matches!(wanted.kind, Type::Delete | Type::Reset);
        if !is_reset && !matches!(wanted.kind, Type::Insert | Type::Modify) {
            return Err(wanted.unsupported(table));
        }
        if wanted.is_for_all() && is_reset {
            let settings = GeneratorPort::default();
            return self
                .info
                .generator_ports()
                .try_for_each(|port| self.change(&Update::SetGeneratorPort { port, settings }).map(drop));
        }
        let port = index(table, wanted.key()?)?;
        if !self.info.has_port(port) {
            return Err(Problem::not_found(format!("the chip has no port {port}")));
        }
        if wanted.data.flag(f::RECIRCULATES).is_some_and(|on| on != self.info.chip.recirculates()(port)) {
            let why = format!("the port {port} cannot be changed between recirculation and an interface");
            return Err(Problem::new(Code::Unimplemented, why));
        }
        let old = if is_reset { GeneratorPort::default() } else { self.control().generator_port(port) };
        let settings = GeneratorPort {
            generates: wanted.data.flag(f::GENERATES).unwrap_or(old.generates),
            matches_patterns: wanted.data.flag(f::MATCHES).unwrap_or(old.matches_patterns),
        };
        self.change(&Update::SetGeneratorPort { port, settings })?;
        if wanted.data.flag(f::REARMS) == Some(true) {
            self.change(&Update::RearmGenerator { port })?;
        }
        Ok(())
    }

    pub(super) fn generator_buffer(&mut self, table: &Table, wanted: &Wanted<'_>) -> Result<(), Problem> {
        let (offset, length, bytes) = match wanted.kind {
            Type::Delete | Type::Reset if wanted.is_for_all() => (0, BUFFER_BYTES, vec![0; BUFFER_BYTES]),
            Type::Insert | Type::Modify => {
                let (offset, length) = part_of_buffer(table, wanted.key()?)?;
                let bytes =
                    wanted.data.raw(f::BYTES).ok_or_else(|| Problem::invalid("the data have no `buffer`"))?;
                (offset, length, bytes.to_vec())
            }
            _ => return Err(wanted.unsupported(table)),
        };
        if bytes.len() != length {
            let has = bytes.len();
            return Err(Problem::invalid(format!("`pkt_buffer_size` is {length}; `buffer` has {has} bytes")));
        }
        self.change(&Update::WriteGeneratorBuffer { pipe: PIPE, offset, bytes }).map(drop)
    }
}
