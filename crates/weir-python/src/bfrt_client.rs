//! A client of BfRt: a connection to a server, whose tables are those of its `bf-rt.json`.

use std::sync::Mutex;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use weir_p4runtime::proto::bfrt;
use weir_p4runtime::proto::bfrt::data_field::{BoolArray, IntArray, Value};
use weir_p4runtime::proto::bfrt::entity::Entity;
use weir_p4runtime::proto::bfrt::key_field::{Exact, Lpm, MatchType, Optional, Range, Ternary};
use weir_p4runtime::proto::bfrt::stream_message_response::Update as Message;
use weir_p4runtime::proto::bfrt::table_entry::Value as Named;
use weir_p4runtime::proto::bfrt::update::Type;
use weir_p4runtime_client::{BfrtConfig, BfrtConnection, BfrtStream, ClientTls, Refusal};

use crate::errors;
use crate::locks::lock;

/// Certificates in PEM: the trusted authorities, the client's own certificate and key, and the
/// server's name in its certificate.
type TlsRow = (Vec<u8>, Option<(Vec<u8>, Vec<u8>)>, Option<String>);

/// A field of a key: its number, its match kind in the schema, its value, and a mask, an upper end
/// or the length of a prefix.
type KeyRow = (u32, String, PyBackedBytes, Option<PyBackedBytes>, i32);

/// A field of the data: its number, and its value.
type FieldRow<'py> = (u32, Bound<'py, PyAny>);

/// An entry that is read: its key if it has one, the number of its action, its data, and whether it
/// is the default.
type EntryRow<'py> = (Option<Vec<KeyOut<'py>>>, u32, Vec<(u32, Py<PyAny>)>, bool);

/// A field of a key that is read, as in [`KeyRow`].
type KeyOut<'py> = (u32, &'static str, Bound<'py, PyBytes>, Option<Bound<'py, PyBytes>>, i32);

/// A message: its kind, a number, a truth value, and rows of data or keys.
type MessageRow<'py> = (&'static str, u32, bool, Vec<Vec<(u32, Py<PyAny>)>>, Vec<KeyOut<'py>>);

/// A connection to a BfRt server.
#[pyclass(frozen)]
pub struct BfrtClient {
    connection: BfrtConnection,
    stream: Mutex<Option<BfrtStream>>,
}

/// Waits without the interpreter lock, which the server needs if it runs in this process.
fn wait_unlocked(wait: &mut (dyn FnMut() + Send)) {
    Python::attach(|py| py.detach(wait));
}

fn refusal_error(refused: &Refusal) -> PyErr {
    errors::request(&refused.clone().into())
}

fn read_key(rows: Vec<KeyRow>) -> bfrt::TableKey {
    let field = |(field_id, kind, value, second, prefix_len): KeyRow| {
        let value = value.to_vec();
        let second = second.map(|second| second.to_vec()).unwrap_or_default();
        let match_type = match kind.as_str() {
            "Ternary" => MatchType::Ternary(Ternary { value, mask: second }),
            "LPM" => MatchType::Lpm(Lpm { value, prefix_len }),
            "Range" => MatchType::Range(Range { low: value, high: second }),
            "Optional" => MatchType::Optional(Optional { value, is_valid: prefix_len != 0 }),
            _ => MatchType::Exact(Exact { value }),
        };
        bfrt::KeyField { field_id, match_type: Some(match_type) }
    };
    bfrt::TableKey { fields: rows.into_iter().map(field).collect() }
}

