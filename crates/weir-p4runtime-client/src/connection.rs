//! A connection to a server: calls, and the stream of messages.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;
use tonic::transport::Channel;

use super::calls::{Caller, ClientTls, Waiting, endpoint};
use super::inbox::Inbox;
use super::outcome::Refusal;
use super::unreachable::unreachable;
use crate::proto::config::P4Info;
use crate::proto::v1::get_forwarding_pipeline_config_request::ResponseType;
use crate::proto::v1::p4_runtime_client::P4RuntimeClient;
use crate::proto::v1::set_forwarding_pipeline_config_request::Action;
use crate::proto::v1::{self, StreamMessageRequest, stream_message_request, write_request};
use crate::wire::uint128;

/// The largest message that a client accepts, in bytes.
const MAX_MESSAGE: usize = 64 << 20;

/// The number of messages that may wait to be sent.
const MAX_OUTGOING: usize = 1024;

/// The address of a server, and the identity of the client.
#[derive(Clone, Debug)]
pub struct ClientConfig {
    /// The server's address: `HOST:PORT`, or `unix:PATH`.
    pub address: String,
    /// The number of the server's switch.
    pub device_id: u64,
    /// The controller with the larger id is primary; a client without an id never becomes primary.
    pub election_id: Option<u128>,
    /// The role of the client; empty for the default role.
    pub role: String,
    /// The encryption of the connection; `None` if it is plain text.
    pub tls: Option<ClientTls>,
    /// The maximum duration of a call.
    pub timeout: Duration,
}

/// A connection of a client to a P4Runtime server.
pub struct Connection {
    config: ClientConfig,
    caller: Caller,
    rpc: P4RuntimeClient<Channel>,
    /// `None` after [`Connection::close`].
    outgoing: Mutex<Option<mpsc::Sender<StreamMessageRequest>>>,
    /// Messages of the switch.
    pub inbox: Arc<Inbox>,
}

impl Connection {
    /// Connects, and bids for the role with the election id.
    ///
    /// # Errors
    /// There is no server at the address, or it refuses the bid.
    pub fn open(config: ClientConfig, waiting: Waiting) -> Result<Self, Refusal> {
        let caller = Caller::new(waiting, config.timeout)?;
        let endpoint = endpoint(&config.address, config.tls.as_ref(), config.timeout)?;
        let inbox = Arc::new(Inbox::default());
        let (outgoing, requests) = mpsc::channel(MAX_OUTGOING);
        let rpc = caller.wait(async {
            let channel = endpoint
                .connect()
                .await
                .map_err(|error| unreachable("P4Runtime", "--p4runtime", &config.address, &error))?;
            let mut rpc = P4RuntimeClient::new(channel).max_decoding_message_size(MAX_MESSAGE);
            let sent = outgoing.try_send(StreamMessageRequest { update: Some(arbitration_request(&config)) });
            sent.map_err(|_| Refusal::new("the connection is closed"))?;
            let call = rpc.stream_channel(ReceiverStream::new(requests));
            let stream = tokio::time::timeout(config.timeout, call).await;
            let stream =
                stream.map_err(|_| timeout_error(&config))?.map_err(|status| Refusal::by_server(&status))?;
            let (mut stream, inbox) = (stream.into_inner(), Arc::clone(&inbox));
            tokio::spawn(async move {
                loop {
                    match stream.message().await {
                        Ok(Some(message)) => inbox.add(message),
                        Ok(None) => {
                            return inbox.end_stream(Status::unavailable("the server ended the stream"));
                        }
                        Err(status) => return inbox.end_stream(status),
                    }
                }
            });
            Ok::<_, Refusal>(rpc)
        })?;
        let mut bid = Ok(());
        waiting(&mut || bid = inbox.wait_for_arbitration(config.timeout));
        bid.map_err(|status| Refusal::by_server(&status))?;
        let outgoing = Mutex::new(Some(outgoing));
        Ok(Self { config, caller, rpc, outgoing, inbox })
    }

    /// Returns the configuration of the client.
    pub fn config(&self) -> &ClientConfig {
        &self.config
    }

    /// Writes changes.
    ///
    /// # Errors
    /// One of the changes is refused; `atomicity` decides whether the others are made.
    pub fn write(
        &self,
        updates: Vec<v1::Update>,
        atomicity: write_request::Atomicity,
    ) -> Result<(), Refusal> {
        let message = v1::WriteRequest {
            device_id: self.config.device_id,
            role: self.config.role.clone(),
            election_id: self.config.election_id.map(uint128),
            updates,
            atomicity: atomicity as i32,
            ..v1::WriteRequest::default()
        };
        let (mut rpc, request) = (self.rpc.clone(), self.caller.request(message));
        self.caller.wait(rpc.write(request)).map_err(|status| Refusal::by_server(&status))?;
        Ok(())
    }

    /// Reads entities.
    ///
    /// # Errors
    /// The server refuses the request.
    pub fn read(&self, entities: Vec<v1::Entity>) -> Result<Vec<v1::Entity>, Refusal> {
        let (device_id, role) = (self.config.device_id, self.config.role.clone());
        let request = self.caller.request(v1::ReadRequest { device_id, role, entities });
        let mut rpc = self.rpc.clone();
        let answers = async {
            let mut stream = rpc.read(request).await?.into_inner();
            let mut received = Vec::new();
            while let Some(part) = stream.message().await? {
                received.extend(part.entities);
            }
            Ok(received)
        };
        self.caller.wait(answers).map_err(|status: Status| Refusal::by_server(&status))
    }

