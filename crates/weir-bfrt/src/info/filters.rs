//! The tables and fields of filters (`Lpf`, `Wred`, and those of table entries), and the fields of
//! direct registers.

use weir_ir::{ExternInstance, Program, TableId};

use super::{DataField, FieldType, KeyField, Object, Table, field};

/// The kinds of low-pass filters.
pub const LPF_KINDS: &[&str] = &["RATE", "SAMPLE"];

/// The extern types of a filter, with an index and for table entries.
const LPF: [&str; 2] = ["Lpf", "DirectLpf"];
const WRED: [&str; 2] = ["Wred", "DirectWred"];

/// Returns whether an extern object is a filter whose cells have an index.
pub(super) fn is_filter(object: &ExternInstance) -> bool {
    object.kind == LPF[0] || object.kind == WRED[0]
}

/// Returns the specification of a filter as fields, in the order of the cells of the switch; none
/// for other extern types.
pub fn spec(kind: &str) -> Vec<DataField> {
    let uint = FieldType::Uint(32, None);
    let fields = if LPF.contains(&kind) {
        [
            (field::LPF_TYPE, "$LPF_SPEC_TYPE", FieldType::Text(LPF_KINDS)),
            (field::LPF_GAIN, "$LPF_SPEC_GAIN_TIME_CONSTANT_NS", FieldType::Float),
            (field::LPF_DECAY, "$LPF_SPEC_DECAY_TIME_CONSTANT_NS", FieldType::Float),
            (field::LPF_SCALE, "$LPF_SPEC_OUT_SCALE_DOWN_FACTOR", uint),
        ]
    } else if WRED.contains(&kind) {
        [
            (field::WRED_TIME, "$WRED_SPEC_TIME_CONSTANT_NS", FieldType::Float),
            (field::WRED_MIN, "$WRED_SPEC_MIN_THRESH_CELLS", uint),
            (field::WRED_MAX, "$WRED_SPEC_MAX_THRESH_CELLS", uint),
            (field::WRED_PROBABILITY, "$WRED_SPEC_MAX_PROBABILITY", FieldType::Float),
        ]
    } else {
        return Vec::new();
    };
    fields.map(|(id, name, ty)| DataField::new(id, name, ty)).to_vec()
}

/// Makes the table of a filter whose cells have an index.
pub(super) fn table(name: String, id: u32, object: &ExternInstance, of: Object, size: u64) -> Table {
    let index = match object.kind == LPF[0] {
        true => KeyField::exact(field::LPF_INDEX, "$LPF_INDEX", 32),
        false => KeyField::exact(field::WRED_INDEX, "$WRED_INDEX", 32),
    };
    let kind = if object.kind == LPF[0] { LPF[0] } else { WRED[0] };
    Table {
        keys: vec![index],
        data: spec(kind).into_iter().map(DataField::mandatory).collect(),
        ..Table::new(name, id, of, kind, size)
    }
}

/// Returns the object that gives each entry of a table a cell: a filter or a register.
pub fn of_entries(program: &Program, table: TableId) -> Option<&ExternInstance> {
    let attached = program.tables[table].attached.iter();
    let mut objects = attached.map(|(_, id)| &program.externs[*id]);
    objects.find(|object| object.kind == LPF[1] || object.kind == WRED[1] || object.kind == "DirectRegister")
}
