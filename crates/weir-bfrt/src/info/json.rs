//! Writes tables as `bf-rt.json`.

use serde_json::{Value, json};

use super::{Action, DataField, FieldType, KeyField, Learn, Table, hash_ids};

/// The version of the schema.
const VERSION: &str = "1.0.0";

/// Returns the JSON text of tables and digests.
pub fn text(tables: &[Table], learns: &[Learn]) -> String {
    let tables: Vec<_> = tables.iter().map(table).collect();
    let learns: Vec<_> = learns.iter().map(learn).collect();
    let all = json!({ "schema_version": VERSION, "tables": tables, "learn_filters": learns });
    format!("{all:#}\n")
}

fn table(table: &Table) -> Value {
    let mut written = json!({
        "name": table.name,
        "id": table.id,
        "table_type": table.kind,
        "size": table.size,
        "annotations": [],
        "depends_on": table.depends_on,
        "key": table.keys.iter().map(key).collect::<Vec<_>>(),
        "data": data(&table.data),
        "supported_operations": table.operations,
        "attributes": table.attributes,
    });
    if let Some(is_const) = table.const_default {
        written["has_const_default_action"] = json!(is_const);
    }
    if !table.actions.is_empty() {
        written["action_specs"] = json!(table.actions.iter().map(action).collect::<Vec<_>>());
    }
    written
}

fn key(key: &KeyField) -> Value {
    let is_slice = key.name.ends_with(']') && key.name.contains(':');
    let slice = json!({ "name": "isFieldSlice", "value": "true" });
    json!({
        "id": key.id,
        "name": key.name,
        "repeated": false,
        "annotations": if is_slice { json!([slice]) } else { json!([]) },
        "mandatory": key.mandatory,
        "match_type": key.match_type,
        "type": type_of(key.ty),
    })
}

/// Writes fields that are not parameters of actions. The choices for one field are one item.
fn data(fields: &[DataField]) -> Vec<Value> {
    let mut written = Vec::new();
    let choices: Vec<_> = fields.iter().filter(|field| field.one_of).map(common).collect();
    if !choices.is_empty() {
        written.push(json!({ "mandatory": true, "read_only": false, "oneof": choices }));
    }
    written.extend(fields.iter().filter(|field| !field.one_of).map(|field| {
        let DataField { mandatory, read_only, .. } = field;
        json!({ "mandatory": mandatory, "read_only": read_only, "singleton": common(field) })
    }));
    written
}

/// Writes the parts that all fields have.
fn common(field: &DataField) -> Value {
    let class = field.class.map(|class| json!({ "name": "$bfrt_field_class", "value": class }));
    let mut written = json!({
        "id": field.id,
        "name": field.name,
        "repeated": field.repeated,
        "annotations": class.into_iter().collect::<Vec<_>>(),
    });
    match field.ty {
        FieldType::Parts(width) => written["container"] = json!(data(&parts(width))),
        ty => written["type"] = type_of(ty),
    }
    written
}

/// Returns the fields of a part of a number.
fn parts(width: u32) -> [DataField; 3] {
    let field = |id, name: &str, default| DataField::new(id, name, FieldType::Uint(64, default));
    [
        field(hash_ids::START_BIT, "start_bit", Some(0)),
        field(hash_ids::LENGTH, "length", Some(width.into())),
        field(hash_ids::ORDER, "order", None).mandatory(),
    ]
}

fn action(action: &Action) -> Value {
    let is_of_program = action.scope.is_some();
    let params = action.data.iter().map(|field| {
        let mut written = common(field);
        written["mandatory"] = json!(field.mandatory);
        written["read_only"] = json!(field.read_only);
        written
    });
    let params = if is_of_program { params.collect() } else { data(&action.data) };
    let mut written = json!({ "id": action.id, "name": action.name, "annotations": [], "data": params });
    if let Some(scope) = action.scope {
        written["action_scope"] = json!(scope);
    }
    written
}

fn type_of(ty: FieldType) -> Value {
    match ty {
        FieldType::Bytes(bits) | FieldType::Parts(bits) => json!({ "type": "bytes", "width": bits }),
        FieldType::Uint(bits, default) => with_default(&format!("uint{bits}"), default.map(|of| json!(of))),
        FieldType::Bool(default) => with_default("bool", default.map(|of| json!(of))),
        FieldType::Float => json!({ "type": "float" }),
        FieldType::Text([]) => json!({ "type": "string" }),
        FieldType::Text(choices) => {
            json!({ "type": "string", "choices": choices, "default_value": choices[0] })
        }
    }
}

fn with_default(name: &str, default: Option<Value>) -> Value {
    match default {
        Some(default) => json!({ "type": name, "default_value": default }),
        None => json!({ "type": name }),
    }
}

fn learn(learn: &Learn) -> Value {
    json!({
        "name": learn.name,
        "id": learn.id,
        "annotations": [],
        "fields": learn.fields.iter().map(common).collect::<Vec<_>>(),
    })
}
