//! The names in clients' certificates decide which calls the server refuses.

use rcgen::{CertificateParams, DnType, SanType};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Status};
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::p4_runtime_client::P4RuntimeClient;
use weir_p4runtime::proto::v1::set_forwarding_pipeline_config_request::Action;
use weir_p4runtime::proto::v1::stream_message_request::Update as Request;
use weir_p4runtime::{Listen, Permissions, Server, ServerConfig, StartError, TlsConfig};

use crate::bench::{Bench, Controller, Owner, RoleConfig, bid, bid_for, config, election, set, settings};
use crate::tls::{Authority, certificate};

const FILE: &str = r#"{"clients": [
    {"names": ["all.example.org"], "roles": ["", "r"], "rights": ["read", "write", "pipeline", "packet-io", "primary"]},
    {"names": ["*.reader.example.org"], "rights": ["read"]},
    {"names": ["packets.example.org"], "roles": ["r"], "devices": [1], "rights": ["packet-io", "primary"]},
    {"names": ["mute.example.org"], "rights": ["read", "primary"]},
    {"names": ["elsewhere.example.org"], "devices": [2], "rights": ["read", "write", "primary"]}
]}"#;

/// A server with mutual TLS, and the authority of both sides.
struct Guarded {
    bench: Bench,
    authority: Authority,
}

impl Guarded {
    fn new() -> Self {
        let authority = Authority::new();
        let (certificate, key) = authority.valid();
        let tls = TlsConfig {
            certificate: certificate.into_bytes(),
            key: key.into_bytes(),
            client_authority: Some(authority.pem.clone().into_bytes()),
        };
        let permissions = Some(Permissions::read("roles.json", FILE).unwrap());
        let bench = Bench::with(ServerConfig { tls: Some(tls), permissions, ..settings() });
        Self { bench, authority }
    }

    async fn client(&self, certificate: CertificateParams) -> P4RuntimeClient<Channel> {
        let (certificate, key) = self.authority.sign(certificate);
        let tls = ClientTlsConfig::new()
            .ca_certificate(Certificate::from_pem(&self.authority.pem))
            .identity(Identity::from_pem(certificate, key))
            .domain_name("localhost");
        let address = format!("https://{}", self.bench.address());
        let channel = Endpoint::from_shared(address).unwrap().tls_config(tls).unwrap().connect().await;
        P4RuntimeClient::new(channel.unwrap())
    }

    async fn named(&self, name: &str) -> P4RuntimeClient<Channel> {
        self.client(certificate(name, 2020, 2200)).await
    }
}

/// Returns whether the file of roles refuses a call, which may fail for other reasons too.
fn is_refused<T>(outcome: Result<T, Status>) -> bool {
    let refused = |status: &Status| status.message().contains("the server's file of roles");
    let refused = outcome.as_ref().err().filter(|status| refused(status));
    if let Some(status) = refused {
        assert_eq!(status.code(), Code::PermissionDenied);
    }
    refused.is_some()
}

