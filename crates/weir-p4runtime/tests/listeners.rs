//! Sockets, TLS and limits.

mod bench;

use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::Duration;

use bench::{Bench, Controller, Owner, settings};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Status};
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::p4_runtime_client::P4RuntimeClient;
use weir_p4runtime::{KeepAlive, Limits, Listen, Server, ServerConfig, StartError, SwitchOwner, TlsConfig};

/// An authority that signs certificates.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// A certificate for `localhost` until a year, and its key.
    fn sign(&self, until: i32) -> (String, String) {
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        params.not_after = rcgen::date_time_ymd(until, 1, 1);
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
}

fn tls_settings(authority: &Authority, clients: Option<&Authority>) -> ServerConfig {
    let (certificate, key) = authority.sign(2200);
    let tls = TlsConfig {
        certificate: certificate.into_bytes(),
        key: key.into_bytes(),
        client_authority: clients.map(|clients| clients.pem.clone().into_bytes()),
    };
    ServerConfig { tls: Some(tls), ..settings() }
}

/// Connects with TLS and asks for the version.
async fn ask(
    bench: &Bench,
    server: &Authority,
    identity: Option<(String, String)>,
) -> Result<String, String> {
    let mut tls =
        ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&server.pem)).domain_name("localhost");
    if let Some((certificate, key)) = identity {
        tls = tls.identity(Identity::from_pem(certificate, key));
    }
    let endpoint = Endpoint::from_shared(format!("https://{}", bench.address())).unwrap();
    let channel = endpoint.tls_config(tls).unwrap().connect().await.map_err(|error| error.to_string())?;
    version(channel).await.map_err(|status| status.to_string())
}

