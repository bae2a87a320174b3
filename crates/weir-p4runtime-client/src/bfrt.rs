//! A connection to a BfRt server. Requests name the program, so they work while another client is
//! bound to it. A connection that wants messages subscribes and binds.

use std::time::Duration;

use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::calls::{Caller, ClientTls, Waiting, endpoint};
use super::outcome::Refusal;
use super::unreachable::unreachable;
use crate::proto::bfrt::bf_runtime_client::BfRuntimeClient;
use crate::proto::bfrt::set_forwarding_pipeline_config_request::Action;
use crate::proto::bfrt::stream_message_request::Update as Asked;
use crate::proto::bfrt::stream_message_response::Update as Told;
use crate::proto::bfrt::{self, StreamMessageRequest};
use crate::proto::google::rpc;

/// The largest message that a client accepts, in bytes.
const MAX_MESSAGE: usize = 256 << 20;

/// The number of messages that wait to be read; later ones are lost.
const MAX_INCOMING: usize = 4096;

/// The address of a server, and the device that the client controls.
#[derive(Clone, Debug)]
pub struct BfrtConfig {
    /// The server's address: `HOST:PORT`, or `unix:PATH`.
    pub address: String,
    /// The number of the server's switch.
    pub device_id: u32,
    /// The encryption of the connection; `None` if it is plain text.
    pub tls: Option<ClientTls>,
    /// The maximum duration of a call.
    pub timeout: Duration,
}

/// The program of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BfrtProgram {
    /// The name.
    pub name: String,
    /// The tables of the program as JSON.
    pub tables: Vec<u8>,
    /// The tables of the device as JSON.
    pub device_tables: Vec<u8>,
}

/// A connection of a client to a BfRt server.
pub struct BfrtConnection {
    config: BfrtConfig,
    caller: Caller,
    rpc: BfRuntimeClient<Channel>,
}

/// A stream of messages, for a client that is bound to a program.
pub struct BfrtStream {
    messages: mpsc::Receiver<bfrt::StreamMessageResponse>,
    /// The stream ends when this is dropped.
    _requests: mpsc::Sender<StreamMessageRequest>,
}

impl BfrtConnection {
    /// Connects to a server.
    ///
    /// # Errors
    /// There is no server at the address.
    pub fn open(config: BfrtConfig, waiting: Waiting) -> Result<Self, Refusal> {
        let caller = Caller::new(waiting, config.timeout)?;
        let endpoint = endpoint(&config.address, config.tls.as_ref(), config.timeout)?;
        let channel = caller.wait(endpoint.connect());
        let channel = channel.map_err(|error| unreachable("BfRt", "--bfrt", &config.address, &error))?;
        let rpc = BfRuntimeClient::new(channel).max_decoding_message_size(MAX_MESSAGE);
        Ok(Self { config, caller, rpc })
    }

    /// Returns the program of the switch.
    ///
    /// # Errors
    /// The server refuses the request.
    pub fn program(&self) -> Result<BfrtProgram, Refusal> {
        let message =
            bfrt::GetForwardingPipelineConfigRequest { device_id: self.config.device_id, client_id: 0 };
        let (mut rpc, request) = (self.rpc.clone(), self.caller.request(message));
        let answer = self.caller.wait(rpc.get_forwarding_pipeline_config(request));
        let answer = answer.map_err(|status| refusal(&status))?.into_inner();
        let first = answer.config.into_iter().next();
        let first = first.ok_or_else(|| Refusal::new("the switch has no program"))?;
        let device = answer.non_p4_config.map(|config| config.bfruntime_info).unwrap_or_default();
        Ok(BfrtProgram { name: first.p4_name, tables: first.bfruntime_info, device_tables: device })
    }

    /// Writes changes to tables of a program.
    ///
    /// # Errors
    /// The server refuses a change; the error says which.
    pub fn write(
        &self,
        p4_name: &str,
        target: bfrt::TargetDevice,
        updates: Vec<bfrt::Update>,
    ) -> Result<(), Refusal> {
        let target = bfrt::TargetDevice { device_id: self.config.device_id, ..target };
        let p4_name = p4_name.to_owned();
        let message =
            bfrt::WriteRequest { target: Some(target), updates, p4_name, ..bfrt::WriteRequest::default() };
        let (mut rpc, request) = (self.rpc.clone(), self.caller.request(message));
        self.caller.wait(rpc.write(request)).map_err(|status| refusal(&status))?;
        Ok(())
    }

