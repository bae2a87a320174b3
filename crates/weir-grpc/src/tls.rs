//! The certificates of a server, which may be replaced while it runs.

use std::future::Future;
use std::io;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::config::TlsConfig;

/// The name of HTTP/2 in TLS (RFC 7301, section 6; RFC 9113, section 3.2).
const HTTP2: &[u8] = b"h2";

/// Opens TLS on connections, with the current certificates.
pub struct Tls {
    /// Whether clients need certificates.
    pub is_mutual: bool,
    current: RwLock<Arc<ServerConfig>>,
}

impl Tls {
    /// Creates the TLS of a server with these certificates.
    ///
    /// # Errors
    /// The certificates cannot be used. The error says why.
    pub fn new(config: &TlsConfig) -> Result<Self, String> {
        let is_mutual = config.client_authority.is_some();
        Ok(Self { is_mutual, current: RwLock::new(Arc::new(rustls_config(config)?)) })
    }

    /// Replaces the certificates. Open connections keep theirs.
    ///
    /// # Errors
    /// The new certificates cannot be used. The server continues to use the previous ones.
    pub fn replace(&self, config: &TlsConfig) -> Result<(), String> {
        if config.client_authority.is_some() != self.is_mutual {
            return Err("whether clients need certificates cannot change".to_owned());
        }
        let new = Arc::new(rustls_config(config)?);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = new;
        Ok(())
    }

    /// Performs the TLS handshake with a client. An error contains the connection, too.
    pub fn open<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        socket: S,
    ) -> impl Future<Output = Result<TlsStream<S>, (io::Error, S)>> + use<S> {
        let current = Arc::clone(&self.current.read().unwrap_or_else(PoisonError::into_inner));
        TlsAcceptor::from(current).accept(socket).into_fallible()
    }
}

fn rustls_config(config: &TlsConfig) -> Result<ServerConfig, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?;
    let builder = match &config.client_authority {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let description = "the authority of the clients' certificates";
            let mut roots = RootCertStore::empty();
            for root in certificates(description, authority)? {
                roots.add(root).map_err(|error| format!("{description}: {error}"))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.map_err(|error| format!("{description}: {error}"))?)
        }
    };
    let key =
        PrivateKeyDer::from_pem_slice(&config.key).map_err(|error| format!("the private key: {error}"))?;
    let chain = certificates("the server's certificate", &config.certificate)?;
    let mut tls = builder
        .with_single_cert(chain, key)
        .map_err(|error| format!("the certificate and its key: {error}"))?;
    tls.alpn_protocols = vec![HTTP2.to_vec()];
    Ok(tls)
}

/// Reads the certificates in a PEM file, which must contain at least one.
fn certificates(what: &str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let read: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let read = read.map_err(|error| format!("{what}: {error}"))?;
    if read.is_empty() {
        return Err(format!("{what}: the file has no certificate in PEM (-----BEGIN CERTIFICATE-----)"));
    }
    Ok(read)
}
