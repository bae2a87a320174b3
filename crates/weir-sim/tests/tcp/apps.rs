//! The client, the server and the network of the TCP tests.

use super::*;

/// Opens connections one after the other, writes to each, closes it, and reads everything.
pub struct Client {
    pub to: (IpAddr, u16),
    pub bytes: u64,
    pub connections: u64,
    pub every: u64,
    pub config: Option<Config>,
    /// Whether it releases a connection after the last write, without waiting for the peer.
    pub releases: bool,
    pub ip_options: Vec<u8>,
    pub begun: u64,
    pub left: BTreeMap<SocketId, u64>,
    pub closed: Vec<(Closed, Info)>,
    pub refused: Vec<SendError>,
    pub options: Vec<Vec<u8>>,
    pub received: u64,
}

impl Client {
    pub fn new(to: IpAddr, bytes: u64) -> Self {
        Client {
            to: (to, 80),
            bytes,
            connections: 1,
            every: MS,
            config: None,
            releases: false,
            ip_options: Vec::new(),
            begun: 0,
            left: BTreeMap::new(),
            closed: Vec::new(),
            refused: Vec::new(),
            options: Vec::new(),
            received: 0,
        }
    }

    fn write(&mut self, socket: SocketId, host: &mut HostContext<'_>) {
        let Some(left) = self.left.get_mut(&socket) else { return };
        *left -= host.tcp_write(socket, Data::Pattern(*left)).unwrap();
        if *left == 0 {
            self.left.remove(&socket);
            if self.releases { host.tcp_release(socket) } else { host.tcp_close(socket) }
        }
    }
}

impl App for Client {
    fn start(&mut self, host: &mut HostContext<'_>) {
        self.wake(0, host);
    }

    fn wake(&mut self, _: u64, host: &mut HostContext<'_>) {
        let config = self.config.clone().unwrap_or_else(|| host.tcp_defaults());
        match host.tcp_connect(self.to, config, &self.ip_options) {
            Ok(socket) => {
                self.left.insert(socket, self.bytes);
            }
            Err(error) => self.refused.push(error),
        }
        self.begun += 1;
        if self.begun < self.connections {
            host.wake_at(host.now() + self.every, 0);
        }
    }

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        match *arrival {
            AppEvent::Tcp { socket, event: TcpEvent::Connection(event) } => match event {
                Event::Connected | Event::Writable => self.write(socket, host),
                Event::Readable => self.received += host.tcp_discard(socket),
                Event::PeerClosed => {}
                Event::Closed(why) => self.closed.push((why, host.tcp_info(socket).unwrap())),
            },
            AppEvent::SynOptions { ip_options, .. } => self.options.push(ip_options.to_vec()),
            _ => {}
        }
    }

    fn finished(&self) -> bool {
        self.closed.len() + self.refused.len() == self.connections as usize
    }
}

/// Accepts connections, checks that the received bytes are the pattern, and closes when the peer
/// does.
#[derive(Default)]
pub struct Server {
    pub config: Option<Config>,
    /// Whether the server never closes its connections.
    pub stays: bool,
    pub answer: u64,
    pub ip_options: Vec<u8>,
    pub accepted: Vec<(IpAddr, u16)>,
    pub places: BTreeMap<SocketId, u64>,
    pub received: u64,
    pub closed: Vec<(Closed, Info)>,
    pub options: Vec<Vec<u8>>,
}

impl App for Server {
    fn start(&mut self, host: &mut HostContext<'_>) {
        let config = self.config.clone().unwrap_or_else(|| host.tcp_defaults());
        host.tcp_listen(80, config).unwrap();
        assert!(host.tcp_listen(80, host.tcp_defaults()).is_err());
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        match *arrival {
            AppEvent::Tcp { socket, event: TcpEvent::Accepted { port, from } } => {
                assert_eq!(port, 80);
                self.accepted.push(from);
                self.places.insert(socket, 0);
                if self.answer > 0 {
                    host.tcp_write(socket, Data::Pattern(self.answer)).unwrap();
                }
            }
            AppEvent::Tcp { socket, event: TcpEvent::Connection(event) } => match event {
                Event::Readable => {
                    let mut buffer = [0; 5000];
                    let place = self.places.get_mut(&socket).unwrap();
                    loop {
                        let read = host.tcp_read(socket, &mut buffer);
                        if read == 0 {
                            break;
                        }
                        for byte in &buffer[..read] {
                            assert_eq!(*byte, weir_sim::tcp::pattern()[(*place % 65536) as usize]);
                            *place += 1;
                        }
                        self.received += read as u64;
                    }
                }
                Event::PeerClosed if self.stays => {}
                Event::PeerClosed => host.tcp_close(socket),
                Event::Closed(why) => {
                    self.places.remove(&socket);
                    self.closed.push((why, host.tcp_info(socket).unwrap()));
                }
                Event::Connected | Event::Writable => {}
            },
            AppEvent::SynOptions { socket, ip_options } => {
                self.options.push(ip_options.to_vec());
                host.tcp_set_ip_options(socket, &self.ip_options).unwrap();
            }
            _ => {}
        }
    }

    fn finished(&self) -> bool {
        true
    }
}

/// Returns a client on h1 and a server on h2, around a relay.
pub fn world(link: &LinkConfig, client: Client, server: Server) -> (Network, AppId, AppId) {
    let (mut network, _) = star_network(1, 2, Relay::new(2, 1000), link);
    let server = network.start_app("h2", 0, Box::new(server)).unwrap();
    let client = network.start_app("h1", MS, Box::new(client)).unwrap();
    (network, client, server)
}

pub fn check_no_leftovers(network: &mut Network) {
    check(network);
    for host in ["h1", "h2"] {
        assert_eq!(network.host(host).unwrap().tcp_usage(), (0, 0, 0), "{host}");
    }
    assert_eq!(network.events_pending(), 0);
}
