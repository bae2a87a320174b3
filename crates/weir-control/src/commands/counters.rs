//! Commands on counters, registers and meters.

use weir_ir::Bits;
use weir_switch::control::{CounterValue, EntryRef, MeterConfig, RegisterSchema, Update, Values};

use super::rates;
use super::registry::{Command, Output, Session};
use super::values::{number, value};
use crate::cells::cell_form;
use crate::value::{Form, format_as};
use crate::{Cells, Error};

/// The heading of these commands in help.
const COUNTERS: &str = "Counters";
/// The heading of these commands in help.
const REGISTERS: &str = "Registers";
/// The heading of these commands in help.
const METERS: &str = "Meters";
const MAX_CELLS_SHOWN: u64 = 1 << 16;

/// The note in help about the two rates of a meter.
const RATES: &str = "The first RATE:BURST limits green packets, the second yellow ones.\n\
    Rates are packets or bytes per microsecond, as in simple_switch_CLI, or have a unit: 1000pps for a meter of\n\
    packets, 10Mbit for one of bytes. The switch stores them in whole packets or bytes per second. Bursts are packets or bytes.";
const RATES_OF_CELL: &str = "The first RATE:BURST limits green packets, the second yellow ones.\n\
    Rates are packets or bytes per microsecond, as in simple_switch_CLI, or have a unit: 1000pps for a meter of\n\
    packets, 10Mbit for one of bytes. The switch stores them in whole packets or bytes per second. Bursts are packets or bytes.\n\
    For a direct meter of a table, INDEX is the handle of an entry.";

/// The commands that read and change counters, registers and meters.
pub(super) const COMMANDS: [Command; 9] = [
    Command::new(
        COUNTERS,
        "counter_read",
        "COUNTER INDEX",
        "show a cell of a counter",
        "counter_read MyIngress.port_counter 1",
        counter_read,
    )
    .details("For a direct counter of a table, INDEX is the handle of an entry."),
    Command::new(
        COUNTERS,
        "counter_write",
        "COUNTER INDEX PACKETS BYTES",
        "set a cell of a counter",
        "counter_write port_counter 1 0 0",
        counter_write,
    )
    .details("For a direct counter of a table, INDEX is the handle of an entry. If the counter counts only bytes, PACKETS must\n\
        be 0; if it counts only packets, BYTES must be 0."),
    Command::new(
        COUNTERS,
        "counter_reset",
        "COUNTER",
        "set all cells of a counter to 0",
        "counter_reset port_counter",
        counter_reset,
    ),
    Command::new(
        REGISTERS,
        "register_read",
        "REGISTER [INDEX]",
        "show one cell of a register, or all cells",
        "register_read MyIngress.last_seen 0",
        register_read,
    )
    .details("If the cells are structs, each cell is shown as one number, with the first field in the highest bits."),
    Command::new(
        REGISTERS,
        "register_write",
        "REGISTER INDEX VALUE",
        "set a cell of a register",
        "register_write last_seen 0 42",
        register_write,
    ),
    Command::new(
        REGISTERS,
        "register_reset",
        "REGISTER",
        "set all cells of a register to their initial value, which is 0 if the program gives none",
        "register_reset last_seen",
        register_reset,
    ),
    Command::new(
        METERS,
        "meter_set_rates",
        "METER INDEX RATE:BURST RATE:BURST",
        "set the rates of a cell of a meter",
        "meter_set_rates limiter 0 0.001:10 0.002:20",
        meter_set_rates,
    )
    .details(RATES_OF_CELL),
    Command::new(
        METERS,
        "meter_array_set_rates",
        "METER RATE:BURST RATE:BURST",
        "set the rates of all cells of a meter",
        "meter_array_set_rates limiter 0.001:10 0.002:20",
        meter_array_set_rates,
    )
    .details(RATES),
    Command::new(
        METERS,
        "meter_get_rates",
        "METER INDEX",
        "show the rates of a cell of a meter",
        "meter_get_rates limiter 0",
        meter_get_rates,
    ),
];

/// Reads the index of a cell.
fn index(text: &str) -> Result<u64, Error> {
    number(text, "an index")
}

/// Returns the text of a counter's cell; for a direct counter, the index is an entry's handle.
pub(crate) fn read_counter(
    session: &mut Session<'_, '_>,
    counter: &str,
    index: u64,
) -> Result<CounterValue, Error> {
    match session.names().counter(counter)? {
        Cells::Indexed(counter) => session.control.counter(counter, index),
        Cells::Direct(table) => session.control.direct_counter(table, &EntryRef::Handle(index)),
    }
}

fn counter_read(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let value = read_counter(session, args[0], index(args[1])?)?;
    let unit = session.names().counter_unit(args[0])?;
    Ok(vec![format!("{}[{}] = {}", args[0], args[1], unit.shown(value))])
}