/// Reads a value: bytes are a number or a list of bytes, other lists have numbers or truth values.
fn read_value(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(bytes) = given.extract::<PyBackedBytes>() {
        return Ok(Value::Stream(bytes.to_vec()));
    }
    if let Ok(flag) = given.extract::<bool>() {
        return Ok(Value::BoolVal(flag));
    }
    if let Ok(text) = given.extract::<String>() {
        return Ok(Value::StrVal(text));
    }
    if let Ok(number) = given.extract::<f32>() {
        return Ok(Value::FloatVal(number));
    }
    // The first item of a tuple says what a list contains, even if it is empty.
    let (kind, list): (String, Bound<'_, PyAny>) = given.extract()?;
    Ok(match kind.as_str() {
        "flags" => Value::BoolArrVal(BoolArray { val: list.extract()? }),
        _ => Value::IntArrVal(IntArray { val: list.extract()? }),
    })
}

fn read_data(action_id: u32, rows: Vec<FieldRow<'_>>) -> PyResult<bfrt::TableData> {
    let field =
        |(field_id, value): FieldRow<'_>| Ok(bfrt::DataField { field_id, value: Some(read_value(&value)?) });
    Ok(bfrt::TableData { action_id, fields: rows.into_iter().map(field).collect::<PyResult<_>>()? })
}

fn write_key<'py>(py: Python<'py>, key: &bfrt::TableKey) -> Vec<KeyOut<'py>> {
    let bytes = |value: &[u8]| PyBytes::new(py, value);
    let field = |field: &bfrt::KeyField| {
        let id = field.field_id;
        Some(match field.match_type.as_ref()? {
            MatchType::Exact(one) => (id, "Exact", bytes(&one.value), None, 0),
            MatchType::Ternary(one) => (id, "Ternary", bytes(&one.value), Some(bytes(&one.mask)), 0),
            MatchType::Lpm(one) => (id, "LPM", bytes(&one.value), None, one.prefix_len),
            MatchType::Range(one) => (id, "Range", bytes(&one.low), Some(bytes(&one.high)), 0),
            MatchType::Optional(one) => (id, "Optional", bytes(&one.value), None, one.is_valid.into()),
        })
    };
    key.fields.iter().filter_map(field).collect()
}

fn write_data(py: Python<'_>, data: Option<&bfrt::TableData>) -> PyResult<Vec<(u32, Py<PyAny>)>> {
    let field = |field: &bfrt::DataField| -> PyResult<Option<(u32, Py<PyAny>)>> {
        let value = match &field.value {
            Some(Value::Stream(bytes)) => PyBytes::new(py, bytes).into_any(),
            Some(Value::BoolVal(flag)) => flag.into_pyobject(py)?.to_owned().into_any(),
            Some(Value::StrVal(text)) => text.into_pyobject(py)?.into_any(),
            Some(Value::FloatVal(number)) => number.into_pyobject(py)?.into_any(),
            Some(Value::IntArrVal(list)) => list.val.clone().into_pyobject(py)?.into_any(),
            Some(Value::BoolArrVal(list)) => list.val.clone().into_pyobject(py)?.into_any(),
            _ => return Ok(None),
        };
        Ok(Some((field.field_id, value.unbind())))
    };
    let fields = data.into_iter().flat_map(|data| &data.fields);
    fields.filter_map(|one| field(one).transpose()).collect()
}

#[pymethods]
impl BfrtClient {
    /// Connects to a server.
    #[new]
    fn new(address: String, device_id: u32, tls: Option<TlsRow>, timeout_ms: u64) -> PyResult<Self> {
        let tls = tls.map(|(ca, identity, server_name)| ClientTls { ca, identity, server_name });
        let config = BfrtConfig { address, device_id, tls, timeout: Duration::from_millis(timeout_ms) };
        let connection =
            BfrtConnection::open(config, wait_unlocked).map_err(|error| refusal_error(&error))?;
        Ok(Self { connection, stream: Mutex::new(None) })
    }

    /// Returns the name of the switch's program, and the JSON of the program's and of the device's
    /// tables.
    fn program(&self) -> PyResult<(String, String, String)> {
        let program = self.connection.program().map_err(|error| refusal_error(&error))?;
        let text = |bytes| String::from_utf8(bytes).map_err(errors::network_error);
        Ok((program.name, text(program.tables)?, text(program.device_tables)?))
    }

