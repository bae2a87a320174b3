//! Counters, registers, meters and CRC parameters of a switch.

use pyo3::prelude::*;
use weir_control::{Cells, Names};
use weir_ir::Bits;
use weir_switch::control::{CounterValue, CrcParameters, EntryRef, MeterCounts, Update};

use crate::control::{Rates, rates_in, to_rates};
use crate::record::{numbers, records};
use crate::switch::Switch;
use crate::value;

numbers! {
    Polynomial(u32), "a polynomial", 0..=u32::MAX;
    Initial(u32), "an initial value", 0..=u32::MAX;
    FinalXor(u32), "a value to xor at the end", 0..=u32::MAX;
}

records! {
    /// The parameters of `crc16_custom` or `crc32_custom`, with the names that CRC catalogues use.
    Crc {
        /// The polynomial without its highest coefficient, such as `0x8005`; the next coefficient
        /// is the most significant bit.
        polynomial: Polynomial,
        /// The initial value of the register.
        initial: Initial = Initial(0),
        /// The value that is XORed with the register at the end.
        final_xor: FinalXor = FinalXor(0),
        /// Whether bytes are read with their lowest bit first.
        reflect_in: bool = false,
        /// Whether the register's bits are reversed at the end.
        reflect_out: bool = false,
    }
}

#[pymethods]
impl Switch {
    /// Returns the packets and bytes in a cell of a counter. For a direct counter, the index is the
    /// handle of an entry.
    fn counter(&self, counter: &str, index: u64) -> PyResult<(u64, u64)> {
        self.with(|control, names| {
            let value = match names.counter(counter)? {
                Cells::Indexed(counter) => control.counter(counter, index),
                Cells::Direct(table) => control.direct_counter(table, &EntryRef::Handle(index)),
            }?;
            Ok((value.packets, value.bytes))
        })
    }

    /// Returns the packets and bytes of all cells of a counter. For a direct counter, the cells are
    /// in the order of the entries.
    fn counters(&self, counter: &str) -> PyResult<Vec<(u64, u64)>> {
        self.with(|control, names| {
            let values = match names.counter(counter)? {
                Cells::Indexed(counter) => control.counters(counter),
                Cells::Direct(table) => control
                    .entries(table)
                    .map(|entries| entries.into_iter().map(|entry| entry.hits.unwrap_or_default()).collect()),
            }?;
            Ok(values.into_iter().map(|value| (value.packets, value.bytes)).collect())
        })
    }

