//! A server with a switch, and controllers that talk to it over loopback.

#![allow(dead_code, reason = "each test uses a part")]

mod files;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub use files::Files;
use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::Channel;
use tonic::{Status, Streaming};
use weir_device::{Device, Nanos, Packet, Port, Transmission};
use weir_exec::Executor;
use weir_interp::Interpreter;
use weir_ir::ValidProgram;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::p4_runtime_client::P4RuntimeClient;
use weir_p4runtime::proto::v1::stream_message_request::Update as Request;
use weir_p4runtime::proto::v1::stream_message_response::Update as Response;
use weir_p4runtime::{Listen, ProgramFiles, Server, ServerConfig, SwitchOwner, Unavailable};
use weir_switch::{Switch, SwitchConfig};

/// A program that forwards by destination address, with placeholders for other code.
pub const PROGRAM: &str = include_str!("program.p4");

/// The port of the controller.
pub const CPU: Port = 255;

/// A switch in memory, with a clock that tests set.
pub struct Owner {
    pub switch: Mutex<Switch>,
    pub now: AtomicU64,
    pub warned: Mutex<Vec<String>>,
    pub logged: Mutex<Vec<String>>,
    pub prepared: AtomicU64,
}

impl Owner {
    /// Creates a switch with ports 1 to 4 and the controller's port. It runs a program that drops
    /// everything.
    pub fn new() -> Arc<Self> {
        let text = PROGRAM.replace("/*INGRESS*/", "mark_to_drop(sm);");
        let program = weir_load::compile("first.p4", &*Files.loader("first.p4", &text), &[]);
        let Some(program) = program.program else {
            panic!("{}", program.diagnostics.render(&program.sources, false))
        };
        let settings = SwitchConfig::default().with_ports([1, 2, 3, 4, CPU]);
        let switch = Switch::new(executor(program).unwrap(), settings).unwrap();
        Arc::new(Self {
            switch: Mutex::new(switch),
            now: AtomicU64::new(1_000),
            warned: Mutex::default(),
            logged: Mutex::default(),
            prepared: AtomicU64::new(0),
        })
    }

    pub fn now(&self) -> Nanos {
        self.now.load(Ordering::SeqCst)
    }

    pub fn pass(&self, time: Nanos) {
        self.now.fetch_add(time, Ordering::SeqCst);
    }

    /// Advances the clock by 1 ms, and returns the frames that left the switch.
    pub fn run(&self) -> Vec<Transmission> {
        self.pass(1_000_000);
        let mut transmissions = Vec::new();
        self.switch.lock().unwrap().advance(self.now(), &mut transmissions);
        transmissions
    }

    /// Injects a packet at a port. Returns the frames that left the switch.
    pub fn send(&self, port: Port, bytes: &[u8]) -> Vec<Transmission> {
        self.receive(port, bytes).unwrap();
        self.run()
    }
}

impl SwitchOwner for Owner {
    fn with_switch(&self, act: &mut dyn FnMut(&mut Switch, Nanos)) -> Result<(), Unavailable> {
        act(&mut self.switch.lock().unwrap(), self.now());
        Ok(())
    }

    fn receive(&self, port: Port, frame: &[u8]) -> Result<(), Unavailable> {
        let packet = Packet::new(0, frame.to_vec());
        self.switch.lock().unwrap().receive(self.now(), port, packet);
        Ok(())
    }

    fn cpu_port(&self) -> Option<Port> {
        Some(CPU)
    }

    fn warn(&self, problem: &str) {
        self.warned.lock().unwrap().push(problem.to_owned());
    }

    fn prepare(&self, _: &mut Switch) {
        self.prepared.fetch_add(u64::from(self.switch.try_lock().is_ok()), Ordering::SeqCst);
    }

    fn log(&self, line: &str) {
        self.logged.lock().unwrap().push(line.to_owned());
    }
}

pub fn executor(program: ValidProgram) -> Result<Arc<dyn Executor>, String> {
    Ok(Arc::new(Interpreter::new(program)))
}

/// Returns settings for a server at any free port.
pub fn settings() -> ServerConfig {
    ServerConfig {
        listen: vec![Listen::Tcp(([127, 0, 0, 1], 0).into())],
        ..ServerConfig::new(executor, Files)
    }
}

