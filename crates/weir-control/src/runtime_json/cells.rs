//! Counters, meters and registers, in the shape of P4Runtime's entries for them.

use weir_json::{Diagnostic, Kind, Node};
use weir_switch::control::{CounterValue, EntryRef, MeterConfig, Update};

use super::{named, optional_number, tables};
use crate::meter_rates::read_meter_rate;
use crate::{Cells, Names};

/// An element of `counter_entries`; of a direct counter, the index is an entry's handle.
pub(super) fn counter(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    node.only(&["counter", "index", "data"])?;
    let cells = named(node, "counter", |name| names.counter(name))?;
    let index = index(node.require("index")?)?;
    let value = counts(node.require("data")?)?;
    Ok(match cells {
        Cells::Indexed(counter) => Update::WriteCounter { counter, index, value },
        Cells::Direct(table) => Update::WriteDirectCounter { table, entry: EntryRef::Handle(index), value },
    })
}

/// An element of `direct_counter_entries`.
pub(super) fn direct_counter(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    node.only(&["table", "match", "priority", "data"])?;
    let (table, entry) = tables::entry_ref(names, node)?;
    Ok(Update::WriteDirectCounter { table, entry, value: counts(node.require("data")?)? })
}

/// An element of `meter_entries`; without index, all cells. Of a direct meter, the index is an
/// entry's handle.
pub(super) fn meter(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    node.only(&["meter", "index", "config"])?;
    let cells = named(node, "meter", |name| names.meter(name))?;
    let config = Some(rates(node.require("config")?)?);
    Ok(match (cells, node.get("index").map(index).transpose()?) {
        (Cells::Indexed(meter), Some(index)) => Update::WriteMeter { meter, index, config },
        (Cells::Indexed(meter), None) => Update::WriteMeterArray { meter, config },
        (Cells::Direct(table), Some(index)) => {
            Update::WriteDirectMeter { table, entry: EntryRef::Handle(index), config }
        }
        (Cells::Direct(table), None) => Update::WriteDirectMeterArray { table, config },
    })
}

/// An element of `direct_meter_entries`.
pub(super) fn direct_meter(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    node.only(&["table", "match", "priority", "config"])?;
    let (table, entry) = tables::entry_ref(names, node)?;
    Ok(Update::WriteDirectMeter { table, entry, config: Some(rates(node.require("config")?)?) })
}

/// An element of `register_entries`.
pub(super) fn register(names: Names<'_>, node: Node<'_>) -> Result<Update, Diagnostic> {
    node.only(&["register", "index", "data"])?;
    let register = named(node, "register", |name| names.register(name))?;
    let index = index(node.require("index")?)?;
    let data = node.require("data")?;
    let value = names.read_cell(register, data.value()).map_err(|error| error.at(data))?;
    Ok(Update::WriteRegister { register, index, value })
}

fn index(node: Node<'_>) -> Result<u64, Diagnostic> {
    node.integer("an index", 0, u64::MAX)
}

fn counts(node: Node<'_>) -> Result<CounterValue, Diagnostic> {
    node.only(&["packet_count", "byte_count"])?;
    let count = |key| optional_number(node, key, "a count", 0, u64::MAX);
    let (packets, bytes) = (count("packet_count")?, count("byte_count")?);
    Ok(CounterValue { packets: packets.unwrap_or(0), bytes: bytes.unwrap_or(0) })
}

fn rates(node: Node<'_>) -> Result<MeterConfig, Diagnostic> {
    node.only(&["cir", "cburst", "pir", "pburst", "eburst"])?;
    let burst = |key| node.require(key)?.integer("a burst", 0, u64::MAX);
    let rate = |key| {
        let given = node.require(key)?;
        match &given.value().kind {
            Kind::Number(text) => read_meter_rate(text).map_err(|error| error.at(given)),
            _ => Err(given.expected("a rate in units per second, a number")),
        }
    };
    Ok(MeterConfig {
        committed_rate: rate("cir")?,
        committed_burst: burst("cburst")?,
        peak_rate: rate("pir")?,
        peak_burst: burst("pburst")?,
        excess_burst: node.get("eburst").map_or(Ok(0), |_| burst("eburst"))?,
    })
}
