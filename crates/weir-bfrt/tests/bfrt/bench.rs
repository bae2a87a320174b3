//! A server with a switch, and clients that talk to it over loopback.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::Channel;
use tonic::{Status, Streaming};
use weir_bfrt::{Listen, Server, ServerConfig, SwitchOwner, Unavailable};
use weir_device::{Device, Nanos, Packet, Port};
use weir_interp::Interpreter;
use weir_p4runtime_proto::bfrt;
use weir_p4runtime_proto::bfrt::bf_runtime_client::BfRuntimeClient;
use weir_p4runtime_proto::bfrt::entity::Entity;
use weir_p4runtime_proto::bfrt::stream_message_request::Update as Request;
use weir_p4runtime_proto::bfrt::stream_message_response::Update as Response;
use weir_switch::{Switch, SwitchConfig};
use weir_syntax::preprocess::MemoryLoader;

/// A switch in memory, with a clock that tests set.
pub struct Owner {
    pub switch: Mutex<Switch>,
    pub now: AtomicU64,
}

impl SwitchOwner for Owner {
    fn with_switch(&self, act: &mut dyn FnMut(&mut Switch, Nanos)) -> Result<(), Unavailable> {
        act(&mut self.switch.lock().unwrap(), self.now.load(Ordering::SeqCst));
        Ok(())
    }

    fn program_name(&self) -> String {
        "program".to_owned()
    }

    fn make_switch(&self, program: &[u8], settings: SwitchConfig) -> Result<Switch, String> {
        let text = String::from_utf8_lossy(program);
        let program = weir_ir::text::parse(&text).map_err(|error| error.to_string())?;
        let program = weir_ir::validate(program).map_err(|violations| format!("{violations:?}"))?;
        let program = weir_switch::arch::bind(program).map_err(|error| error.to_string())?;
        Switch::new(Arc::new(Interpreter::new(program)), settings).map_err(|error| error.to_string())
    }
}

/// A server with one device, which has the number 0.
pub struct Bench {
    pub server: Server,
    pub owner: Arc<Owner>,
}

impl Bench {
    pub fn new() -> Self {
        Self::with(ServerConfig::default())
    }

    /// Starts a server for a switch with a program for Tofino.
    pub fn tofino() -> Self {
        let include = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../p4include");
        let read = |name: &str| fs::read_to_string(include.join(name)).unwrap();
        let mut loader = MemoryLoader::new()
            .with("program.p4", include_str!("tofino.p4"))
            .with("core.p4", read("core.p4"))
            .with("tna.p4", read("tna.p4"));
        for file in fs::read_dir(include.join("tna")).unwrap() {
            let name = format!("tna/{}", file.unwrap().file_name().into_string().unwrap());
            loader = loader.with(&name, read(&name));
        }
        Self::of(&loader, SwitchConfig::default().with_ports((1..=8).chain([64])), ServerConfig::default())
    }

    /// Starts a server with these settings at any free port.
    pub fn with(settings: ServerConfig) -> Self {
        let loader = MemoryLoader::new()
            .with("program.p4", include_str!("program.p4"))
            .with("core.p4", include_str!("../../../../p4include/core.p4"))
            .with("v1model.p4", include_str!("../../../../p4include/v1model.p4"));
        Self::of(&loader, SwitchConfig::default().with_ports([1, 2, 3, 4]), settings)
    }

    fn of(loader: &MemoryLoader, config: SwitchConfig, settings: ServerConfig) -> Self {
        let compiled = weir_load::compile("program.p4", loader, &[]);
        let Some(program) = compiled.program else {
            panic!("{}", compiled.diagnostics.render(&compiled.sources, false))
        };
        let switch = Switch::new(Arc::new(Interpreter::new(program)), config).unwrap();
        let owner = Arc::new(Owner { switch: Mutex::new(switch), now: AtomicU64::new(1_000) });
        let listen = vec![Listen::Tcp(([127, 0, 0, 1], 0).into())];
        let devices = vec![(0, Arc::clone(&owner) as Arc<dyn SwitchOwner>)];
        let server = Server::start(&ServerConfig { listen, ..settings }, devices).unwrap();
        Self { server, owner }
    }

