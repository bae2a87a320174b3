//! Measures how fast a controller writes entries through the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use prost::Message;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::{Channel, Endpoint};
use weir_control::Names;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::p4_runtime_client::P4RuntimeClient;
use weir_p4runtime::proto::v1::stream_message_request::Update as Request;
use weir_p4runtime::proto::v1::update::Type;
use weir_p4runtime::{Pipeline, entities};

use crate::load::{self, BATCH, Entries, process_time, processor_time, rate};
use crate::owner::{Owner, serve};
use crate::peer::Peer;

/// Returns an election id as a message.
pub fn election(id: u64) -> Option<v1::Uint128> {
    Some(v1::Uint128 { high: 0, low: id })
}

/// Connects a controller to device 1 with this election id. The controller stays connected until
/// the returned sender is dropped.
pub async fn connect(
    address: &str,
    election_id: u64,
) -> (P4RuntimeClient<Channel>, mpsc::Sender<v1::StreamMessageRequest>) {
    let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("it is an address");
    let channel = endpoint.connect().await.expect("it connects");
    let mut client = P4RuntimeClient::new(channel).max_decoding_message_size(usize::MAX);
    let (sender, receiver) = mpsc::channel(1);
    let bid = v1::MasterArbitrationUpdate {
        device_id: 1,
        election_id: election(election_id),
        ..Default::default()
    };
    let bid = v1::StreamMessageRequest { update: Some(Request::Arbitration(bid)) };
    sender.send(bid).await.expect("the stream takes it");
    let mut answers =
        client.stream_channel(ReceiverStream::new(receiver)).await.expect("a stream").into_inner();
    answers.message().await.expect("the stream stays open").expect("an answer");
    tokio::spawn(async move { while let Ok(Some(_)) = answers.message().await {} });
    (client, sender)
}

/// Returns a runtime for a client, with one thread.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime")
}

/// Inserts entries as a controller that has several batches in flight and creates its messages at
/// the same time. Returns seconds of wall-clock time and of this thread's processor time.
pub fn client(address: &str, table: &str, entries: usize, in_flight: usize) -> [f64; 2] {
    runtime().block_on(async {
        let (mut client, _primary) = connect(address, 1).await;
        let request = v1::GetForwardingPipelineConfigRequest { device_id: 1, response_type: 0 };
        let answer = client.get_forwarding_pipeline_config(request).await.expect("a program").into_inner();
        let info = answer.config.and_then(|config| config.p4info).expect("its P4Info");
        let tables = Entries::all(&info);
        let table = *tables.iter().find(|known| known.name == table).expect("it has the table");
        let next = Arc::new(AtomicUsize::new(0));
        let start = Instant::now();
        let busy = processor_time(start);
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..in_flight {
            let (mut client, next) = (client.clone(), Arc::clone(&next));
            tasks.spawn(async move {
                loop {
                    let first = next.fetch_add(BATCH, Ordering::Relaxed);
                    if first >= entries {
                        break;
                    }
                    let mut request = table.batch(Type::Insert, first);
                    (request.device_id, request.election_id) = (1, election(1));
                    client.write(request).await.expect("all are right");
                }
            });
        }
        while let Some(task) = tasks.join_next().await {
            task.expect("no task fails");
        }
        [start.elapsed().as_secs_f64(), (processor_time(start) - busy).as_secs_f64()]
    })
}

/// Decodes and writes the same entries in memory, without a server. Returns the processor time in
/// seconds.
fn in_memory(table: usize, entries: usize) -> f64 {
    let (mut switch, began) = (load::switch(), Instant::now());
    let info = load::info(&switch);
    let table = Entries::all(&info)[table];
    let mut pipeline = Pipeline::new(info, switch.program(), switch.schema()).expect("it fits itself");
    let mut busy = Duration::ZERO;
    for first in (0..entries).step_by(BATCH) {
        let batch = table.batch(Type::Insert, first).encode_to_vec();
        let start = processor_time(began);
        let request = v1::WriteRequest::decode(&*batch).expect("a request");
        entities::write(&mut pipeline, &mut switch, 0, &request, &|_| true).expect("all are right");
        busy += processor_time(began) - start;
    }
    busy.as_secs_f64()
}

/// Returns the number of entries of a table.
fn written(owner: &Owner, table: usize) -> usize {
    let mut switch = owner.switch.lock().expect("nobody panics");
    let names = Names::new(switch.schema());
    let table = names.table(["routes", "flows"][table]).expect("it is there");
    switch.control().table_state(table).expect("it is there").entries
}

/// Writes entries in several ways, and prints the rate of each.
pub fn report(entries: usize) {
    println!(
        "{entries} entries, written in batches of {BATCH}; rates by the clock, but in memory by processor time"
    );
    for (index, table) in ["lpm", "exact"].into_iter().enumerate() {
        let memory = in_memory(index, entries);
        println!(
            "  {table:5} in memory, decoded and written  {}",
            rate(entries, Duration::from_secs_f64(memory))
        );
        for in_flight in [1, 4] {
            for is_elsewhere in [false, true] {
                let (owner, _server, address) = serve(load::switch());
                let address = address.to_string();
                let before = process_time();
                let [seconds, busy] = if is_elsewhere {
                    let arguments = [&*address, table, &entries.to_string(), &in_flight.to_string()];
                    let numbers = Peer::start(&[&["write"], &arguments[..]].concat()).numbers();
                    [numbers[0], numbers[1]]
                } else {
                    client(&address, table, entries, in_flight)
                };
                assert_eq!(written(&owner, index), entries, "all are there");
                let all = process_time()
                    .zip(before)
                    .map_or(f64::NAN, |(after, before)| (after - before).as_secs_f64());
                let serving = if is_elsewhere { all } else { all - busy };
                println!(
                    "  {table:5} client in {} process, {in_flight} at a time {}, {:.2} of that in memory; processor time: {:.0} ns the server, {:.0} ns the client",
                    if is_elsewhere { "another " } else { "the same" },
                    rate(entries, Duration::from_secs_f64(seconds)),
                    memory / seconds,
                    serving * 1e9 / entries as f64,
                    busy * 1e9 / entries as f64
                );
            }
        }
    }
}
