//! Fuzzes the messages of controllers: estimates their memory, decodes them, and passes them to a
//! switch in memory.
//!
//! An input is a sequence of messages. Each begins with its kind and its length, in three bytes.

use std::path::{Path, PathBuf};

use prost::{Message, Name};
use weir_device::{Device, Packet};
use weir_p4runtime::format::{self, Format};
use weir_p4runtime::proto::v1::write_request::Atomicity;
use weir_p4runtime::proto::{MAX_PARTS, config, decoded_bytes, has_few_parts, v1};
use weir_p4runtime::{Pipeline, entities};

use crate::bench::{self, Bench, CPU_PORT};
use crate::case::{Case, Request};

/// The memory in bytes that a message may take, as for a server with small memory.
const LIMIT: usize = 1 << 20;

/// The maximum number of messages in an input.
const MAX_MESSAGES: usize = 8;

const WRITE: u8 = 0;
const READ: u8 = 1;
const P4INFO: u8 = 2;
const STREAM: u8 = 3;
const ADVANCE: u8 = 4;
const FORMAT: u8 = 5;

pub fn run(mut bytes: &[u8]) {
    let mut bench = Bench::new();
    for _ in 0..MAX_MESSAGES {
        let Some(([kind, low, high], rest)) = bytes.split_first_chunk() else { return };
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(rest.len());
        let (message, rest) = rest.split_at(length);
        bytes = rest;
        match *kind % 6 {
            WRITE => write(&mut bench, message),
            READ => read(&mut bench, message),
            P4INFO => describe(&mut bench, message),
            STREAM => send(&mut bench, message),
            ADVANCE => {
                bench.now += 1_000_000_000 * (1 + length as u64 % 100);
                bench.switch.advance(bench.now, &mut Vec::new());
            }
            _ => read_text(message),
        }
    }
}

/// Returns the first inputs, each with a name: the requests of the tests of entities, a P4Info, and
/// an entity as text.
pub fn first() -> Vec<(String, Vec<u8>)> {
    let mut inputs = Vec::new();
    let mut add = |name: String, messages: &[(u8, Vec<u8>)]| {
        let mut input = Vec::new();
        for (kind, message) in messages {
            let length = u16::try_from(message.len()).expect("the first messages are short");
            input.push(*kind);
            input.extend(length.to_le_bytes());
            input.extend(message);
        }
        inputs.push((name, input));
    };
    for file in std::fs::read_dir(cases()).expect("there are cases") {
        let file = file.expect("there are cases").path();
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        for case in Case::all(&std::fs::read_to_string(&file).expect("cases are text")) {
            let requests: Vec<_> = case.requests().iter().map(encoded).collect();
            for (number, some) in requests.chunks(MAX_MESSAGES).enumerate() {
                add(format!("{name}-{}-{number}", case.line), some);
            }
        }
    }
    add("p4info".to_owned(), &[(P4INFO, bench::p4info().encode_to_vec())]);
    for name in ["text", "json"] {
        let entity = bench::everything(&bench::p4info()).remove(0);
        let format = Format::named(name).expect("it is a format");
        add(name.to_owned(), &[(FORMAT, format::write(&entity, format))]);
    }
    inputs
}

/// Returns the folder with the cases of the tests of entities.
fn cases() -> PathBuf {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let mut crates = folders.map(|folder| folder.join("crates/weir-p4runtime/tests/entities/cases"));
    crates.find(|folder| folder.is_dir()).expect("the target runs in a checkout")
}

fn encoded(request: &Request) -> (u8, Vec<u8>) {
    match request {
        Request::Write(request) => (WRITE, request.encode_to_vec()),
        Request::Read(entities) => {
            let request = v1::ReadRequest { entities: entities.clone(), ..v1::ReadRequest::default() };
            (READ, request.encode_to_vec())
        }
    }
}

