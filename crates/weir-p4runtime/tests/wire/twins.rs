//! A server and a switch in memory that get the same requests.

use std::collections::BTreeMap;

use prost::Message;
use tonic::transport::Channel;
use tonic::{Code, Status};
use weir_p4runtime::SpecialPorts;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::set_forwarding_pipeline_config_request::Action;
use weir_switch::Switch;

use crate::bench::{Bench, everything, p4info};
use crate::mutate::mutant;
use crate::server::{self, Controller, config, election};
use crate::{Memory, corpus, count, random, raw};

/// The number of requests between two comparisons of the whole state.
const BETWEEN_LOOKS: usize = 16;

/// The fields of `WriteRequest` that name the writer and the device.
#[derive(Clone, PartialEq, Message)]
struct Writer {
    #[prost(uint64, tag = "1")]
    device_id: u64,
    #[prost(uint64, tag = "2")]
    role_id: u64,
    #[prost(message, optional, tag = "3")]
    election_id: Option<v1::Uint128>,
    #[prost(string, tag = "6")]
    role: String,
}

/// The fields of `ReadRequest` that name the reader's role and the device.
#[derive(Clone, PartialEq, Message)]
struct Reader {
    #[prost(uint64, tag = "1")]
    device_id: u64,
    #[prost(string, tag = "3")]
    role: String,
}

struct Twins {
    server: server::Bench,
    channel: Channel,
    /// A controller that stays connected, so that the role has a primary.
    _primary: Controller,
    twin: Bench,
    /// The number of writes and reads that ended with each code.
    codes: BTreeMap<String, usize>,
}

impl Twins {
    /// Starts a server and a switch that both run the program of the cases.
    async fn new() -> Self {
        let server = server::Bench::new();
        let mut primary = server.controller(1).await;
        let program = include_str!("../entities/program.p4");
        let config = v1::ForwardingPipelineConfig { p4info: Some(p4info()), ..config(program.as_bytes()) };
        let request = server::set(1, Action::VerifyAndCommit, Some(config));
        primary.client.set_forwarding_pipeline_config(request).await.unwrap();
        let mut twin = Bench::new();
        {
            let switch = server.owner.switch.lock().unwrap();
            twin.switch = Switch::new(twin.switch.executor().clone(), switch.config().clone()).unwrap();
        }
        twin.pipeline.set_special_ports(SpecialPorts { cpu: Some(server::CPU), recirculate: None });
        twin.now = server.owner.now();
        let endpoint = tonic::transport::Endpoint::from_shared(format!("http://{}", server.address()));
        let channel = endpoint.unwrap().connect().await.unwrap();
        Self { server, channel, _primary: primary, twin, codes: BTreeMap::new() }
    }

    /// Writes a message of these bytes to the switch in memory. Returns the answer that the server
    /// must give.
    fn expected_of_write(&mut self, bytes: &[u8]) -> Result<(), Status> {
        let wrong = |error: prost::DecodeError| Status::internal(error.to_string());
        // A controller that is not permitted to write is refused before its updates are decoded.
        let writer = Writer::decode(bytes).map_err(wrong)?;
        self.check_device(writer.device_id)?;
        if !writer.role.is_empty() || writer.role_id != 0 {
            return Err(Status::not_found("role"));
        }
        if writer.election_id != election(1) {
            return Err(Status::permission_denied("election id"));
        }
        self.twin.write(&v1::WriteRequest::decode(bytes).map_err(wrong)?)
    }

    fn check_device(&self, device: u64) -> Result<(), Status> {
        if device > 1 { Err(Status::not_found("device")) } else { Ok(()) }
    }

    async fn write(&mut self, bytes: Vec<u8>) {
        let expected = self.expected_of_write(&bytes);
        let answer = raw::call(&self.channel, "Write", bytes.clone()).await;
        self.check(answer.map(|_| ()), expected, &bytes);
    }

    async fn read(&mut self, bytes: Vec<u8>) {
        let (answer, status) = raw::read(&self.channel, bytes.clone()).await;
        let mut entities = Vec::new();
        let wrong = |error: prost::DecodeError| Status::internal(error.to_string());
        // The server checks the reader before it decodes the entities.
        let reader = Reader::decode(&*bytes).map_err(wrong);
        let checked = reader.and_then(|reader| self.check_device(reader.device_id));
        let request = checked.and_then(|()| v1::ReadRequest::decode(&*bytes).map_err(wrong));
        let expected = request.and_then(|request| {
            let (read, _, done) = self.twin.read(&request.entities);
            entities = read;
            done
        });
        let answer = answer.iter().flat_map(|part| v1::ReadResponse::decode(&**part).unwrap().entities);
        assert_eq!(answer.collect::<Vec<_>>(), entities, "{}", shown(&bytes));
        self.check(status, expected, &bytes);
    }

    /// Checks that two statuses have the same code and, for requests with several parts, the same
    /// outcomes.
    fn check(&mut self, found: Result<(), Status>, expected: Result<(), Status>, bytes: &[u8]) {
        let code = |status: &Result<(), Status>| status.as_ref().map_or_else(Status::code, |()| Code::Ok);
        assert_eq!(code(&found), code(&expected), "{found:?}, not {expected:?}: {}", shown(bytes));
        *self.codes.entry(format!("{:?}", code(&found))).or_default() += 1;
        if let (Err(found), Err(expected)) = (found, expected)
            && expected.code() == Code::Unknown
        {
            assert_eq!(found.message(), expected.message(), "{}", shown(bytes));
            assert_eq!(found.details(), expected.details(), "{}", shown(bytes));
        }
    }

    /// Checks that the server's switch and the switch in memory have the same state.
    async fn compare(&mut self) {
        let request = v1::ReadRequest { device_id: 1, entities: everything(&p4info()), ..Default::default() };
        self.read(request.encode_to_vec()).await;
    }
}

fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn mutated_writes_and_reads_give_the_same_result_as_in_memory() {
    let _alone = crate::alone().await;
    let (writes, reads) = corpus::requests();
    let writes: Vec<Vec<u8>> = writes.iter().map(Message::encode_to_vec).collect();
    let reads: Vec<Vec<u8>> = reads.iter().map(Message::encode_to_vec).collect();
    let (mut twins, mut random, mut memory) = (Twins::new().await, random(), Memory(None));
    for number in 0..count() {
        let write = mutant(&mut random, &writes);
        twins.write(write).await;
        let read = mutant(&mut random, &reads);
        twins.read(read).await;
        if number % BETWEEN_LOOKS == 0 {
            twins.compare().await;
        }
        memory.look(number, count());
    }
    twins.compare().await;
    memory.check("mutated writes and reads");
    eprintln!("{:?}", twins.codes);
    for code in ["Ok", "Unknown", "Internal"] {
        assert!(twins.codes[code] > count() / 20, "{:?}", twins.codes);
    }
    assert!(twins.server.server.clients(1)[0].is_primary);
}