async fn version(channel: Channel) -> Result<String, Status> {
    let request = v1::CapabilitiesRequest { device_id: 1 };
    let answer = P4RuntimeClient::new(channel).capabilities(request).await?;
    Ok(answer.into_inner().p4runtime_api_version)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn tls_serves_those_who_trust_its_authority() {
    let (authority, other) = (Authority::new(), Authority::new());
    let bench = Bench::with(tls_settings(&authority, None));
    assert_eq!(ask(&bench, &authority, None).await.as_deref(), Ok("1.5.0"));
    assert!(ask(&bench, &other, None).await.is_err());
    let plain = Endpoint::from_shared(format!("http://{}", bench.address())).unwrap().connect().await;
    assert!(match plain {
        Ok(channel) => version(channel).await.is_err(),
        Err(_) => true,
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn mutual_tls_wants_a_certificate_that_is_valid() {
    let (authority, clients, other) = (Authority::new(), Authority::new(), Authority::new());
    let bench = Bench::with(tls_settings(&authority, Some(&clients)));
    assert_eq!(ask(&bench, &authority, Some(clients.sign(2200))).await.as_deref(), Ok("1.5.0"));
    for (what, identity) in [
        ("none", None),
        ("expired", Some(clients.sign(2021))),
        ("of another authority", Some(other.sign(2200))),
        ("of the server's authority", Some(authority.sign(2200))),
    ] {
        assert!(ask(&bench, &authority, identity).await.is_err(), "{what}");
    }
}

#[test]
fn old_versions_of_tls_are_refused() {
    let authority = Authority::new();
    let bench = Bench::with(tls_settings(&authority, None));
    for minor in [1, 2] {
        // A hello of TLS 1.0 or 1.1: version, random, no session, one cipher, no compression.
        let mut hello = vec![3, minor];
        hello.extend([7; 32]);
        hello.extend([0, 0, 2, 0, 0x2f, 1, 0]);
        let length = hello.len() as u8;
        let mut record = vec![22, 3, 1, 0, length + 4, 1, 0, 0, length];
        record.extend(hello);
        let mut socket = std::net::TcpStream::connect(bench.address()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket.write_all(&record).unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        // An alert (21), fatal (2), and nothing else.
        assert_eq!((answer.len(), answer[0], answer[5]), (7, 21, 2), "{answer:?}");
    }
}

#[test]
fn wrong_certificates_are_found_at_the_start() {
    let tls =
        TlsConfig { certificate: b"nothing".to_vec(), key: b"nothing".to_vec(), client_authority: None };
    let started = Server::start(ServerConfig { tls: Some(tls), ..settings() }, vec![(1, Owner::new())]);
    assert!(matches!(started, Err(StartError::Tls(_))));
}

#[test]
fn the_default_is_port_9559_with_room_for_large_messages() {
    let config = ServerConfig::new(bench::executor, bench::Files);
    assert_eq!(config.listen, [Listen::Tcp(([127, 0, 0, 1], 9559).into())]);
    assert_eq!(config.limits.message_bytes, 64 << 20);
}

#[test]
fn plaintext_beyond_loopback_must_be_asked_for() {
    let anywhere = || vec![Listen::Tcp(([0, 0, 0, 0], 0).into())];
    let refused = Server::start(ServerConfig { listen: anywhere(), ..settings() }, vec![(1, Owner::new())]);
    assert!(matches!(refused, Err(StartError::Plaintext(_))));
    let config = ServerConfig { listen: anywhere(), plaintext_beyond_loopback: true, ..settings() };
    Server::start(config, vec![(1, Owner::new())]).unwrap();
}

#[test]
fn what_cannot_start_says_why() {
    let one = || Owner::new() as Arc<dyn SwitchOwner>;
    let start = |config, devices| Server::start(config, devices).map(|_| ()).unwrap_err().to_string();
    assert!(start(settings(), vec![]).contains("at least one device"));
    assert!(start(settings(), vec![(1, one()), (1, one())]).contains("number 1"));
    assert!(start(ServerConfig { listen: vec![], ..settings() }, vec![(1, one())]).contains("address"));
    let bench = Bench::new();
    let listen = vec![Listen::Tcp(bench.address())];
    let taken = start(ServerConfig { listen, ..settings() }, vec![(1, one())]);
    assert!(taken.starts_with(&format!("cannot listen on {}", bench.address())), "{taken}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_unix_socket_serves_its_user() {
    let path = std::env::temp_dir().join(format!("weir-p4runtime-{}.sock", std::process::id()));
    let listen = vec![Listen::Unix(path.clone())];
    // A socket that a killed server left behind is no obstacle.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let bench = Bench::with(ServerConfig { listen: listen.clone(), ..settings() });
    assert_eq!(bench.server.addresses(), listen);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let second = Server::start(ServerConfig { listen, ..settings() }, vec![(1, Owner::new())]);
    assert!(matches!(second, Err(StartError::Listen { .. })), "the socket is in use");
    let channel = Endpoint::from_shared(format!("unix:{}", path.display())).unwrap().connect().await.unwrap();
    let mut controller = Controller::open(P4RuntimeClient::new(channel)).await;
    controller.bid(1);
    assert_eq!(controller.arbitration().await.unwrap(), Code::Ok);
    assert!(bench.server.clients(1)[0].peer.starts_with("unix"));
    drop((controller, bench));
    assert!(!path.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn messages_and_connections_are_limited() {
    let limits = Limits { message_bytes: 10_000, connections: 1, ..Limits::default() };
    let bench = Bench::with(ServerConfig { limits, ..settings() });
    let mut controller = bench.controller(1).await;
    let status = controller.start(1, &"// a comment\n".repeat(1000)).await.unwrap_err();
    assert_eq!(status.code(), Code::OutOfRange, "{status}");
    let endpoint = Endpoint::from_shared(format!("http://{}", bench.address())).unwrap();
    let second = endpoint.connect().await;
    assert!(match second {
        Ok(channel) => version(channel).await.is_err(),
        Err(_) => true,
    });
    drop(controller);
    for _ in 0..200 {
        if let Ok(channel) = endpoint.connect().await
            && version(channel).await.is_ok()
        {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the connection that was closed still counts");
}

#[test]
fn a_client_that_does_not_answer_pings_is_disconnected() {
    let time = Duration::from_millis(100);
    let keep_alive = KeepAlive { interval: time, timeout: time };
    let bench = Bench::with(ServerConfig { keep_alive, ..settings() });
    let mut socket = std::net::TcpStream::connect(bench.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    // HTTP/2 begins: the preface, and settings without any.
    socket.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").unwrap();
    let mut received = Vec::new();
    socket.read_to_end(&mut received).expect("the server closes the connection");
    // A ping: its length, its type.
    assert!(received.windows(4).any(|bytes| bytes == [0, 0, 8, 6]), "{received:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn one_server_has_several_devices() {
    let devices = [3, 5].map(|number| (number, Owner::new() as Arc<dyn SwitchOwner>));
    let server = Server::start(settings(), devices.into()).unwrap();
    let [Listen::Tcp(address)] = server.addresses() else { panic!("no TCP") };
    let client = P4RuntimeClient::connect(format!("http://{address}")).await.unwrap();
    for (number, code) in [(3, Some(Code::Ok)), (5, Some(Code::Ok)), (0, None), (1, None)] {
        let mut controller = Controller::open(client.clone()).await;
        let update = v1::MasterArbitrationUpdate { device_id: number, ..bench::bid(1) };
        controller.send(v1::stream_message_request::Update::Arbitration(update));
        match code {
            Some(code) => assert_eq!(controller.arbitration().await.unwrap(), code),
            None => assert_eq!(controller.arbitration().await.unwrap_err().code(), Code::NotFound),
        }
    }
}