    /// Reads entities.
    ///
    /// # Errors
    /// The server refuses the request.
    pub fn read(
        &self,
        p4_name: &str,
        target: bfrt::TargetDevice,
        entities: Vec<bfrt::Entity>,
    ) -> Result<Vec<bfrt::Entity>, Refusal> {
        let target = bfrt::TargetDevice { device_id: self.config.device_id, ..target };
        let p4_name = p4_name.to_owned();
        let message = bfrt::ReadRequest { target: Some(target), entities, p4_name, client_id: 0 };
        let (mut rpc, request) = (self.rpc.clone(), self.caller.request(message));
        let answers = async {
            let mut stream = rpc.read(request).await?.into_inner();
            let mut found = Vec::new();
            while let Some(part) = stream.message().await? {
                found.extend(part.entities);
            }
            Ok(found)
        };
        self.caller.wait(answers).map_err(|status: Status| refusal(&status))
    }

    /// Opens a stream, and binds to a program under a number that no other client has.
    ///
    /// # Errors
    /// Another client is bound to the program, or has the number.
    pub fn subscribe(&self, client_id: u32, p4_name: &str) -> Result<BfrtStream, Refusal> {
        let (requests, outgoing) = mpsc::channel(1);
        let (incoming, mut messages) = mpsc::channel(MAX_INCOMING);
        let device_id = self.config.device_id;
        let notifications = bfrt::subscribe::Notifications {
            enable_learn_notifications: true,
            enable_idletimeout_notifications: true,
            enable_port_status_change_notifications: true,
            ..bfrt::subscribe::Notifications::default()
        };
        let subscribe =
            bfrt::Subscribe { device_id, notifications: Some(notifications), ..bfrt::Subscribe::default() };
        let subscribe = StreamMessageRequest { client_id, update: Some(Asked::Subscribe(subscribe)) };
        let config = bfrt::ForwardingPipelineConfig { p4_name: p4_name.to_owned(), ..Default::default() };
        let bind = bfrt::SetForwardingPipelineConfigRequest {
            device_id,
            client_id,
            action: Action::Bind as i32,
            config: vec![config],
            ..Default::default()
        };
        let (mut rpc, bind) = (self.rpc.clone(), self.caller.request(bind));
        let timeout = self.config.timeout;
        let messages = self.caller.wait(async move {
            let late = |_| Status::deadline_exceeded("the server does not answer");
            requests.send(subscribe).await.map_err(|_| Status::unavailable("the connection is closed"))?;
            let stream = rpc.stream_channel(ReceiverStream::new(outgoing));
            let mut stream = tokio::time::timeout(timeout, stream).await.map_err(late)??.into_inner();
            tokio::spawn(async move {
                while let Ok(Some(message)) = stream.message().await {
                    let _lost_if_nobody_reads = incoming.try_send(message);
                }
            });
            let answer = tokio::time::timeout(timeout, messages.recv()).await.map_err(late)?;
            let status = match answer.and_then(|answer| answer.update) {
                Some(Told::Subscribe(answer)) => answer.status.unwrap_or_default(),
                _ => return Err(Status::internal("the server did not answer the subscription")),
            };
            if status.code != 0 {
                return Err(Status::new(Code::from_i32(status.code), status.message));
            }
            rpc.set_forwarding_pipeline_config(bind).await?;
            Ok(BfrtStream { messages, _requests: requests })
        });
        messages.map_err(|status: Status| refusal(&status))
    }

    /// Waits for the next message of a stream. Returns `None` if no message arrives in time, or
    /// if the stream has ended.
    pub fn next_message(&self, stream: &mut BfrtStream, timeout: Duration) -> Option<Told> {
        let next = self.caller.wait(async { tokio::time::timeout(timeout, stream.messages.recv()).await });
        next.ok().flatten().and_then(|message| message.update)
    }
}

/// Makes the error for a refusal of the server, with the first update that failed.
fn refusal(status: &Status) -> Refusal {
    let outcomes = rpc::Status::decode(status.details()).map(|details| details.details).unwrap_or_default();
    let errors = outcomes.iter().filter_map(|any| bfrt::Error::decode(&any.value[..]).ok());
    let failed = errors.enumerate().find(|(_, error)| error.code != 0 || error.canonical_code != 0);
    match failed {
        None => Refusal::by_server(status),
        Some((update, error)) => {
            let code = if error.code == 0 { error.canonical_code } else { error.code };
            let message = if error.message.is_empty() { status.message().to_owned() } else { error.message };
            Refusal { message, code: Some(code), update: Some(update) }
        }
    }
}