    /// Checks, saves or starts a program.
    ///
    /// # Errors
    /// The server refuses the program.
    pub fn set_program(
        &self,
        action: Action,
        info: Option<P4Info>,
        device_config: Vec<u8>,
        cookie: Option<u64>,
    ) -> Result<(), Refusal> {
        let config = info.map(|info| v1::ForwardingPipelineConfig {
            p4info: Some(info),
            p4_device_config: device_config,
            cookie: cookie.map(|cookie| v1::forwarding_pipeline_config::Cookie { cookie }),
        });
        self.set_config(action, config)
    }

    /// Restarts the switch's program, so that the switch holds only the state that the program
    /// itself declares.
    ///
    /// # Errors
    /// The server refuses the request.
    pub fn restart_program(&self) -> Result<(), Refusal> {
        let config = self.config_of(ResponseType::All)?;
        self.set_config(Action::VerifyAndCommit, config)
    }

    fn set_config(
        &self,
        action: Action,
        config: Option<v1::ForwardingPipelineConfig>,
    ) -> Result<(), Refusal> {
        let message = v1::SetForwardingPipelineConfigRequest {
            device_id: self.config.device_id,
            role: self.config.role.clone(),
            election_id: self.config.election_id.map(uint128),
            action: action as i32,
            config,
            ..v1::SetForwardingPipelineConfigRequest::default()
        };
        let (mut rpc, request) = (self.rpc.clone(), self.caller.request(message));
        let answer = self.caller.wait(rpc.set_forwarding_pipeline_config(request));
        answer.map_err(|status| Refusal::by_server(&status))?;
        Ok(())
    }

    /// Returns the P4Info and the cookie of the program; `None` if there is no program yet.
    ///
    /// # Errors
    /// The server refuses the request.
    pub fn program(&self) -> Result<Option<(P4Info, Option<u64>)>, Refusal> {
        let config = self.config_of(ResponseType::P4infoAndCookie)?;
        Ok(config.and_then(|config| Some((config.p4info?, config.cookie.map(|cookie| cookie.cookie)))))
    }

    fn config_of(&self, parts: ResponseType) -> Result<Option<v1::ForwardingPipelineConfig>, Refusal> {
        let message = v1::GetForwardingPipelineConfigRequest {
            device_id: self.config.device_id,
            response_type: parts as i32,
        };
        let (mut rpc, request) = (self.rpc.clone(), self.caller.request(message));
        let answer = self.caller.wait(rpc.get_forwarding_pipeline_config(request));
        Ok(answer.map_err(|status| Refusal::by_server(&status))?.into_inner().config)
    }

    /// Returns the version of the protocol that the server speaks.
    ///
    /// # Errors
    /// The server refuses the request.
    pub fn version(&self) -> Result<String, Refusal> {
        let request = self.caller.request(v1::CapabilitiesRequest { device_id: self.config.device_id });
        let mut rpc = self.rpc.clone();
        let answer =
            self.caller.wait(rpc.capabilities(request)).map_err(|status| Refusal::by_server(&status))?;
        Ok(answer.into_inner().p4runtime_api_version)
    }

    /// Sends a message on the stream.
    ///
    /// # Errors
    /// The stream has ended.
    pub fn send(&self, update: stream_message_request::Update) -> Result<(), Refusal> {
        let message = StreamMessageRequest { update: Some(update) };
        let outgoing = self.outgoing.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let sent = outgoing
            .is_some_and(|outgoing| self.caller.wait(async move { outgoing.send(message).await.is_ok() }));
        if sent {
            return Ok(());
        }
        let ended = self.inbox.end_status();
        Err(ended
            .map_or_else(|| Refusal::new("the connection is closed"), |status| Refusal::by_server(&status)))
    }

    /// Bids once more for each handled message, so that the time of a switch in lock-step advances.
    /// The handled messages are those that were read, and the first `seen` messages.
    ///
    /// # Errors
    /// The stream has ended.
    pub fn resume(&self, seen: u64) -> Result<(), Refusal> {
        (0..self.inbox.take_unanswered(seen)).try_for_each(|_| self.send(arbitration_request(&self.config)))
    }

    /// Ends the stream once the server has all messages, or after the timeout of a call.
    pub fn close(&self) {
        self.outgoing.lock().unwrap_or_else(PoisonError::into_inner).take();
        (self.caller.waiting)(&mut || self.inbox.wait_for_end(self.config.timeout));
    }
}

fn arbitration_request(config: &ClientConfig) -> stream_message_request::Update {
    let role = v1::Role { name: config.role.clone(), ..v1::Role::default() };
    stream_message_request::Update::Arbitration(v1::MasterArbitrationUpdate {
        device_id: config.device_id,
        role: (!config.role.is_empty()).then_some(role),
        election_id: config.election_id.map(uint128),
        status: None,
    })
}

fn timeout_error(config: &ClientConfig) -> Refusal {
    Refusal::new(format!("{} did not answer within {:?}", config.address, config.timeout))
}
