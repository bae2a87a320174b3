//! A client of P4Runtime: a connection to a server, and the control interface of its switch.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use weir_control::{Controlled, Names};
use weir_ir::Bits;
use weir_p4runtime::proto::config::P4Info;
use weir_p4runtime::proto::v1::set_forwarding_pipeline_config_request::Action;
use weir_p4runtime::proto::v1::{self, stream_message_request};
use weir_p4runtime_client::{
    ClientConfig, ClientTls, Connection, Metadata, Program as Core, Refusal, Remote,
};
use weir_switch::control::{Values, bits_of_text, bytes_of_text};

use crate::declarations::Declarations;
use crate::errors;
use crate::program::Program;
use crate::switch::{Switch, SwitchHolder};

/// Certificates in PEM: the trusted authorities, the client's own certificate and key, and the
/// server's name in its certificate.
type TlsRow = (Vec<u8>, Option<(Vec<u8>, Vec<u8>)>, Option<String>);

/// A packet: the fields of the controller's header by name, and the bytes after it.
type PacketRow<'py> = (Vec<(String, Field)>, Bound<'py, PyBytes>);

/// The value of a field of the controller's header.
#[derive(FromPyObject, IntoPyObject)]
pub enum Field {
    /// A number.
    Number(u128),
    /// A text, of a type that is translated to `string`.
    Text(String),
}

impl Field {
    fn read(field: &Metadata, metadata: &[v1::PacketMetadata]) -> PyResult<Self> {
        let value = field.read(metadata).map_err(errors::network_error)?;
        Ok(match field.values {
            Values::Texts => Self::Text(String::from_utf8_lossy(&bytes_of_text(&value)).into_owned()),
            _ => Self::Number(value.to_u128().unwrap_or_default()),
        })
    }

    /// Converts the value of a header field. A missing value becomes 0. For a field with a text,
    /// digits are accepted, too.
    fn write(field: &Metadata, given: Option<&Self>) -> PyResult<v1::PacketMetadata> {
        let number = match given {
            Some(Self::Number(number)) => *number,
            Some(Self::Text(_)) | None => 0,
        };
        let value = match (field.values == Values::Texts, given) {
            (false, _) => Bits::new(field.width, number),
            (true, Some(Self::Text(text))) => bits_of_text(text)
                .ok_or_else(|| errors::control(format!("the text for {} is too long", field.name)))?,
            (true, _) => bits_of_text(&number.to_string()).unwrap_or_else(|| Bits::zero(field.width)),
        };
        Ok(field.write(&value))
    }
}

/// A connection to a P4Runtime server.
#[pyclass(frozen)]
pub struct P4RuntimeClient(Arc<Connection>);

/// The program of the remote switch.
#[pyclass(frozen)]
pub struct P4RuntimeProgram(Arc<Core>);

/// Waits without the interpreter lock, which the server needs if it runs in this process.
fn wait_unlocked(wait: &mut (dyn FnMut() + Send)) {
    Python::attach(|py| py.detach(wait));
}

fn refusal_error(refused: &Refusal) -> PyErr {
    errors::request(&refused.clone().into())
}

#[pymethods]
impl P4RuntimeClient {
    /// Connects to a server, and requests the role with the election id if one is given.
    #[new]
    fn new(
        address: String,
        device_id: u64,
        election_id: Option<u128>,
        role: String,
        tls: Option<TlsRow>,
        timeout_ms: u64,
    ) -> PyResult<Self> {
        let tls = tls.map(|(ca, identity, server_name)| ClientTls { ca, identity, server_name });
        let timeout = Duration::from_millis(timeout_ms);
        let config = ClientConfig { address, device_id, election_id, role, tls, timeout };
        let connection = Connection::open(config, wait_unlocked).map_err(|error| refusal_error(&error))?;
        Ok(Self(Arc::new(connection)))
    }

    /// Returns the version of the protocol that the server speaks.
    fn version(&self) -> PyResult<String> {
        self.0.version().map_err(|error| refusal_error(&error))
    }

    /// Returns whether this client is primary, and the election id of the primary.
    fn primary(&self) -> (bool, Option<u128>) {
        self.0.inbox.primary()
    }

    /// Returns the program of the switch and its cookie, or `None` if the switch has no program
    /// yet. A client that has the compiled program passes it as `own`, with the CPU port of the
    /// switch if it has one. Values then have the form that the switch uses, not the form that the
    /// protocol uses.
    #[pyo3(signature = (own=None, cpu_port=None))]
    fn program(
        &self,
        own: Option<&Program>,
        cpu_port: Option<u32>,
    ) -> PyResult<Option<(P4RuntimeProgram, Option<u64>)>> {
        let Some((info, cookie)) = self.0.program().map_err(|error| refusal_error(&error))? else {
            return Ok(None);
        };
        let own = own.map(|own| &*own.schema);
        let program = Core::new(&info, own, cpu_port).map_err(errors::network_error)?;
        Ok(Some((P4RuntimeProgram(Arc::new(program)), cookie)))
    }

    /// Checks, saves or starts a program (`verify`, `verify_and_save`, `verify_and_commit`,
    /// `commit`, `reconcile_and_commit`), from a P4Info in bytes and a device configuration.
    fn set_program(
        &self,
        action: &str,
        program: Option<(&[u8], &[u8])>,
        cookie: Option<u64>,
    ) -> PyResult<()> {
        let action = match action {
            "verify" => Action::Verify,
            "verify_and_save" => Action::VerifyAndSave,
            "verify_and_commit" => Action::VerifyAndCommit,
            "commit" => Action::Commit,
            "reconcile_and_commit" => Action::ReconcileAndCommit,
            other => return Err(errors::network_error(format!("there is no action \"{other}\""))),
        };
        let (info, device_config) = match program {
            Some((info, device_config)) => {
                let info = <P4Info as prost::Message>::decode(info).map_err(errors::network_error)?;
                (Some(info), device_config.to_vec())
            }
            None => (None, Vec::new()),
        };
        self.0.set_program(action, info, device_config, cookie).map_err(|error| refusal_error(&error))
    }

