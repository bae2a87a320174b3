//! Reads counters, meters and registers, which have the structure of P4Runtime's entries.

use weir_json::{Diagnostic, Kind, Mistakes, Node, Object};
use weir_switch::control::{CounterValue, EntryRef, MeterConfig, Update};

use super::{find_object, tables};
use crate::meter_rates::read_meter_rate;
use crate::{Cells, Names};

/// Reads an element of `counter_entries`; for a direct counter, the index is an entry's handle.
pub(super) fn counter(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut object = node.object(&["counter", "index", "data"]);
    let cells = find_object(&mut object, "counter", |name| names.counter(name));
    let index = object.required("index", index);
    let value = object.required("data", counts);
    object.finish(|| {
        let (index, value) = (index?, value?);
        Some(match cells? {
            Cells::Indexed(counter) => Update::WriteCounter { counter, index, value },
            Cells::Direct(table) => {
                Update::WriteDirectCounter { table, entry: EntryRef::Handle(index), value }
            }
        })
    })
}

/// Reads an element of `direct_counter_entries`.
pub(super) fn direct_counter(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut object = node.object(&["table", "match", "priority", "data"]);
    let entry = tables::entry_ref(names, &mut object);
    let value = object.required("data", counts);
    object.finish(|| {
        let (table, entry) = entry?;
        Some(Update::WriteDirectCounter { table, entry, value: value? })
    })
}

/// Returns an element of `meter_entries`; without an index, it sets all cells. For a direct meter,
/// the index is an entry's handle.
pub(super) fn meter(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut object = node.object(&["meter", "index", "config"]);
    let cells = find_object(&mut object, "meter", |name| names.meter(name));
    let index = object.optional("index", index);
    let config = object.required("config", rates);
    object.finish(|| {
        Some(match (cells?, index) {
            (Cells::Indexed(meter), Some(index)) => Update::WriteMeter { meter, index, config },
            (Cells::Indexed(meter), None) => Update::WriteMeterArray { meter, config },
            (Cells::Direct(table), Some(index)) => {
                Update::WriteDirectMeter { table, entry: EntryRef::Handle(index), config }
            }
            (Cells::Direct(table), None) => Update::WriteDirectMeterArray { table, config },
        })
    })
}

/// Reads an element of `direct_meter_entries`.
pub(super) fn direct_meter(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut object = node.object(&["table", "match", "priority", "config"]);
    let entry = tables::entry_ref(names, &mut object);
    let config = object.required("config", rates);
    object.finish(|| {
        let (table, entry) = entry?;
        Some(Update::WriteDirectMeter { table, entry, config })
    })
}

/// Reads an element of `register_entries`.
pub(super) fn register(names: Names<'_>, node: Node<'_>) -> Result<Update, Mistakes> {
    let mut object = node.object(&["register", "index", "data"]);
    let register = find_object(&mut object, "register", |name| names.register(name));
    let index = object.required("index", index);
    // The type of a cell is known only if the register is.
    let value = object.required("data", |data| match register {
        Some(register) => {
            names.read_cell(register, data.value()).map(Some).map_err(|error| error.at_node(data))
        }
        None => Ok(None),
    });
    object.finish(|| Some(Update::WriteRegister { register: register?, index: index?, value: value?? }))
}

/// Reads the index of a cell.
fn index(node: Node<'_>) -> Result<u64, Diagnostic> {
    node.integer("an index", 0, u64::MAX)
}

/// Reads the counts of a counter's cell.
fn counts(node: Node<'_>) -> Result<CounterValue, Mistakes> {
    let mut object = node.object(&["packet_count", "byte_count"]);
    let mut count = |key| object.optional_or(key, 0, |count| count.integer("a count", 0, u64::MAX));
    let (packets, bytes) = (count("packet_count"), count("byte_count"));
    object.finish(|| Some(CounterValue { packets: packets?, bytes: bytes? }))
}

/// Reads the rates of a meter's cell.
fn rates(node: Node<'_>) -> Result<MeterConfig, Mistakes> {
    let mut object = node.object(&["cir", "cburst", "pir", "pburst", "eburst"]);
    let burst = |given: Node<'_>| given.integer("a burst", 0, u64::MAX);
    let rate = |object: &mut Object<'_>, key| {
        object.required(key, |given| match &given.value().kind {
            Kind::Number(text) => read_meter_rate(text).map_err(|error| error.at_node(given)),
            _ => Err(given.expected("a rate in units per second, a number")),
        })
    };
    let (cir, cburst) = (rate(&mut object, "cir"), object.required("cburst", burst));
    let (pir, pburst) = (rate(&mut object, "pir"), object.required("pburst", burst));
    let eburst = object.optional_or("eburst", 0, burst);
    object.finish(|| {
        Some(MeterConfig {
            committed_rate: cir?,
            committed_burst: cburst?,
            peak_rate: pir?,
            peak_burst: pburst?,
            excess_burst: eburst?,
        })
    })
}