    pub fn address(&self) -> SocketAddr {
        let [Listen::Tcp(address)] = self.server.addresses() else { panic!("not TCP") };
        *address
    }

    /// Injects a packet, and delivers the messages that it causes after this time.
    pub fn send(&self, port: Port, bytes: &[u8], time: Nanos) {
        let mut switch = self.owner.switch.lock().unwrap();
        switch.receive(self.owner.now.load(Ordering::SeqCst), port, Packet::new(0, bytes.to_vec()));
        drop(switch);
        self.pass(time);
    }

    /// Lets time pass, and delivers the messages of the switch.
    pub fn pass(&self, time: Nanos) {
        let now = self.owner.now.fetch_add(time, Ordering::SeqCst) + time;
        let mut switch = self.owner.switch.lock().unwrap();
        switch.advance(now, &mut Vec::new());
        let mut control = switch.control_at(now);
        let (digests, notices) = (control.take_digests(), control.take_idle_notices());
        self.server.deliver(0, &mut switch, now, &digests, &notices);
    }

    /// Connects a client that is bound to the program.
    pub async fn bound(&self, id: u32) -> Client {
        let mut client = self.subscribed(id).await;
        assert_eq!(client.status().await, 0);
        client.bind("program").await.unwrap();
        client
    }

    /// Connects a client, which has subscribed.
    pub async fn subscribed(&self, id: u32) -> Client {
        let channel = Channel::from_shared(format!("http://{}", self.address())).unwrap();
        let mut calls = BfRuntimeClient::new(channel.connect().await.unwrap());
        let (sender, receiver) = mpsc::unbounded_channel();
        let incoming =
            calls.stream_channel(UnboundedReceiverStream::new(receiver)).await.unwrap().into_inner();
        let client = Client { id, calls, sender, incoming };
        let notifications = Some(bfrt::subscribe::Notifications {
            enable_learn_notifications: true,
            enable_idletimeout_notifications: true,
            enable_port_status_change_notifications: true,
            enable_entry_active_notifications: true,
            ..Default::default()
        });
        client.send(Request::Subscribe(bfrt::Subscribe { notifications, ..Default::default() }));
        client
    }
}

/// A client with a stream.
pub struct Client {
    pub id: u32,
    pub calls: BfRuntimeClient<Channel>,
    sender: mpsc::UnboundedSender<bfrt::StreamMessageRequest>,
    incoming: Streaming<bfrt::StreamMessageResponse>,
}

impl Client {
    pub fn send(&self, update: Request) {
        self.sender.send(bfrt::StreamMessageRequest { client_id: self.id, update: Some(update) }).unwrap();
    }

    /// Returns the next message on the stream.
    pub async fn next(&mut self) -> Result<Response, Status> {
        let next = tokio::time::timeout(Duration::from_secs(20), self.incoming.message()).await;
        Ok(next.expect("a message in time")?.expect("the stream is open").update.expect("a kind"))
    }

    /// Returns the code of the answer to the subscription.
    pub async fn status(&mut self) -> i32 {
        match self.next().await.unwrap() {
            Response::Subscribe(answer) => answer.status.unwrap().code,
            other => panic!("{other:?}"),
        }
    }

    pub async fn bind(&mut self, name: &str) -> Result<(), Status> {
        let config = bfrt::ForwardingPipelineConfig { p4_name: name.to_owned(), ..Default::default() };
        let request = bfrt::SetForwardingPipelineConfigRequest {
            client_id: self.id,
            config: vec![config],
            ..Default::default()
        };
        self.calls.set_forwarding_pipeline_config(request).await.map(drop)
    }

    pub async fn write(&mut self, updates: Vec<bfrt::Update>) -> Result<bfrt::WriteResponse, Status> {
        let request = bfrt::WriteRequest { client_id: self.id, updates, ..Default::default() };
        self.calls.write(request).await.map(tonic::Response::into_inner)
    }