fn counter_write(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let (cells, index) = (session.names().counter(args[0])?, index(args[1])?);
    let value = CounterValue { packets: number(args[2], "packets")?, bytes: number(args[3], "bytes")? };
    session.change(&match cells {
        Cells::Indexed(counter) => Update::WriteCounter { counter, index, value },
        Cells::Direct(table) => Update::WriteDirectCounter { table, entry: EntryRef::Handle(index), value },
    })?;
    Ok(Vec::new())
}

fn counter_reset(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    session.change(&match session.names().counter(args[0])? {
        Cells::Indexed(counter) => Update::ResetCounter { counter },
        Cells::Direct(table) => Update::ResetDirectCounter { table },
    })?;
    Ok(Vec::new())
}

fn register_read(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let register = session.names().register(args[0])?;
    let schema = session.names().register_schema(register);
    if let Some(text) = args.get(1) {
        let cell = session.control.register(register, index(text)?)?;
        let cell = shown_cell(schema, &cell);
        return Ok(vec![format!("{}[{text}] = {cell}", args[0])]);
    }
    if let Some(schema) = schema.filter(|schema| schema.size > MAX_CELLS_SHOWN) {
        return Err(Error::new(format!("{} has {} cells: give the index of one", schema.name, schema.size)));
    }
    let cells = session.control.registers(register)?;
    let cells: Vec<_> = cells.iter().map(|cell| shown_cell(schema, cell)).collect();
    Ok(vec![format!("{} = {}", args[0], cells.join(", "))])
}

/// Returns the text for a cell: a number, with its sign if the type is signed, or the name or text
/// for the number.
fn shown_cell(schema: Option<&RegisterSchema>, cell: &Bits) -> String {
    match schema.map(|schema| &schema.values[..]) {
        Some([values]) if *values != Values::Unsigned => format_as(cell, "", values),
        _ => cell.to_string(),
    }
}

fn register_write(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let names = session.names();
    let register = names.register(args[0])?;
    let schema = names.register_schema(register);
    let (name, form) = schema.map_or(("", Form::from(0)), |schema| (schema.name.as_str(), cell_form(schema)));
    let value = value(args[2], form, &format!("a cell of {name}"))?;
    session.change(&Update::WriteRegister { register, index: index(args[1])?, value })?;
    Ok(Vec::new())
}

fn register_reset(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let register = session.names().register(args[0])?;
    session.change(&Update::ResetRegister { register })?;
    Ok(Vec::new())
}

/// Returns whether a meter counts bytes instead of packets.
fn counts_bytes(session: &Session<'_, '_>, cells: Cells) -> bool {
    let schema = session.names().schema;
    match cells {
        Cells::Indexed(id) => schema.meters.iter().any(|meter| meter.id == id && meter.bytes),
        Cells::Direct(table) => schema.tables[table.index()].direct_meter_bytes,
    }
}

fn meter_set_rates(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let cells = session.names().meter(args[0])?;
    let index = index(args[1])?;
    let config = Some(rates::read(&args[2..], counts_bytes(session, cells))?);
    session.change(&match cells {
        Cells::Indexed(meter) => Update::WriteMeter { meter, index, config },
        Cells::Direct(table) => Update::WriteDirectMeter { table, entry: EntryRef::Handle(index), config },
    })?;
    Ok(Vec::new())
}

fn meter_array_set_rates(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let cells = session.names().meter(args[0])?;
    let config = Some(rates::read(&args[1..], counts_bytes(session, cells))?);
    session.change(&match cells {
        Cells::Indexed(meter) => Update::WriteMeterArray { meter, config },
        Cells::Direct(table) => Update::WriteDirectMeterArray { table, config },
    })?;
    Ok(Vec::new())
}

fn meter_get_rates(session: &mut Session<'_, '_>, args: &[&str]) -> Output {
    let cells = session.names().meter(args[0])?;
    let index = index(args[1])?;
    let config = match cells {
        Cells::Indexed(meter) => session.control.meter(meter, index),
        Cells::Direct(table) => session.control.direct_meter(table, &EntryRef::Handle(index)),
    }?;
    let Some(MeterConfig { committed_rate, committed_burst, peak_rate, peak_burst, excess_burst }) = config
    else {
        return Ok(vec![format!("{}[{}] has no rates: all is green", args[0], args[1])]);
    };
    let green = format!("green: {}:{committed_burst}", rates::rate_text(committed_rate));
    let yellow = match excess_burst {
        0 => format!("yellow: {}:{peak_burst}", rates::rate_text(peak_rate)),
        // A meter with one rate has no peak rate.
        excess => format!("yellow: excess burst {excess}"),
    };
    Ok(vec![green, yellow])
}