    /// Changes an entry of a table (`INSERT`, `MODIFY`, `DELETE` and so on). An entry without a key
    /// is the default, or stands for all entries. `removes` makes `MODIFY_INC` remove items.
    #[expect(clippy::too_many_arguments, reason = "one message with these fields")]
    #[pyo3(signature = (p4_name, pipe, kind, table, key, data, is_default=false, removes=false))]
    fn write(
        &self,
        p4_name: &str,
        pipe: u32,
        kind: &str,
        table: u32,
        key: Option<Vec<KeyRow>>,
        data: Option<(u32, Vec<FieldRow<'_>>)>,
        is_default: bool,
        removes: bool,
    ) -> PyResult<()> {
        let kind = Type::from_str_name(kind)
            .ok_or_else(|| errors::network_error(format!("there is no change {kind:?}")))?;
        let data = data.map(|(action, rows)| read_data(action, rows)).transpose()?;
        let entry = bfrt::TableEntry {
            table_id: table,
            value: key.map(|key| Named::Key(read_key(key))),
            data,
            is_default_entry: is_default,
            table_flags: Some(bfrt::TableFlags { mod_del: removes, ..bfrt::TableFlags::default() }),
            ..bfrt::TableEntry::default()
        };
        self.send(p4_name, pipe, kind, Entity::TableEntry(entry))
    }

    /// Runs an operation of a table, such as `SyncCounters`.
    fn operate(&self, p4_name: &str, pipe: u32, table: u32, name: String) -> PyResult<()> {
        let operation = bfrt::TableOperation { table_id: table, table_operations_type: name };
        self.send(p4_name, pipe, Type::Insert, Entity::TableOperation(operation))
    }

    /// Enables or disables the messages about idle entries of a table; with `polls`, clients only
    /// read their states. Times are in milliseconds.
    #[expect(clippy::too_many_arguments, reason = "one message with these fields")]
    fn set_idle(
        &self,
        p4_name: &str,
        pipe: u32,
        table: u32,
        enable: bool,
        polls: bool,
        interval: u32,
        ttls: (u32, u32),
    ) -> PyResult<()> {
        let idle = bfrt::IdleTable {
            ttl_query_interval: interval,
            min_ttl: ttls.0,
            max_ttl: ttls.1,
            idle_table_mode: i32::from(!polls),
            enable,
        };
        let attribute = bfrt::table_attribute::Attribute::IdleTable(idle);
        let attribute = bfrt::TableAttribute { table_id: table, attribute: Some(attribute) };
        self.send(p4_name, pipe, Type::Insert, Entity::TableAttribute(attribute))
    }

    /// Enables or disables the messages about ports.
    fn set_port_messages(&self, p4_name: &str, table: u32, enable: bool) -> PyResult<()> {
        let notify = bfrt::table_attribute::Attribute::PortStatusNotify(bfrt::PortStatusChg { enable });
        let attribute = bfrt::TableAttribute { table_id: table, attribute: Some(notify) };
        self.send(p4_name, ALL_PIPES, Type::Insert, Entity::TableAttribute(attribute))
    }

    /// Reads the entry with a key, all entries with the default, or only the default.
    fn read<'py>(
        &self,
        py: Python<'py>,
        p4_name: &str,
        pipe: u32,
        table: u32,
        key: Option<Vec<KeyRow>>,
        is_default: bool,
    ) -> PyResult<Vec<EntryRow<'py>>> {
        let entry = bfrt::TableEntry {
            table_id: table,
            value: key.map(|key| Named::Key(read_key(key))),
            is_default_entry: is_default,
            table_flags: Some(bfrt::TableFlags { from_hw: true, ..bfrt::TableFlags::default() }),
            ..bfrt::TableEntry::default()
        };
        let entities = self.ask(p4_name, pipe, Entity::TableEntry(entry))?;
        let row = |entity: bfrt::Entity| match entity.entity {
            Some(Entity::TableEntry(entry)) => {
                let key = match &entry.value {
                    Some(Named::Key(key)) => Some(write_key(py, key)),
                    _ => None,
                };
                let action = entry.data.as_ref().map_or(0, |data| data.action_id);
                let fields = write_data(py, entry.data.as_ref());
                Some(fields.map(|fields| (key, action, fields, entry.is_default_entry)))
            }
            _ => None,
        };
        entities.into_iter().filter_map(row).collect()
    }

    /// Returns the number of entries of a table.
    fn usage(&self, p4_name: &str, pipe: u32, table: u32) -> PyResult<u32> {
        let usage = bfrt::TableUsage { table_id: table, ..bfrt::TableUsage::default() };
        let entities = self.ask(p4_name, pipe, Entity::TableUsage(usage))?;
        let usage = entities.into_iter().find_map(|entity| match entity.entity {
            Some(Entity::TableUsage(usage)) => Some(usage.usage),
            _ => None,
        });
        usage.ok_or_else(|| errors::network_error("the server sent no usage"))
    }

    /// Returns the handle of an entry.
    fn handle(&self, p4_name: &str, pipe: u32, table: u32, key: Vec<KeyRow>) -> PyResult<u32> {
        use bfrt::handle_id::Value as Handle;
        let wanted = bfrt::HandleId { table_id: table, value: Some(Handle::Key(read_key(key))) };
        let entities = self.ask(p4_name, pipe, Entity::Handle(wanted))?;
        let handle = entities.into_iter().find_map(|entity| match entity.entity {
            Some(Entity::Handle(bfrt::HandleId { value: Some(Handle::HandleId(handle)), .. })) => {
                Some(handle)
            }
            _ => None,
        });
        handle.ok_or_else(|| errors::network_error("the server sent no handle"))
    }

    /// Binds this client to a program, under a number that no other client has. It then receives
    /// messages.
    fn subscribe(&self, client_id: u32, p4_name: &str) -> PyResult<()> {
        let stream = self.connection.subscribe(client_id, p4_name).map_err(|error| refusal_error(&error))?;
        *self.locked()? = Some(stream);
        Ok(())
    }

    /// Waits for the next message, for at most `timeout_ms` milliseconds: `digest` with rows of
    /// data, `idle` with the number of the table and the key, `port` with the key and whether the
    /// port is up.
    fn next_message<'py>(&self, py: Python<'py>, timeout_ms: u64) -> PyResult<Option<MessageRow<'py>>> {
        let mut stream = self.locked()?;
        let Some(stream) = &mut *stream else { return Ok(None) };
        let message = self.connection.next_message(stream, Duration::from_millis(timeout_ms));
        let key = |entry: &Option<bfrt::TableEntry>| match entry
            .as_ref()
            .map(|entry| (entry.table_id, &entry.value))
        {
            Some((table, Some(Named::Key(key)))) => (table, write_key(py, key)),
            _ => (0, Vec::new()),
        };
        Ok(match message {
            Some(Message::Digest(list)) => {
                let rows = list.data.iter().map(|data| write_data(py, Some(data)));
                Some(("digest", list.digest_id, false, rows.collect::<PyResult<_>>()?, Vec::new()))
            }
            Some(Message::IdleTimeoutNotification(idle)) => {
                let (table, key) = key(&idle.table_entry);
                Some(("idle", table, false, Vec::new(), key))
            }
            Some(Message::PortStatusChangeNotification(port)) => {
                let (table, key) = key(&port.table_entry);
                Some(("port", table, port.port_up, Vec::new(), key))
            }
            _ => None,
        })
    }
}

/// The number that stands for all pipes.
const ALL_PIPES: u32 = 0xffff;

fn target(pipe_id: u32) -> bfrt::TargetDevice {
    bfrt::TargetDevice { device_id: 0, pipe_id, direction: 0xff, prsr_id: 0xff }
}

impl BfrtClient {
    fn locked(&self) -> PyResult<std::sync::MutexGuard<'_, Option<BfrtStream>>> {
        lock(&self.stream)
            .map_err(|_| errors::network_error("an earlier request failed badly; connect again"))
    }

    fn send(&self, p4_name: &str, pipe: u32, kind: Type, entity: Entity) -> PyResult<()> {
        let entity = Some(bfrt::Entity { entity: Some(entity) });
        let update = bfrt::Update { r#type: kind as i32, entity };
        let written = self.connection.write(p4_name, target(pipe), vec![update]);
        written.map_err(|error| refusal_error(&error))
    }

    fn ask(&self, p4_name: &str, pipe: u32, entity: Entity) -> PyResult<Vec<bfrt::Entity>> {
        let entities = vec![bfrt::Entity { entity: Some(entity) }];
        self.connection.read(p4_name, target(pipe), entities).map_err(|error| refusal_error(&error))
    }
}
