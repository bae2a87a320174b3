//! Tests TLS and mutual TLS: which clients are admitted, and that other clients learn nothing from
//! the server.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use crate::bench::{Bench, Owner, settings};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, RootCertStore, Stream, SupportedProtocolVersion};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::p4_runtime_client::P4RuntimeClient;
use weir_p4runtime::{Server, ServerConfig, StartError, TlsConfig};
use weir_p4runtime_client::{ClientConfig as Settings, ClientTls, Connection};

/// A certificate and its key, in PEM.
pub type Identity = (String, String);

/// An authority that signs certificates.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pub pem: String,
}

/// Makes an unsigned certificate for a name. It is valid from the start of the first year to the
/// start of the second.
pub fn certificate(name: &str, from: i32, until: i32) -> CertificateParams {
    let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    params.not_before = rcgen::date_time_ymd(from, 1, 1);
    params.not_after = rcgen::date_time_ymd(until, 1, 1);
    params
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    pub fn sign(&self, params: CertificateParams) -> Identity {
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }

    /// Returns a certificate for `localhost` that is valid now.
    pub fn valid(&self) -> Identity {
        self.sign(certificate("localhost", 2020, 2200))
    }
}

fn self_signed() -> Identity {
    let key = KeyPair::generate().unwrap();
    let params = certificate("localhost", 2020, 2200);
    (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
}

pub fn served(identity: Identity, clients: Option<&Authority>) -> Bench {
    let tls = TlsConfig {
        certificate: identity.0.into_bytes(),
        key: identity.1.into_bytes(),
        client_authority: clients.map(|clients| clients.pem.clone().into_bytes()),
    };
    Bench::with(ServerConfig { tls: Some(tls), ..settings() })
}

/// Connects with Weir's own client.
pub fn connect(
    bench: &Bench,
    authority: &Authority,
    identity: Option<Identity>,
    name: Option<&str>,
) -> Result<(), String> {
    let tls = ClientTls {
        ca: authority.pem.clone().into_bytes(),
        identity: identity.map(|(certificate, key)| (certificate.into_bytes(), key.into_bytes())),
        server_name: name.map(str::to_owned),
    };
    let settings = Settings {
        address: format!("localhost:{}", bench.address().port()),
        device_id: 1,
        election_id: Some(1),
        role: String::new(),
        tls: Some(tls),
        timeout: Duration::from_secs(20),
    };
    Connection::open(settings, |wait| wait()).map(|_| ()).map_err(|refused| format!("{refused:?}"))
}

/// A client that sends HTTP/2's preface and settings as early as TLS allows, without waiting to be
/// admitted.
struct Eager {
    /// The application data that the server sent.
    received: Vec<u8>,
    /// The reason why the connection ended; `None` if it did not end.
    end: Option<String>,
}

fn eager(
    bench: &Bench,
    authority: &Authority,
    identity: Option<&Identity>,
    version: &'static SupportedProtocolVersion,
) -> Eager {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.pem.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_protocol_versions(&[version]).unwrap();
    let config = config.with_root_certificates(roots);
    let mut config = match identity {
        Some((certificate, key)) => {
            let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
            config
                .with_client_auth_cert(chain, PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap())
                .unwrap()
        }
        None => config.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"h2".to_vec()];
    let mut connection = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    let mut socket = TcpStream::connect(bench.address()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut stream = Stream::new(&mut connection, &mut socket);
    let mut eager = Eager { received: Vec::new(), end: None };
    let mut buffer = [0; 1024];
    let written = stream
        .write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0")
        .and_then(|()| stream.flush());
    if let Err(error) = written {
        eager.end = Some(error.to_string());
    }
    // An admitted client gets settings; the others read until the connection ends.
    while eager.end.is_none() && eager.received.len() < 9 {
        match stream.read(&mut buffer) {
            Ok(0) => eager.end = Some("closed".to_owned()),
            Ok(read) => eager.received.extend(&buffer[..read]),
            Err(error) => eager.end = Some(error.to_string()),
        }
    }
    eager
}

#[test]
fn tls_serves_clients_that_trust_its_authority() {
    let (authority, other) = (Authority::new(), Authority::new());
    let bench = served(authority.valid(), None);
    connect(&bench, &authority, None, None).unwrap();
    let refused = connect(&bench, &other, None, None).unwrap_err();
    assert!(refused.contains("certificate"), "{refused}");
}

#[test]
fn clients_check_names_and_times_of_servers() {
    let authority = Authority::new();
    let elsewhere = served(authority.sign(certificate("switch.example", 2020, 2200)), None);
    let refused = connect(&elsewhere, &authority, None, None).unwrap_err();
    assert!(refused.contains("NotValidForName") || refused.contains("not valid for name"), "{refused}");
    connect(&elsewhere, &authority, None, Some("switch.example")).unwrap();
    for (from, until) in [(2020, 2021), (2199, 2200)] {
        let bench = served(authority.sign(certificate("localhost", from, until)), None);
        assert!(connect(&bench, &authority, None, None).is_err(), "{from} to {until}");
    }
    assert!(connect(&served(self_signed(), None), &authority, None, None).is_err());
}

#[test]
fn mutual_tls_sends_no_byte_before_a_valid_certificate() {
    let (authority, clients, other) = (Authority::new(), Authority::new(), Authority::new());
    let bench = served(authority.valid(), Some(&clients));
    for version in [&TLS12, &TLS13] {
        for (what, identity) in [
            ("none", None),
            ("expired", Some(clients.sign(certificate("localhost", 2020, 2021)))),
            ("not valid yet", Some(clients.sign(certificate("localhost", 2199, 2200)))),
            ("of another authority", Some(other.valid())),
            ("of the server's authority", Some(authority.valid())),
            ("signed by itself", Some(self_signed())),
        ] {
            let eager = eager(&bench, &authority, identity.as_ref(), version);
            assert!(eager.received.is_empty(), "{what}, {version:?}: {:?}", eager.received);
            let end = eager.end.expect("the connection ends");
            assert!(end.contains("alert"), "{what}, {version:?}: {end}");
            assert!(connect(&bench, &authority, identity, None).is_err(), "{what}");
        }
        let eager = eager(&bench, &authority, Some(&clients.valid()), version);
        assert_eq!((eager.end, eager.received.get(3)), (None, Some(&4)), "settings come");
    }
    assert!(bench.server.clients(1).is_empty());
    // Each of the six clients failed with each version. The server counts after the client's alert.
    let failed = || bench.server.connections().closed(weir_accept::Reason::Handshake);
    for _ in 0..2000 {
        if failed() >= 12 {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(failed() >= 12, "{}", failed());
    connect(&bench, &authority, Some(clients.valid()), None).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn plaintext_at_a_port_with_tls_gets_no_answer() {
    let (authority, clients) = (Authority::new(), Authority::new());
    for clients in [None, Some(&clients)] {
        let bench = served(authority.valid(), clients);
        let plain = Endpoint::from_shared(format!("http://{}", bench.address())).unwrap().connect().await;
        if let Ok(channel) = plain {
            let request = v1::CapabilitiesRequest { device_id: 1 };
            P4RuntimeClient::new(channel).capabilities(request).await.unwrap_err();
        }
        let mut socket = TcpStream::connect(bench.address()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        let _reset = socket.read_to_end(&mut answer);
        // The answer is at most a TLS alert (21), which has 7 bytes.
        assert!(answer.is_empty() || answer.len() == 7 && answer[0] == 21, "{answer:?}");
    }
}

#[test]
fn old_versions_of_tls_are_refused() {
    let (authority, clients) = (Authority::new(), Authority::new());
    let benches = [served(authority.valid(), None), served(authority.valid(), Some(&clients))];
    for (bench, minor) in benches.iter().flat_map(|bench| [(bench, 1), (bench, 2)]) {
        // A client hello of TLS 1.0 or 1.1: version, random, no session, one cipher, no
        // compression.
        let mut hello = vec![3, minor];
        hello.extend([7; 32]);
        hello.extend([0, 0, 2, 0, 0x2f, 1, 0]);
        let length = hello.len() as u8;
        let mut record = vec![22, 3, 1, 0, length + 4, 1, 0, 0, length];
        record.extend(hello);
        let mut socket = TcpStream::connect(bench.address()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket.write_all(&record).unwrap();
        let mut answer = Vec::new();
        socket.read_to_end(&mut answer).unwrap();
        // The answer is a fatal (2) alert (21) and nothing else.
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

/// Returns the settings of a server with this identity.
fn with_identity((certificate, key): Identity) -> TlsConfig {
    TlsConfig { certificate: certificate.into_bytes(), key: key.into_bytes(), client_authority: None }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn new_certificates_serve_new_connections() {
    let (first, second) = (Authority::new(), Authority::new());
    let bench = served(first.valid(), None);
    let tls =
        ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&first.pem)).domain_name("localhost");
    let endpoint = Endpoint::from_shared(format!("https://{}", bench.address())).unwrap();
    let mut open = P4RuntimeClient::new(endpoint.tls_config(tls).unwrap().connect().await.unwrap());
    bench.server.replace_certificates(&with_identity(second.valid())).unwrap();
    // The three mistakes are a key that does not belong to the certificate, no certificate, and
    // another kind of TLS.
    let wrong = (second.valid().0, second.valid().1);
    let mutual =
        TlsConfig { client_authority: Some(first.pem.clone().into()), ..with_identity(first.valid()) };
    for (what, config, expected) in [
        ("key", with_identity(wrong), "the certificate and its key: "),
        (
            "empty",
            with_identity((String::new(), second.valid().1)),
            "the server's certificate: the file has no",
        ),
        ("mutual", mutual, "whether clients need certificates cannot change"),
    ] {
        let refused = bench.server.replace_certificates(&config).unwrap_err().to_string();
        assert!(refused.starts_with(&format!("TLS cannot be set up: {expected}")), "{what}: {refused}");
    }
    tokio::task::block_in_place(|| {
        connect(&bench, &second, None, None).unwrap();
        connect(&bench, &first, None, None).unwrap_err();
    });
    open.capabilities(v1::CapabilitiesRequest { device_id: 1 }).await.unwrap();
    let plain = Bench::new();
    assert!(plain.server.replace_certificates(&with_identity(first.valid())).is_err());
}
