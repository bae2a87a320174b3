//! The tables with which clients see ports and the device. A connector has four ports, which are
//! its channels; the port 5 is the channel 1 of the connector 2, with the name `2/1`.

use weir_grpc::Problem;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::key_field as part;
use weir_p4runtime_proto::bfrt::key_field::MatchType;
use weir_switch::PortStats;
use weir_switch::arch::Chip;
use weir_switch::control::Control;

use crate::info::{FieldType, Object, Table};
use crate::matches;
use crate::values::{write_flag, write_numbers, write_text, write_uint};

/// The number of ports of a connector.
const CHANNELS: u32 = 4;

/// Returns the number of stages of a chip.
fn stages(chip: Chip) -> u64 {
    match chip {
        Chip::Tofino1 => 12,
        Chip::Tofino2 => 20,
    }
}

/// Returns the connector and the channel of a port.
fn connector(port: u32) -> (u32, u32) {
    (port / CHANNELS + 1, port % CHANNELS)
}

fn name(port: u32) -> String {
    let (connector, channel) = connector(port);
    format!("{connector}/{channel}")
}

/// Returns the settings and the state of a port that a client has added.
pub fn settings(
    table: &Table,
    noted: &[bfrt::DataField],
    port: u32,
    control: &Control<'_>,
) -> Vec<bfrt::DataField> {
    let id = |name| table.data_id(name);
    let (connector, channel) = connector(port);
    let mut fields = noted.to_vec();
    fields.extend([
        write_text(id("$MEDIA_TYPE"), "BF_MEDIA_TYPE_UNKNOWN"),
        write_flag(id("$IS_VALID"), true),
        write_flag(id("$IS_INTERNAL"), false),
        write_uint(id("$CONN_ID"), 32, connector.into()),
        write_uint(id("$CHNL_ID"), 32, channel.into()),
        write_flag(id("$PORT_UP"), control.is_port_up(port)),
        write_text(id("$PORT_NAME"), &name(port)),
    ]);
    fields
}

/// Returns the counts of a port.
pub fn counts(table: &Table, counts: &PortStats) -> Vec<bfrt::DataField> {
    let value = |name: &str| match (name.contains("Octets"), name.contains("Received")) {
        (false, true) => counts.packets_in,
        (false, false) => counts.packets_out,
        (true, true) => counts.bytes_in,
        (true, false) => counts.bytes_out,
    };
    table.data.iter().map(|field| write_uint(field.id, 64, value(&field.name))).collect()
}

/// Finds the port that a key names by its connector and channel, or by its name.
///
/// # Errors
/// The key is wrong, or the switch has no such port.
pub fn read_key(table: &Table, key: &bfrt::TableKey, control: &Control<'_>) -> Result<u32, Problem> {
    let fields = matches::fields(table, key)?;
    let exact = |place: usize| match fields[place].and_then(|field| field.match_type.as_ref()) {
        Some(MatchType::Exact(exact)) => Ok(exact.value.as_slice()),
        _ => Err(Problem::invalid(format!("`{}` is matched Exact", table.keys[place].name))),
    };
    let found = if table.object == Object::PortsByName {
        let wanted = exact(0)?;
        control.ports().find(|port| name(*port).as_bytes() == wanted)
    } else {
        let number = |place: usize| -> Result<u64, Problem> {
            let known = &table.keys[place];
            crate::values::number(&known.name, 32, exact(place)?).map(|value| value.low_u64())
        };
        let wanted = (number(0)?, number(1)?);
        control.ports().find(|port| {
            let (connector, channel) = connector(*port);
            (u64::from(connector), u64::from(channel)) == wanted
        })
    };
    found.ok_or_else(|| Problem::not_found(format!("`{}` has no such port", table.name)))
}

/// Writes the key of a port in a table of ports by connector or by name.
pub fn write_key(table: &Table, port: u32) -> bfrt::TableKey {
    let (connector, channel) = connector(port);
    let field = |(place, value): (usize, Vec<u8>)| {
        let match_type = Some(MatchType::Exact(part::Exact { value }));
        bfrt::KeyField { field_id: table.keys[place].id, match_type }
    };
    let values = match table.keys[0].ty {
        FieldType::Text(_) => vec![name(port).into_bytes()],
        _ => vec![connector.to_be_bytes().to_vec(), channel.to_be_bytes().to_vec()],
    };
    bfrt::TableKey { fields: values.into_iter().enumerate().map(field).collect() }
}

/// Describes the device, without its settings.
pub fn device(table: &Table, chip: Chip, control: &Control<'_>) -> Vec<bfrt::DataField> {
    let id = |name| table.data_id(name);
    let recirculates = chip.recirculates();
    let (internal, external): (Vec<u32>, Vec<u32>) =
        control.ports().filter(|port| *port != chip.cpu_port()).partition(|port| recirculates(*port));
    let recirculating: Vec<u32> = (0..chip.ports_per_pipe()).filter(|port| recirculates(*port)).collect();
    let count = external.len() as u64;
    vec![
        write_text(id("sku"), "UNKNOWN"),
        write_uint(id("num_pipes"), 32, 1),
        write_uint(id("num_stages"), 32, stages(chip)),
        write_uint(id("num_max_ports"), 32, count),
        write_uint(id("num_front_ports"), 32, count),
        write_uint(id("pcie_cpu_port"), 32, chip.pcie_port().into()),
        write_numbers(id("eth_cpu_port_list"), vec![chip.cpu_port()]),
        write_numbers(id("internal_port_list"), internal),
        write_numbers(id("external_port_list"), external),
        write_numbers(id("recirc_port_list"), recirculating),
        write_flag(id("intr_based_link_monitoring"), false),
    ]
}