/// Returns the calls that the file of roles lets a client make: capabilities, read, program, write,
/// set, and bids for the default role, without an id, and for the role `r`.
async fn allowed_calls(mut client: P4RuntimeClient<Channel>) -> String {
    let mut allowed = String::new();
    let mut note = |letter, refused: bool| {
        if !refused {
            allowed.push(letter);
        }
    };
    note('c', is_refused(client.capabilities(v1::CapabilitiesRequest { device_id: 1 }).await));
    let read = match client.read(v1::ReadRequest { device_id: 1, ..Default::default() }).await {
        Ok(parts) => parts.into_inner().message().await.map(drop),
        Err(status) => Err(status),
    };
    note('r', is_refused(read));
    let request = v1::GetForwardingPipelineConfigRequest { device_id: 1, response_type: 0 };
    note('p', is_refused(client.get_forwarding_pipeline_config(request).await));
    let request = v1::WriteRequest { device_id: 1, election_id: election(7), ..Default::default() };
    note('w', is_refused(client.write(request).await));
    let request = set(7, Action::Verify, Some(config(b"x")));
    note('s', is_refused(client.set_forwarding_pipeline_config(request).await));
    let without_id = v1::MasterArbitrationUpdate { election_id: None, ..bid(0) };
    for (letter, update) in [('D', bid(7)), ('B', without_id), ('R', bid_for("r", None, 7))] {
        let (requests, messages) = tokio::sync::mpsc::unbounded_channel();
        let messages = tokio_stream::wrappers::UnboundedReceiverStream::new(messages);
        let update = Some(Request::Arbitration(update));
        requests.send(v1::StreamMessageRequest { update }).unwrap();
        let answer = match client.stream_channel(messages).await {
            Ok(stream) => stream.into_inner().message().await.map(drop),
            Err(status) => Err(status),
        };
        note(letter, is_refused(answer));
    }
    allowed
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn certificates_decide_what_clients_may_do() {
    let guarded = Guarded::new();
    for (names, expected) in [
        (&["all.example.org"][..], "crpwsDBR"),
        (&["ALL.Example.org"], "crpwsDBR"),
        (&["evil.net", "all.example.org"], "crpwsDBR"),
        (&["x.reader.example.org"], "crpB"),
        (&["x.reader.example.org", "packets.example.org"], "crpBR"),
        (&["packets.example.org"], "cR"),
        (&["elsewhere.example.org"], "c"),
        (&["reader.example.org"], ""),
        (&["y.x.reader.example.org"], ""),
        (&["all.example.org.evil.net"], ""),
        (&["*.example.org"], ""),
        (&["*.reader.example.org"], ""),
        (&["127.0.0.1"], ""),
        (&[], ""),
    ] {
        let mut params = certificate("all.example.org", 2020, 2200);
        params.distinguished_name.push(DnType::CommonName, "all.example.org");
        params.subject_alt_names = names
            .iter()
            .map(|name| match name.parse() {
                Ok(address) => SanType::IpAddress(address),
                Err(_) => SanType::DnsName((*name).try_into().unwrap()),
            })
            .collect();
        let client = guarded.client(params).await;
        assert_eq!(allowed_calls(client).await, expected, "{names:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_client_that_is_not_listed_learns_why() {
    let guarded = Guarded::new();
    let capabilities = v1::CapabilitiesRequest { device_id: 0 };
    let status = guarded.named("evil.net").await.capabilities(capabilities).await.unwrap_err();
    assert_eq!(
        status.message(),
        "the server's file of roles does not list this client: no entry has a name of its certificate: evil.net"
    );
    let mut controller = Controller::open(guarded.named("x.reader.example.org").await).await;
    controller.bid(5);
    assert_eq!(
        controller.end().await.message(),
        "the server's file of roles does not let x.reader.example.org bid with an election id in the default \
         role on device 1"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn packets_need_a_right() {
    let guarded = Guarded::new();
    let bench = &guarded.bench;
    let mut all = Controller::open(guarded.named("all.example.org").await).await;
    all.bid(5);
    all.arbitration().await.unwrap();
    let program =
        crate::bench::PROGRAM.replace("default_action = drop()", "default_action = to_controller()");
    all.start(5, &program).await.unwrap();
    bench.frame(1, &crate::bench::frame(1, 0x800));
    assert!(matches!(all.next().await.unwrap(), Some(v1::stream_message_response::Update::Packet(_))));
    let mut mute = Controller::open(guarded.named("mute.example.org").await).await;
    mute.bid(6);
    assert_eq!(mute.arbitration().await.unwrap(), Code::Ok);
    bench.frame(1, &crate::bench::frame(1, 0x800));
    assert!(!mute.has_message().await);
    mute.send(Request::Packet(v1::PacketOut { payload: vec![0; 60], metadata: Vec::new() }));
    let error = mute.error().await;
    assert_eq!(error.canonical_code, Code::PermissionDenied as i32);
    assert!(error.message.contains("does not let mute.example.org send packets"), "{}", error.message);
    // Another role may receive packets.
    let mut packets = Controller::open(guarded.named("packets.example.org").await).await;
    let role = RoleConfig { packets: true, ..RoleConfig::default() };
    packets.send(Request::Arbitration(bid_for("r", Some(&role), 1)));
    assert_eq!(packets.arbitration().await.unwrap(), Code::Ok);
    bench.frame(1, &crate::bench::frame(1, 0x800));
    assert!(matches!(packets.next().await.unwrap(), Some(v1::stream_message_response::Update::Packet(_))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn elections_are_logged_with_names() {
    let guarded = Guarded::new();
    let mut first = Controller::open(guarded.named("all.example.org").await).await;
    first.bid(5);
    first.arbitration().await.unwrap();
    let mut second = Controller::open(guarded.named("mute.example.org").await).await;
    second.bid(6);
    second.arbitration().await.unwrap();
    let mut third = Controller::open(guarded.named("packets.example.org").await).await;
    third.send(Request::Arbitration(bid_for("r", None, 1)));
    third.arbitration().await.unwrap();
    let names = guarded.bench.server.clients(1).into_iter().map(|client| client.names.join(" "));
    assert_eq!(names.collect::<Vec<_>>(), ["all.example.org", "mute.example.org", "packets.example.org"]);
    drop((first, second, third));
    guarded.bench.left().await;
    let logged = guarded.bench.owner.logged.lock().unwrap().clone();
    let without_ports = |line: &String| {
        let parts: Vec<_> = line.split("127.0.0.1:").collect();
        parts.iter().map(|part| part.trim_start_matches(|letter: char| letter.is_ascii_digit())).collect()
    };
    let mut lines: Vec<String> = logged.iter().map(without_ports).collect();
    lines[3..].sort();
    assert_eq!(
        lines,
        [
            " (all.example.org) is the primary of the default role of device 1, with election id 5",
            " (mute.example.org) is the primary of the default role of device 1 instead of  (all.example.org), with \
             election id 6",
            " (packets.example.org) is the primary of the role \"r\" of device 1, with election id 1",
            " (mute.example.org) is no longer the primary of the default role of device 1",
            " (packets.example.org) is no longer the primary of the role \"r\" of device 1",
        ]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn names_of_roles_control_no_terminal() {
    let bench = Bench::new();
    let mut controller = Controller::open(bench.client().await).await;
    controller.send(Request::Arbitration(bid_for("\u{1b}[31mred\nx", None, 1)));
    controller.arbitration().await.unwrap();
    let logged = bench.owner.logged.lock().unwrap().clone();
    assert!(logged[0].contains(r#"the role "\u{1b}[31mred\nx" of device 1"#), "{logged:?}");
}

#[test]
fn permissions_need_certificates_of_clients() {
    let authority = Authority::new();
    let (certificate, key) = authority.valid();
    let tls = |clients: bool| {
        let client_authority = clients.then(|| authority.pem.clone().into_bytes());
        let (certificate, key) = (certificate.clone().into_bytes(), key.clone().into_bytes());
        Some(TlsConfig { certificate, key, client_authority })
    };
    let mut both = settings().listen;
    both.push(Listen::Unix(std::env::temp_dir().join("weir-permissions.sock")));
    for (tls, listen) in [(None, settings().listen), (tls(false), settings().listen), (tls(true), both)] {
        let permissions = Some(Permissions::read("roles.json", FILE).unwrap());
        let config = ServerConfig { tls, listen, permissions, ..settings() };
        let started = Server::start(config, vec![(1, Owner::new())]);
        assert!(matches!(started, Err(StartError::NoCertificates)));
    }
}

/// Returns a file in which the client `all` lacks some rights.
fn without(rights: &str) -> Permissions {
    Permissions::read("roles.json", &FILE.replacen(rights, "", 1)).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn new_permissions_hold_for_the_next_request() {
    let guarded = Guarded::new();
    let server = &guarded.bench.server;
    let mut all = Controller::open(guarded.named("all.example.org").await).await;
    all.bid(5);
    all.arbitration().await.unwrap();
    let mut reader = guarded.named("x.reader.example.org").await;
    let capabilities = v1::CapabilitiesRequest { device_id: 1 };
    reader.capabilities(capabilities).await.unwrap();
    let mut packets = Controller::open(guarded.named("packets.example.org").await).await;
    packets.send(Request::Arbitration(bid_for("r", None, 1)));
    assert_eq!(packets.arbitration().await.unwrap(), Code::Ok);
    // The primary stays, and may no longer write.
    server.replace_permissions(without(r#""write", "pipeline", "#)).unwrap();
    assert!(is_refused(all.write(5, []).await));
    assert!(is_refused(all.start(5, crate::bench::PROGRAM).await));
    all.bid(6);
    assert_eq!(all.arbitration().await.unwrap(), Code::Ok);
    // The client may no longer be primary, so its stream ends. No other client is in the file.
    let file = r#"{"clients": [{"names": ["all.example.org"], "rights": ["read", "write"]}]}"#;
    server.replace_permissions(Permissions::read("roles.json", file).unwrap()).unwrap();
    assert_eq!(
        all.end().await.message(),
        "the server's file of roles does not let all.example.org bid with an election id in the default role on \
         device 1"
    );
    assert!(is_refused::<()>(Err(packets.end().await)));
    assert!(is_refused(reader.capabilities(capabilities).await));
    assert!(is_refused(guarded.named("x.reader.example.org").await.capabilities(capabilities).await));
    guarded.bench.left().await;
    // Rights can return to connections that are still open.
    server.replace_permissions(Permissions::read("roles.json", FILE).unwrap()).unwrap();
    reader.capabilities(capabilities).await.unwrap();
    let open = Bench::new();
    assert!(matches!(open.server.replace_permissions(without("none")), Err(StartError::NoCertificates)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_primary_without_its_right_receives_no_packets() {
    let guarded = Guarded::new();
    let bench = &guarded.bench;
    let mut all = Controller::open(guarded.named("all.example.org").await).await;
    all.bid(5);
    all.arbitration().await.unwrap();
    let program =
        crate::bench::PROGRAM.replace("default_action = drop()", "default_action = to_controller()");
    all.start(5, &program).await.unwrap();
    bench.server.replace_permissions(without(r#""packet-io", "#)).unwrap();
    // The server has handled the change once it answers this bid.
    all.bid(5);
    all.arbitration().await.unwrap();
    bench.frame(1, &crate::bench::frame(1, 0x800));
    assert!(!all.has_message().await);
    bench.server.replace_permissions(Permissions::read("roles.json", FILE).unwrap()).unwrap();
    all.bid(5);
    all.arbitration().await.unwrap();
    bench.frame(1, &crate::bench::frame(1, 0x800));
    assert!(matches!(all.next().await.unwrap(), Some(v1::stream_message_response::Update::Packet(_))));
}