    fn write_counter(&self, counter: &str, index: u64, packets: u64, bytes: u64) -> PyResult<()> {
        let value = CounterValue { packets, bytes };
        let update = |names: Names<'_>| {
            Ok(match names.counter(counter)? {
                Cells::Indexed(counter) => Update::WriteCounter { counter, index, value },
                Cells::Direct(table) => {
                    Update::WriteDirectCounter { table, entry: EntryRef::Handle(index), value }
                }
            })
        };
        self.change(update).map(drop)
    }

    fn reset_counter(&self, counter: &str) -> PyResult<()> {
        let update = |names: Names<'_>| {
            Ok(match names.counter(counter)? {
                Cells::Indexed(counter) => Update::ResetCounter { counter },
                Cells::Direct(table) => Update::ResetDirectCounter { table },
            })
        };
        self.change(update).map(drop)
    }

    fn register(&self, register: &str, index: u64) -> PyResult<Vec<u8>> {
        self.with(|control, names| Ok(control.register(names.register(register)?, index)?.to_be_bytes()))
    }

    fn registers(&self, register: &str) -> PyResult<Vec<Vec<u8>>> {
        self.with(|control, names| {
            let cells = control.registers(names.register(register)?)?;
            Ok(cells.iter().map(Bits::to_be_bytes).collect())
        })
    }

    fn write_register(&self, register: &str, index: u64, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = value::read(value)?;
        let update = |names: Names<'_>| {
            let register = names.register(register)?;
            Ok(Update::WriteRegister { register, index, value: names.read_cell(register, &value)? })
        };
        self.change(update).map(drop)
    }

    fn reset_register(&self, register: &str) -> PyResult<()> {
        self.change(|names| Ok(Update::ResetRegister { register: names.register(register)? })).map(drop)
    }

    /// Returns the rates of a cell of a meter. For a direct meter, the index is the handle of an
    /// entry.
    fn meter(&self, meter: &str, index: u64) -> PyResult<Option<Rates>> {
        self.with(|control, names| {
            let rates = match names.meter(meter)? {
                Cells::Indexed(meter) => control.meter(meter, index),
                Cells::Direct(table) => control.direct_meter(table, &EntryRef::Handle(index)),
            };
            Ok(rates?.map(to_rates))
        })
    }

    /// Returns the rates of all cells of a meter. For a direct meter, they are in the order of the
    /// entries.
    fn meters(&self, meter: &str) -> PyResult<Vec<Option<Rates>>> {
        self.with(|control, names| {
            let cells = match names.meter(meter)? {
                Cells::Indexed(meter) => control.meters(meter),
                Cells::Direct(table) => control.entries(table).and_then(|entries| {
                    let handles = entries.into_iter().map(|entry| EntryRef::Handle(entry.handle));
                    handles.map(|handle| control.direct_meter(table, &handle)).collect()
                }),
            };
            Ok(cells?.into_iter().map(|cell| cell.map(to_rates)).collect())
        })
    }

    /// Returns the packets and bytes that a cell of a meter marked green, yellow and red.
    fn meter_counts(&self, meter: &str, index: u64) -> PyResult<[(u64, u64); 3]> {
        self.with(|control, names| {
            let counts = match names.meter(meter)? {
                Cells::Indexed(meter) => control.meter_counts(meter, index),
                Cells::Direct(table) => control.direct_meter_counts(table, &EntryRef::Handle(index)),
            };
            let MeterCounts { green, yellow, red } = counts?;
            Ok([green, yellow, red].map(|count| (count.packets, count.bytes)))
        })
    }

    fn write_meter_counts(&self, meter: &str, index: u64, counts: [(u64, u64); 3]) -> PyResult<()> {
        let [green, yellow, red] = counts.map(|(packets, bytes)| CounterValue { packets, bytes });
        let counts = MeterCounts { green, yellow, red };
        let update = |names: Names<'_>| {
            Ok(match names.meter(meter)? {
                Cells::Indexed(meter) => Update::WriteMeterCounts { meter, index, counts },
                Cells::Direct(table) => {
                    Update::WriteDirectMeterCounts { table, entry: EntryRef::Handle(index), counts }
                }
            })
        };
        self.change(update).map(drop)
    }

    fn write_meter(&self, meter: &str, index: u64, rates: Option<Rates>) -> PyResult<()> {
        let config = rates.map(rates_in);
        let update = |names: Names<'_>| {
            Ok(match names.meter(meter)? {
                Cells::Indexed(meter) => Update::WriteMeter { meter, index, config },
                Cells::Direct(table) => {
                    Update::WriteDirectMeter { table, entry: EntryRef::Handle(index), config }
                }
            })
        };
        self.change(update).map(drop)
    }

    fn write_all_meters(&self, meter: &str, rates: Option<Rates>) -> PyResult<()> {
        let config = rates.map(rates_in);
        let update = |names: Names<'_>| {
            Ok(match names.meter(meter)? {
                Cells::Indexed(meter) => Update::WriteMeterArray { meter, config },
                Cells::Direct(table) => Update::WriteDirectMeterArray { table, config },
            })
        };
        self.change(update).map(drop)
    }

    /// Returns the parameters of a CRC calculation.
    fn crc(&self, calculation: &str) -> PyResult<Crc> {
        let crc = self.with(|control, names| control.crc(names.calculation(calculation)?))?;
        Ok(Crc {
            polynomial: Polynomial(crc.polynomial),
            initial: Initial(crc.initial),
            final_xor: FinalXor(crc.final_xor),
            reflect_in: crc.reflect_in,
            reflect_out: crc.reflect_out,
        })
    }

    fn set_crc(&self, calculation: &str, crc: Crc) -> PyResult<()> {
        let parameters = CrcParameters {
            polynomial: crc.polynomial.0,
            initial: crc.initial.0,
            final_xor: crc.final_xor.0,
            reflect_in: crc.reflect_in,
            reflect_out: crc.reflect_out,
        };
        let update = |names: Names<'_>| {
            Ok(Update::SetCrc { calculation: names.calculation(calculation)?, parameters })
        };
        self.change(update).map(drop)
    }
}