/// Decodes a message as the server does. Returns `None` if the server would refuse it. `lists`
/// computes the memory of the message's lists, which the estimate must include.
fn decoded<M: Message + Name + Default>(bytes: &[u8], lists: impl Fn(&M) -> usize) -> Option<M> {
    let estimate = decoded_bytes::<M>(bytes, LIMIT);
    assert!(has_few_parts(bytes) || bytes.len() > MAX_PARTS);
    let message = M::decode(bytes).ok()?;
    let estimate = estimate.ok()?;
    let takes = size_of::<M>() + lists(&message);
    assert!(takes <= estimate, "the message takes {takes} bytes, not {estimate}");
    // Unknown fields are not kept, so the second form is what counts.
    let again = M::decode(&*message.encode_to_vec()).expect("it was encoded");
    assert_eq!(again.encode_to_vec(), message.encode_to_vec());
    Some(message)
}

/// Returns the whole state of the switch.
fn state(bench: &mut Bench) -> Vec<v1::Entity> {
    let everything = bench::everything(bench.pipeline.p4info());
    let (entities, _, end) = bench.read(&everything);
    end.unwrap_or_else(|status| panic!("the state cannot be read: {status:?}"));
    entities
}

fn write(bench: &mut Bench, bytes: &[u8]) {
    let lists = |request: &v1::WriteRequest| request.updates.capacity() * size_of::<v1::Update>();
    let Some(request) = decoded::<v1::WriteRequest>(bytes, lists) else { return };
    let is_atomic = matches!(
        Atomicity::try_from(request.atomicity),
        Ok(Atomicity::RollbackOnError | Atomicity::DataplaneAtomic)
    );
    let before = is_atomic.then(|| state(bench));
    let end = bench.write(&request);
    let after = state(bench);
    let Err(status) = end else { return };
    assert!(!status.message().is_empty());
    if !status.details().is_empty() {
        assert_eq!(bench::outcomes(&status).len(), request.updates.len(), "each update has an outcome");
    }
    if let Some(before) = before {
        assert_eq!(before, after, "a batch that failed as a whole has changed the switch");
    }
}

fn read(bench: &mut Bench, bytes: &[u8]) {
    let lists = |request: &v1::ReadRequest| request.entities.capacity() * size_of::<v1::Entity>();
    let Some(request) = decoded::<v1::ReadRequest>(bytes, lists) else { return };
    let (entities, _, end) = bench.read(&request.entities);
    let (again, _, end_again) = bench.read(&request.entities);
    assert_eq!((entities, end.is_ok()), (again, end_again.is_ok()), "a read has changed the switch");
    if let Err(status) = end {
        assert!(!status.message().is_empty());
    }
}

/// Matches a client's P4Info with the program. If it fits, a switch with this P4Info answers the
/// following messages.
fn describe(bench: &mut Bench, bytes: &[u8]) {
    let lists = |info: &config::P4Info| info.tables.capacity() * size_of::<config::Table>();
    let Some(info) = decoded::<config::P4Info>(bytes, lists) else { return };
    match Pipeline::new(info.clone(), bench.switch.program(), bench.switch.schema()) {
        Ok(_) => *bench = Bench::with(info),
        Err(error) => assert!(!error.0.is_empty() && error.0.iter().all(|line| !line.is_empty())),
    }
}

/// Sends the packet of a stream's message, and converts the same bytes as a packet of the switch.
fn send(bench: &mut Bench, bytes: &[u8]) {
    // Errors of the pipeline are messages to the controller.
    let _too_short = entities::packet_in(&bench.pipeline, bytes);
    let Some(message) = decoded::<v1::StreamMessageRequest>(bytes, |_| 0) else { return };
    let Some(v1::stream_message_request::Update::Packet(packet)) = message.update else { return };
    let Ok(frame) = entities::packet_out(&bench.pipeline, &packet) else { return };
    bench.switch.receive(bench.now, CPU_PORT, Packet::new(0, frame));
    bench.switch.advance(bench.now, &mut Vec::new());
}

/// Reads an entity from text and JSON, as clients of the command line write it.
fn read_text(bytes: &[u8]) {
    for (_, format) in Format::NAMES {
        match format::read::<v1::Entity>(bytes, format) {
            Ok(entity) => {
                let written = format::write(&entity, format);
                assert_eq!(format::read::<v1::Entity>(&written, format).as_ref(), Ok(&entity));
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}