/// A server with one device, which has the number 1.
pub struct Bench {
    pub server: Server,
    pub owner: Arc<Owner>,
}

impl Bench {
    pub fn new() -> Self {
        Self::with(settings())
    }

    pub fn with(settings: ServerConfig) -> Self {
        Self::of(settings, Owner::new())
    }

    pub fn of(settings: ServerConfig, owner: Arc<Owner>) -> Self {
        let server = Server::start(settings, vec![(1, owner.clone() as Arc<dyn SwitchOwner>)]).unwrap();
        Self { server, owner }
    }

    pub fn address(&self) -> SocketAddr {
        address(&self.server)
    }

    pub async fn client(&self) -> P4RuntimeClient<Channel> {
        connect(&self.server).await
    }

    /// Injects a frame at a port and lets 1 ms pass. The switch's messages and its frames for the
    /// controller go to the server; the other frames are returned.
    pub fn frame(&self, port: Port, bytes: &[u8]) -> Vec<Transmission> {
        let mut transmissions = self.owner.send(port, bytes);
        self.server.deliver(1).unwrap();
        for frame in transmissions.extract_if(.., |frame| frame.port == CPU) {
            self.server.packet_in(1, &frame.packet.bytes);
        }
        transmissions
    }

    /// Locks the switch until the returned sender is dropped, so that calls that need the switch
    /// wait.
    pub fn hold(&self) -> std::sync::mpsc::Sender<()> {
        let (owner, (locked, is_locked)) = (self.owner.clone(), std::sync::mpsc::channel());
        let (release, released) = std::sync::mpsc::channel::<()>();
        std::thread::spawn(move || {
            let _switch = owner.switch.lock().unwrap();
            locked.send(()).unwrap();
            let _dropped = released.recv();
        });
        is_locked.recv().unwrap();
        release
    }

    /// Waits until the server has noticed that all controllers are disconnected.
    pub async fn left(&self) {
        while !self.server.clients(1).is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Returns a controller that has bid with this election id.
    pub async fn controller(&self, election_id: u64) -> Controller {
        let mut controller = Controller::open(self.client().await).await;
        controller.bid(election_id);
        controller.arbitration().await.unwrap();
        controller
    }
}

fn address(server: &Server) -> SocketAddr {
    let [Listen::Tcp(address), ..] = server.addresses() else { panic!("no TCP") };
    *address
}

pub async fn connect(server: &Server) -> P4RuntimeClient<Channel> {
    let client = P4RuntimeClient::connect(format!("http://{}", address(server))).await.unwrap();
    client.max_decoding_message_size(usize::MAX).max_encoding_message_size(usize::MAX)
}

/// A controller with its stream.
pub struct Controller {
    pub client: P4RuntimeClient<Channel>,
    requests: mpsc::UnboundedSender<v1::StreamMessageRequest>,
    responses: Streaming<v1::StreamMessageResponse>,
}

/// The time that tests wait for a message.
const PATIENCE: Duration = Duration::from_secs(20);

impl Controller {
    pub async fn open(mut client: P4RuntimeClient<Channel>) -> Self {
        let (requests, receiver) = mpsc::unbounded_channel();
        let stream = client.stream_channel(UnboundedReceiverStream::new(receiver)).await.unwrap();
        Self { client, requests, responses: stream.into_inner() }
    }

    /// Sends a message. If the stream has ended, the error appears when the stream is read.
    pub fn send(&self, update: Request) {
        let _ended = self.requests.send(v1::StreamMessageRequest { update: Some(update) });
    }

    /// Bids for the default role of device 1.
    pub fn bid(&self, election_id: u64) {
        self.send(Request::Arbitration(bid(election_id)));
    }

    /// Opens a stream, bids, and closes the stream. Returns the controller's standing.
    pub async fn bid_once(bench: &Bench, election_id: u64) -> tonic::Code {
        let mut controller = Self::open(bench.client().await).await;
        controller.bid(election_id);
        controller.arbitration().await.unwrap()
    }

