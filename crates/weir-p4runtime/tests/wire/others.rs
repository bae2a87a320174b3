//! Sends mutated messages of the other calls, and calls that do not exist.

use prost::Message;
use tonic::Code;
use tonic::transport::Channel;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::set_forwarding_pipeline_config_request::Action;
use weir_p4runtime::proto::v1::stream_message_request::Update;

use crate::mutate::mutant;
use crate::server::{self, Bench, PROGRAM, bid, election};
use crate::{Memory, count, random, raw};

/// Returns messages of a stream, as controllers send them.
fn messages() -> Vec<Vec<u8>> {
    let role = |name: &str| Some(v1::Role { name: name.to_owned(), ..Default::default() });
    let metadata = |id, value| v1::PacketMetadata { metadata_id: id, value };
    let packet =
        v1::PacketOut { payload: vec![7; 60], metadata: vec![metadata(1, vec![3]), metadata(2, vec![0])] };
    let any = prost_types::Any { type_url: "type.googleapis.com/x.Y".to_owned(), value: vec![1] };
    [
        Update::Arbitration(bid(5)),
        Update::Arbitration(v1::MasterArbitrationUpdate { role: role("a"), ..bid(7) }),
        Update::Arbitration(v1::MasterArbitrationUpdate { election_id: None, ..bid(0) }),
        Update::Packet(packet),
        Update::DigestAck(v1::DigestListAck { digest_id: 1, list_id: 2 }),
        Update::Other(any),
    ]
    .map(|update| v1::StreamMessageRequest { update: Some(update) }.encode_to_vec())
    .into()
}

/// Returns requests to change the program.
fn programs(info: v1::ForwardingPipelineConfig) -> Vec<Vec<u8>> {
    let with_info = v1::ForwardingPipelineConfig { p4_device_config: PROGRAM.into(), ..info };
    let small = "#include <core.p4>\n#include <v1model.p4>\nerror { Mine }";
    [
        server::set(1, Action::VerifyAndCommit, Some(server::config(PROGRAM.as_bytes()))),
        server::set(1, Action::VerifyAndSave, Some(with_info.clone())),
        server::set(1, Action::ReconcileAndCommit, Some(with_info)),
        server::set(1, Action::Verify, Some(server::config(small.as_bytes()))),
        server::set(1, Action::Commit, None),
    ]
    .map(|request| request.encode_to_vec())
    .into()
}

/// Checks that the server still answers. The answer may be an error, but not an internal error.
fn check(call: &str, answer: &Result<Vec<u8>, tonic::Status>, decodes: bool) {
    if let Err(status) = answer {
        // Only bytes that are not a message may cause `INTERNAL`.
        assert!(status.code() != Code::Internal || !decodes, "{call}: {status}");
        assert!(!matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded), "{call}: {status}");
    }
}

async fn version(channel: &Channel) {
    let request = v1::CapabilitiesRequest { device_id: 1 }.encode_to_vec();
    let answer = raw::call(channel, "Capabilities", request).await.unwrap();
    assert_eq!(v1::CapabilitiesResponse::decode(&*answer).unwrap().p4runtime_api_version, "1.5.0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn mutated_messages_of_other_calls_do_no_harm() {
    let _alone = crate::alone().await;
    let bench = Bench::new();
    let mut primary = bench.controller(1).await;
    primary.start(1, PROGRAM).await.unwrap();
    let info = v1::ForwardingPipelineConfig { p4info: Some(primary.names().await.0), ..Default::default() };
    let (programs, messages, mut random) = (programs(info), messages(), random());
    let small = [
        v1::GetForwardingPipelineConfigRequest { device_id: 1, response_type: 2 }.encode_to_vec(),
        v1::CapabilitiesRequest { device_id: 1 }.encode_to_vec(),
        v1::WriteRequest { device_id: 1, election_id: election(1), ..Default::default() }.encode_to_vec(),
    ];
    let endpoint = tonic::transport::Endpoint::from_shared(format!("http://{}", bench.address())).unwrap();
    let channel = endpoint.connect().await.unwrap();
    let mut memory = Memory(None);
    for number in 0..count() {
        // Requests to change the program are rare, because compiling a program is slow.
        if number % 16 == 0 {
            let bytes = mutant(&mut random, &programs);
            let decodes = v1::SetForwardingPipelineConfigRequest::decode(&*bytes).is_ok();
            check("program", &raw::call(&channel, "SetForwardingPipelineConfig", bytes).await, decodes);
        }
        let bytes = mutant(&mut random, &small);
        for call in ["GetForwardingPipelineConfig", "Capabilities", "Nonsense"] {
            check(call, &raw::call(&channel, call, bytes.clone()).await, false);
        }
        let sent: Vec<_> = (0..4).map(|_| mutant(&mut random, &messages)).collect();
        // The server accepts all messages, or the stream ends with the reason.
        if let Ok(mut answers) = raw::stream(&channel, sent).await {
            while let Ok(Some(_)) = answers.message().await {}
        }
        memory.look(number, count());
    }
    version(&channel).await;
    let clients = bench.server.clients(1);
    assert!(clients.iter().all(|client| !client.is_primary || client.election_id.is_some()), "{clients:?}");
    memory.check("mutated messages of other calls");
}