    pub async fn read(&mut self, entity: Entity) -> Result<Vec<Entity>, Status> {
        let entities = vec![bfrt::Entity { entity: Some(entity) }];
        let request = bfrt::ReadRequest { client_id: self.id, entities, ..Default::default() };
        let mut answer = self.calls.read(request).await?.into_inner();
        let mut found = Vec::new();
        while let Some(part) = answer.message().await? {
            found.extend(part.entities.into_iter().filter_map(|entity| entity.entity));
        }
        Ok(found)
    }

    /// Returns the tables of the program and of the device, as JSON.
    pub async fn info(&mut self) -> [serde_json::Value; 2] {
        let request = bfrt::GetForwardingPipelineConfigRequest::default();
        let answer = self.calls.get_forwarding_pipeline_config(request).await.unwrap().into_inner();
        let program = serde_json::from_slice(&answer.config[0].bfruntime_info).unwrap();
        [program, serde_json::from_slice(&answer.non_p4_config.unwrap().bfruntime_info).unwrap()]
    }

    /// Returns the number that belongs to the name of a table.
    pub async fn table(&mut self, name: &str) -> u32 {
        self.id_of(name, None).await
    }

    /// Returns the number that belongs to a name of a table's action or data field.
    pub async fn id_of(&mut self, table: &str, names: Option<bfrt::object_id::table_object::Names>) -> u32 {
        let object = bfrt::object_id::TableObject { table_name: table.to_owned(), names };
        let object = Some(bfrt::object_id::Object::TableObject(object));
        match self.read(Entity::ObjectId(bfrt::ObjectId { object, id: 0 })).await.unwrap().as_slice() {
            [Entity::ObjectId(found)] => found.id,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the number of entries of a table.
    pub async fn usage(&mut self, table_id: u32) -> u32 {
        let usage = bfrt::TableUsage { table_id, ..Default::default() };
        match self.read(Entity::TableUsage(usage)).await.unwrap().as_slice() {
            [Entity::TableUsage(usage)] => usage.usage,
            other => panic!("{other:?}"),
        }
    }
}

pub fn update(kind: bfrt::update::Type, entry: bfrt::TableEntry) -> bfrt::Update {
    let entity = Some(bfrt::Entity { entity: Some(Entity::TableEntry(entry)) });
    bfrt::Update { r#type: kind as i32, entity }
}

pub fn key(fields: Vec<bfrt::KeyField>) -> Option<bfrt::table_entry::Value> {
    Some(bfrt::table_entry::Value::Key(bfrt::TableKey { fields }))
}

pub fn exact(field_id: u32, value: &[u8]) -> bfrt::KeyField {
    let value = bfrt::key_field::Exact { value: value.to_vec() };
    bfrt::KeyField { field_id, match_type: Some(bfrt::key_field::MatchType::Exact(value)) }
}

pub fn lpm(field_id: u32, value: &[u8], prefix_len: i32) -> bfrt::KeyField {
    let value = bfrt::key_field::Lpm { value: value.to_vec(), prefix_len };
    bfrt::KeyField { field_id, match_type: Some(bfrt::key_field::MatchType::Lpm(value)) }
}

pub fn stream(field_id: u32, value: &[u8]) -> bfrt::DataField {
    bfrt::DataField { field_id, value: Some(bfrt::data_field::Value::Stream(value.to_vec())) }
}

/// Returns the codes and messages in the details of a status.
pub fn details(status: &Status) -> Vec<(i32, String)> {
    use prost::Message;
    let details = weir_p4runtime_proto::google::rpc::Status::decode(status.details()).unwrap().details;
    let error = |detail: &prost_types::Any| {
        assert_eq!(detail.type_url, "type.googleapis.com/bfrt_proto.Error");
        let error = bfrt::Error::decode(&*detail.value).unwrap();
        (error.canonical_code, error.message)
    };
    details.iter().map(error).collect()
}