    /// Begins an empty write as primary of the default role.
    pub async fn begin_write(&self, election_id: u64) -> tokio::task::JoinHandle<Result<(), Status>> {
        let mut client = self.client.clone();
        let request =
            v1::WriteRequest { device_id: 1, election_id: election(election_id), ..Default::default() };
        let writing = tokio::spawn(async move { client.write(request).await.map(|_| ()) });
        tokio::time::sleep(Duration::from_millis(100)).await;
        writing
    }

    /// Returns the next message, or the end of the stream.
    pub async fn next(&mut self) -> Result<Option<Response>, Status> {
        let message =
            tokio::time::timeout(PATIENCE, self.responses.message()).await.expect("no message came");
        message.map(|message| message.map(|message| message.update.expect("an empty message")))
    }

    /// Returns whether a message comes within 50 ms. Such a message is discarded.
    pub async fn has_message(&mut self) -> bool {
        tokio::time::timeout(Duration::from_millis(50), self.responses.message()).await.is_ok()
    }

    /// Returns the status of the next message, which must be an arbitration message.
    pub async fn arbitration(&mut self) -> Result<tonic::Code, Status> {
        match self.next().await? {
            Some(Response::Arbitration(update)) => Ok(update.status.unwrap().code.into()),
            other => panic!("expected arbitration, got {other:?}"),
        }
    }

    /// Returns the next message, which must be an arbitration message.
    pub async fn notice(&mut self) -> v1::MasterArbitrationUpdate {
        match self.next().await.unwrap() {
            Some(Response::Arbitration(update)) => update,
            other => panic!("expected arbitration, got {other:?}"),
        }
    }

    /// Returns the status with which the stream ends. Only arbitration messages may come before the
    /// end.
    pub async fn end(&mut self) -> Status {
        loop {
            match self.next().await {
                Err(status) => return status,
                Ok(Some(Response::Arbitration(_))) => {}
                Ok(other) => panic!("expected the end, got {other:?}"),
            }
        }
    }

    /// Returns the next message, which must be an error.
    pub async fn error(&mut self) -> v1::StreamError {
        match self.next().await.unwrap() {
            Some(Response::Error(error)) => error,
            other => panic!("expected an error, got {other:?}"),
        }
    }

    /// Writes a batch as primary of the default role.
    pub async fn write(
        &mut self,
        election_id: u64,
        updates: impl IntoIterator<Item = (v1::update::Type, v1::entity::Entity)>,
    ) -> Result<(), Status> {
        let update = |(kind, entity)| v1::Update {
            r#type: kind as i32,
            entity: Some(v1::Entity { entity: Some(entity) }),
        };
        let request = v1::WriteRequest {
            device_id: 1,
            election_id: election(election_id),
            updates: updates.into_iter().map(update).collect(),
            ..Default::default()
        };
        self.client.write(request).await.map(|_| ())
    }

    /// Reads all entities that the given entity selects.
    pub async fn read(&mut self, entity: v1::entity::Entity) -> Result<Vec<v1::entity::Entity>, Status> {
        let entities = vec![v1::Entity { entity: Some(entity) }];
        let request = v1::ReadRequest { device_id: 1, entities, ..Default::default() };
        let mut parts = self.client.read(request).await?.into_inner();
        let mut all = Vec::new();
        while let Some(part) = parts.message().await? {
            all.extend(part.entities.into_iter().filter_map(|entity| entity.entity));
        }
        Ok(all)
    }

    /// Returns the names and ids of the objects of the program.
    pub async fn names(&mut self) -> Names {
        let request = v1::GetForwardingPipelineConfigRequest { device_id: 1, response_type: 0 };
        let answer = self.client.get_forwarding_pipeline_config(request).await.unwrap().into_inner();
        Names(answer.config.unwrap().p4info.unwrap())
    }

