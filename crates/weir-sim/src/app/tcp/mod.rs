//! Traffic over TCP: bulk flows, exchanges of requests and responses, and the server that answers both.
//!
//! As with flows of datagrams, client and server share a record of each flow; the server finds it by the client's address and port. Where a
//! data plane rewrites these, the server still receives and answers nothing, and the record lacks what only it could tell.

mod exchanges;
mod flow;
mod sender;
mod server;

use std::collections::BTreeMap;
use std::net::IpAddr;

pub use self::exchanges::{Exchanges, ExchangesConfig};
pub use self::flow::{Offer, TcpFlow, TcpFlowConfig, TcpInterval, TcpReport};
pub(crate) use self::sender::Sender;
pub use self::server::TcpServer;
use super::exchange::Rows;
use super::held::Held;
use weir_tcp::{Algorithm, Config, Pacing};

/// What of a host's settings of TCP a flow has otherwise.
#[derive(Clone, Debug, Default)]
pub struct TcpOptions {
    /// The congestion control.
    pub congestion: Option<Algorithm>,
    /// The largest payload of a segment in bytes, beside what interface and path allow.
    pub mss: Option<u16>,
    /// Bytes of the send buffer: the most that may be in flight.
    pub window: Option<u32>,
    /// Pacing at this rate in bits of IP packets per second.
    pub pacing: Option<u64>,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: Option<bool>,
    /// Selective acknowledgements.
    pub sack: Option<bool>,
}

impl TcpOptions {
    /// Settings with these changes.
    pub fn applied(&self, mut config: Config) -> Config {
        if let Some(congestion) = &self.congestion {
            config.congestion = congestion.clone();
        }
        config.mss = self.mss.unwrap_or(config.mss);
        config.send_buffer = self.window.unwrap_or(config.send_buffer);
        config.pacing = self.pacing.map_or(config.pacing, Pacing::Rate);
        config.ecn = self.ecn.unwrap_or(config.ecn);
        config.sack = self.sack.unwrap_or(config.sack);
        config
    }

    /// Whether a connection could live by them.
    fn check(&self, app: &'static str) -> Result<(), crate::Error> {
        let checked = self.applied(Config::default()).check();
        checked.map_err(|error| crate::Error::BadApp { app, reason: error.to_string() })
    }
}

/// What a client tells the server of a connection that it opens.
pub(crate) enum Expected {
    /// A flow's record, and who is to send if it is the server.
    Flow(Held<TcpReport>, Option<Box<Sender>>),
    /// Rows of exchanges that come one after the other, and the first.
    Exchanges(Rows, usize),
}

/// Connections that a server is to expect, by the client's address and port.
pub(crate) type Register = Held<BTreeMap<(IpAddr, u16), Expected>>;
