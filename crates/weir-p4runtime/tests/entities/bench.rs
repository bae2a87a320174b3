//! A switch with the pipeline of a client, and messages as text.

#![allow(dead_code, reason = "each test uses a part")]

use std::sync::{Arc, LazyLock};

use prost::Message;
use prost_reflect::DynamicMessage;
use weir_device::Nanos;
use weir_interp::Interpreter;
use weir_p4runtime::proto::{config, descriptors, google, v1};
use weir_p4runtime::{Code, Pipeline, SpecialPorts, entities};
use weir_switch::{Switch, SwitchConfig, arch};
use weir_syntax::preprocess::MemoryLoader;

/// The port of the controller.
pub const CPU_PORT: u32 = 500;

/// A switch with ports 0 to 15 and the controller's port.
pub struct Bench {
    pub switch: Switch,
    pub pipeline: Pipeline,
    pub now: Nanos,
}

/// Reads a message of the protocol from its text form.
pub fn message<M: Message + Default>(name: &str, text: &str) -> M {
    let descriptor = descriptors().get_message_by_name(name).expect("the message exists");
    let read = DynamicMessage::parse_text_format(descriptor, text);
    let read = read.unwrap_or_else(|error| panic!("{error}\n{text}"));
    M::decode(&*read.encode_to_vec()).expect("the text form is a message")
}

/// Returns the text form of an entity.
pub fn text(entity: &v1::Entity) -> String {
    let descriptor = descriptors().get_message_by_name("p4.v1.Entity").expect("the message exists");
    DynamicMessage::decode(descriptor, &*entity.encode_to_vec()).expect("the message").to_text_format()
}

pub fn p4info() -> config::P4Info {
    static P4INFO: LazyLock<config::P4Info> =
        LazyLock::new(|| message("p4.config.v1.P4Info", include_str!("program.p4info.txtpb")));
    P4INFO.clone()
}

/// Returns the executor of the program, which is compiled once.
pub fn executor() -> Arc<Interpreter> {
    static EXECUTOR: LazyLock<Arc<Interpreter>> = LazyLock::new(compiled);
    Arc::clone(&EXECUTOR)
}

/// Compiles the program.
pub fn compiled() -> Arc<Interpreter> {
    compiled_from(include_str!("program.p4"))
}

/// Compiles a program.
pub fn compiled_from(text: &str) -> Arc<Interpreter> {
    let loader = MemoryLoader::new()
        .with("program.p4", text)
        .with("core.p4", include_str!("../../../../p4include/core.p4"))
        .with("v1model.p4", include_str!("../../../../p4include/v1model.p4"));
    let result = weir_compiler::compile("program.p4", &loader, &[]);
    let Some(program) = result.program else {
        panic!("{}", result.diagnostics.render(&result.source_map, false))
    };
    Arc::new(Interpreter::new(arch::bind(program).expect("it is a v1model program")))
}

/// Returns requests for the whole state of a switch with this P4Info.
pub fn everything(info: &config::P4Info) -> Vec<v1::Entity> {
    let tables = info.tables.iter().filter_map(|table| table.preamble.as_ref());
    let defaults =
        tables.map(|table| format!("table_entry {{ table_id: {} is_default_action: true }}", table.id));
    let all = [
        "table_entry { counter_data { } meter_config { } meter_counter_data { } }",
        "action_profile_member { }",
        "action_profile_group { }",
        "counter_entry { }",
        "meter_entry { counter_data { } }",
        "register_entry { }",
        "packet_replication_engine_entry { }",
        "value_set_entry { }",
        "digest_entry { }",
    ];
    let texts = all.into_iter().map(str::to_owned).chain(defaults);
    texts.map(|text| message("p4.v1.Entity", &text)).collect()
}

impl Bench {
    pub fn new() -> Self {
        Self::with(p4info())
    }

    /// Creates a switch with the P4Info of a client.
    pub fn with(p4info: config::P4Info) -> Self {
        Self::with_program(executor(), p4info)
    }

    /// Returns a switch with this program and with the P4Info of a client.
    pub fn with_program(executor: Arc<Interpreter>, p4info: config::P4Info) -> Self {
        let ports = (0..16).chain([CPU_PORT]).collect();
        let config = SwitchConfig { ports, ..SwitchConfig::default() };
        let switch = Switch::new(executor, config).expect("it loads");
        let pipeline = Pipeline::new(p4info, switch.program(), switch.schema());
        let mut pipeline = pipeline.unwrap_or_else(|error| panic!("{}", error.0.join("\n")));
        pipeline.set_special_ports(SpecialPorts { cpu: Some(CPU_PORT), recirculate: None });
        Self { switch, pipeline, now: 0 }
    }

    pub fn write(&mut self, request: &v1::WriteRequest) -> Result<(), tonic::Status> {
        self.write_as(request, &|_| true)
    }

    pub fn write_as(
        &mut self,
        request: &v1::WriteRequest,
        may_write: &dyn Fn(u32) -> bool,
    ) -> Result<(), tonic::Status> {
        entities::write(&mut self.pipeline, &mut self.switch, self.now, request, may_write)
    }

    /// Reads entities. Returns them, and the sizes of the parts in which they arrived.
    pub fn read(
        &mut self,
        requests: &[v1::Entity],
    ) -> (Vec<v1::Entity>, Vec<usize>, Result<(), tonic::Status>) {
        let (mut read, mut parts) = (Vec::new(), Vec::new());
        let mut sink = |part: v1::ReadResponse| {
            parts.push(part.entities.len());
            read.extend(part.entities);
            true
        };
        let Self { pipeline, switch, now, .. } = self;
        let done = entities::read(
            entities::ReadLimits::NONE,
            pipeline,
            switch,
            *now,
            requests,
            &|_| true,
            &mut sink,
        );
        (read, parts, done)
    }
}

/// Returns the outcomes in the details of a status: the code and message of each part.
pub fn outcomes(status: &tonic::Status) -> Vec<(Code, String)> {
    assert_eq!(status.code(), Code::Unknown, "{status}");
    let details = google::rpc::Status::decode(status.details()).expect("the details are a status");
    assert_eq!((details.code, details.message.as_str()), (2, status.message()));
    let outcome = |detail: prost_types::Any| {
        assert_eq!(detail.type_url, "type.googleapis.com/p4.v1.Error");
        let error = v1::Error::decode(&*detail.value).expect("an outcome");
        (Code::from_i32(error.canonical_code), error.message)
    };
    details.details.into_iter().map(outcome).collect()
}