    /// Starts a program.
    pub async fn start(&mut self, election_id: u64, text: &str) -> Result<(), Status> {
        let action = v1::set_forwarding_pipeline_config_request::Action::VerifyAndCommit;
        let request = set(election_id, action, Some(config(text.as_bytes())));
        self.client.set_forwarding_pipeline_config(request).await.map(|_| ())
    }
}

pub fn election(id: u64) -> Option<v1::Uint128> {
    Some(v1::Uint128 { high: 0, low: id })
}

/// Returns a bid for the default role of device 1.
pub fn bid(election_id: u64) -> v1::MasterArbitrationUpdate {
    v1::MasterArbitrationUpdate { device_id: 1, election_id: election(election_id), ..Default::default() }
}

/// Returns a bid for a role of device 1, which may have a config.
pub fn bid_for(role: &str, config: Option<&RoleConfig>, election_id: u64) -> v1::MasterArbitrationUpdate {
    let role = v1::Role { name: role.to_owned(), config: config.map(RoleConfig::any), ..Default::default() };
    v1::MasterArbitrationUpdate { role: Some(role), ..bid(election_id) }
}

/// The message `stratum.P4RoleConfig`.
#[derive(Clone, PartialEq, Message)]
pub struct RoleConfig {
    #[prost(uint32, repeated, tag = "1")]
    pub exclusive: Vec<u32>,
    #[prost(uint32, repeated, tag = "2")]
    pub shared: Vec<u32>,
    #[prost(message, optional, tag = "3")]
    pub filter: Option<v1::PacketMetadata>,
    #[prost(bool, tag = "4")]
    pub packets: bool,
    #[prost(bool, tag = "5")]
    pub pipeline: bool,
}

impl RoleConfig {
    pub fn any(&self) -> prost_types::Any {
        let type_url = "type.googleapis.com/stratum.P4RoleConfig".to_owned();
        prost_types::Any { type_url, value: self.encode_to_vec() }
    }
}

/// Returns a program, with the P4Info that the server makes from it.
pub fn config(device_config: &[u8]) -> v1::ForwardingPipelineConfig {
    v1::ForwardingPipelineConfig { p4_device_config: device_config.to_vec(), ..Default::default() }
}

pub fn set(
    election_id: u64,
    action: v1::set_forwarding_pipeline_config_request::Action,
    config: Option<v1::ForwardingPipelineConfig>,
) -> v1::SetForwardingPipelineConfigRequest {
    v1::SetForwardingPipelineConfigRequest {
        device_id: 1,
        election_id: election(election_id),
        action: action as i32,
        config,
        ..Default::default()
    }
}

/// The P4Info of [`PROGRAM`].
pub struct Names(pub weir_p4runtime::proto::config::P4Info);

impl Names {
    fn id(preamble: Option<&weir_p4runtime::proto::config::Preamble>, name: &str) -> Option<u32> {
        preamble
            .filter(|preamble| preamble.name == name || preamble.alias == name)
            .map(|preamble| preamble.id)
    }

    pub fn table(&self) -> u32 {
        self.0.tables.iter().find_map(|table| Self::id(table.preamble.as_ref(), "destinations")).unwrap()
    }

    pub fn counter(&self) -> u32 {
        self.0.counters[0].preamble.as_ref().unwrap().id
    }

    pub fn digest(&self) -> u32 {
        self.0.digests[0].preamble.as_ref().unwrap().id
    }

    fn action(&self, name: &str) -> u32 {
        self.0.actions.iter().find_map(|action| Self::id(action.preamble.as_ref(), name)).unwrap()
    }

    /// Returns an entry for frames to an address. Its action has the argument `port`, or no
    /// arguments.
    pub fn entry(&self, destination: u64, action: &str, port: Option<u16>) -> v1::TableEntry {
        let exact = v1::field_match::Exact { value: destination.to_be_bytes()[2..].to_vec() };
        let exact = v1::field_match::FieldMatchType::Exact(exact);
        let param = |port: u16| v1::action::Param { param_id: 1, value: port.to_be_bytes().to_vec() };
        let action =
            v1::Action { action_id: self.action(action), params: port.into_iter().map(param).collect() };
        v1::TableEntry {
            table_id: self.table(),
            r#match: vec![v1::FieldMatch { field_id: 1, field_match_type: Some(exact) }],
            action: Some(v1::TableAction { r#type: Some(v1::table_action::Type::Action(action)) }),
            ..Default::default()
        }
    }
}

/// Returns a frame of 60 bytes.
pub fn frame(destination: u64, ethertype: u16) -> Vec<u8> {
    let parts: [&[u8]; 4] =
        [&destination.to_be_bytes()[2..], &[2, 0, 0, 0, 0, 1], &ethertype.to_be_bytes(), &[0; 46]];
    parts.concat()
}
