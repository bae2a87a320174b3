//! The fields of the cells of counters and meters.

use weir_switch::control::CounterUnit;

use super::{DataField, FieldType, field};

/// Makes the fields of a counter's cell.
pub(super) fn counts(unit: CounterUnit) -> Vec<DataField> {
    let count = |id, name| DataField::new(id, name, FieldType::Uint(64, Some(0)));
    let bytes = unit.has_bytes().then(|| count(field::COUNTER_BYTES, "$COUNTER_SPEC_BYTES"));
    let packets = (unit != CounterUnit::Bytes).then(|| count(field::COUNTER_PACKETS, "$COUNTER_SPEC_PKTS"));
    bytes.into_iter().chain(packets).collect()
}

/// Makes the fields of a meter's cell. Their defaults mark all packets green.
pub(super) fn rates(bytes: bool) -> Vec<DataField> {
    let (first, units) = match bytes {
        true => (field::METER_CIR_KBPS, ["CIR_KBPS", "PIR_KBPS", "CBS_KBITS", "PBS_KBITS"]),
        false => (field::METER_CIR_PPS, ["CIR_PPS", "PIR_PPS", "CBS_PKTS", "PBS_PKTS"]),
    };
    let ty = FieldType::Uint(64, Some(u64::MAX));
    let fields = (first..).zip(units).map(|(id, unit)| DataField::new(id, format!("$METER_SPEC_{unit}"), ty));
    fields.collect()
}