    /// Returns the control interface of the switch, which runs this program. For a switch in a
    /// network, the caller passes its ports, and members and groups are numbered from 0.
    #[pyo3(signature = (program, ports=None))]
    fn switch(&self, program: &P4RuntimeProgram, ports: Option<Vec<u32>>) -> Switch {
        let remote = Remote::new(Arc::clone(&self.0), Arc::clone(&program.0));
        let remote = match ports {
            Some(ports) => remote.in_network(ports),
            None => remote,
        };
        Switch(Box::new(RemoteSwitch { program: Arc::clone(&program.0), remote: Mutex::new(remote) }))
    }

    /// Waits until more messages than `seen` have arrived, for at most `timeout_ms` milliseconds.
    /// Returns how many have arrived.
    fn wait(&self, seen: u64, timeout_ms: u64) -> u64 {
        let until = Instant::now() + Duration::from_millis(timeout_ms);
        let mut arrived = 0;
        wait_unlocked(&mut || arrived = self.0.inbox.wait(seen, until));
        arrived
    }

    /// Returns the reason why the stream has ended, or `None` if it has not.
    fn ended(&self) -> Option<String> {
        let status = self.0.inbox.end_status()?;
        Some(match status.message() {
            "" => status.code().description().to_owned(),
            message => message.to_owned(),
        })
    }

    /// Returns the number of messages that have arrived, and the number of messages that were lost
    /// because the program did not read them.
    fn counts(&self) -> (u64, u64) {
        self.0.inbox.counts()
    }

    /// Takes the packets since the last call.
    fn take_packets<'py>(
        &self,
        py: Python<'py>,
        program: &P4RuntimeProgram,
    ) -> PyResult<Vec<PacketRow<'py>>> {
        let row = |packet: v1::PacketIn| {
            let fields = program.0.packet_in.iter();
            let fields = fields.map(|field| Ok((field.name.clone(), Field::read(field, &packet.metadata)?)));
            Ok((fields.collect::<PyResult<_>>()?, PyBytes::new(py, &packet.payload)))
        };
        self.0.inbox.take_packets().into_iter().map(row).collect()
    }

    /// Sends a packet. `fields` contains fields of the controller's header by name; other fields
    /// are 0.
    fn packet_out(
        &self,
        program: &P4RuntimeProgram,
        payload: Vec<u8>,
        fields: Vec<(String, Field)>,
    ) -> PyResult<()> {
        let metadata = program.0.packet_out.iter().map(|field| {
            let given_field = fields.iter().find(|(name, _)| *name == field.name);
            Field::write(field, given_field.map(|(_, value)| value))
        });
        let metadata = metadata.collect::<PyResult<_>>()?;
        let packet = v1::PacketOut { payload, metadata };
        self.0.send(stream_message_request::Update::Packet(packet)).map_err(|error| refusal_error(&error))
    }

    /// Tells a switch in lock-step that the client has handled the messages that it has read, and
    /// the first `seen` messages.
    fn resume(&self, seen: u64) -> PyResult<()> {
        self.0.resume(seen).map_err(|error| refusal_error(&error))
    }

    /// Ends the stream when the server has received all messages.
    fn close(&self) {
        self.0.close();
    }

    /// Takes the errors that the switch has reported on the stream since the last call, each with
    /// its code and message.
    fn take_errors(&self) -> Vec<(i32, String)> {
        self.0.inbox.take_errors().into_iter().map(|error| (error.canonical_code, error.message)).collect()
    }
}

#[pymethods]
impl P4RuntimeProgram {
    /// Returns the program's declarations for the control plane.
    fn declarations(&self) -> Declarations {
        Declarations(Arc::new(self.0.schema.clone()))
    }

    /// Returns the headers between switch and controller: `packet_in` and `packet_out`, with the
    /// names and widths of their fields; the width is 0 for fields whose values are texts.
    fn controller_headers(&self) -> Vec<(&'static str, Vec<(String, u32)>)> {
        let fields = |fields: &[Metadata]| {
            let width = |field: &Metadata| if field.values == Values::Texts { 0 } else { field.width };
            fields.iter().map(|field| (field.name.clone(), width(field))).collect()
        };
        vec![("packet_in", fields(&self.0.packet_in)), ("packet_out", fields(&self.0.packet_out))]
    }
}

/// A remote switch.
struct RemoteSwitch {
    program: Arc<Core>,
    remote: Mutex<Remote>,
}

impl SwitchHolder for RemoteSwitch {
    fn with_switch(&self, _act: &mut dyn FnMut(&mut weir_switch::Switch, u64)) -> PyResult<()> {
        Err(errors::control("P4Runtime has no request for this: it needs a switch in this process"))
    }

    fn with_control(&self, act: &mut dyn FnMut(&mut dyn Controlled, Names<'_>)) -> PyResult<()> {
        let mut remote = self
            .remote
            .lock()
            .map_err(|_| errors::network_error("an earlier request failed badly; connect again"))?;
        act(&mut *remote, Names::new(&self.program.schema));
        Ok(())
    }
}
