//! An HTTP/2 client that can break the protocol's rules and reads as little as possible.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use crate::http::{PREFACE, frame, headers};

/// The largest frame that servers must accept, in bytes.
const FRAME: usize = 16 << 10;

/// A connection.
pub struct Client {
    socket: TcpStream,
    received: Vec<u8>,
    /// The bytes that the server's flow control allows on the connection.
    window: i64,
    initial: i64,
    /// The bytes that the server's flow control allows on each open stream.
    streams: BTreeMap<u32, i64>,
    next: u32,
    /// Whether the server has closed the connection.
    pub is_closed: bool,
}

impl Client {
    /// Opens a connection with streams that accept `window` bytes of answers.
    pub fn open(address: SocketAddr, window: u32) -> Self {
        let socket = TcpStream::connect(address).unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_write_timeout(Some(Duration::from_secs(1))).unwrap();
        let (received, streams) = (Vec::new(), BTreeMap::new());
        let (window_of_all, initial) = (65_535, 65_535);
        let mut client =
            Self { socket, received, window: window_of_all, initial, streams, next: 1, is_closed: false };
        let settings = [&[0, 4][..], &window.to_be_bytes()].concat();
        client.write(&[PREFACE, &frame(4, 0, 0, &settings)].concat());
        while client.look(Duration::from_secs(20)) == 0 && !client.is_closed {}
        client
    }

    fn write(&mut self, bytes: &[u8]) {
        self.is_closed |= self.socket.write_all(bytes).is_err();
    }

    /// Begins a call, and returns its stream.
    pub fn call(&mut self, call: &str) -> u32 {
        let stream = self.next;
        self.next += 2;
        self.streams.insert(stream, self.initial);
        self.write(&frame(1, 4, stream, &headers(&format!("/p4.v1.P4Runtime/{call}"))));
        stream
    }

    /// Sends as many bytes on a stream as the server's flow control allows now. Returns how many
    /// were sent.
    pub fn send(&mut self, stream: u32, bytes: &[u8]) -> usize {
        let mut sent = 0;
        while sent < bytes.len() && !self.is_closed {
            let Some(window) = self.streams.get_mut(&stream) else { break };
            let room = usize::try_from(self.window.min(*window)).unwrap_or(0);
            let some = room.min(FRAME).min(bytes.len() - sent);
            if some == 0 {
                break;
            }
            *window -= some as i64;
            self.window -= some as i64;
            self.write(&frame(0, 0, stream, &bytes[sent..sent + some]));
            sent += some;
        }
        sent
    }

    /// Returns whether a stream is open.
    pub fn has(&self, stream: u32) -> bool {
        self.streams.contains_key(&stream) && !self.is_closed
    }

    /// Waits for a frame from the server, and handles all frames that have arrived. Returns their
    /// number.
    pub fn look(&mut self, wait: Duration) -> usize {
        self.socket.set_read_timeout(Some(wait.max(Duration::from_millis(1)))).unwrap();
        let mut bytes = [0; 1 << 16];
        match self.socket.read(&mut bytes) {
            Ok(0) => self.is_closed = true,
            Ok(read) => self.received.extend(&bytes[..read]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => self.is_closed = true,
        }
        let mut frames = 0;
        while let Some((head, rest)) = self.received.split_at_checked(9) {
            let length = u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize;
            let (kind, flags) = (head[3], head[4]);
            let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
            let Some(payload) = rest.get(..length).map(<[u8]>::to_vec) else { break };
            self.received.drain(..9 + length);
            frames += 1;
            self.handle(kind, flags, stream, &payload);
        }
        frames
    }

    fn handle(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let number = |bytes: &[u8]| bytes.iter().fold(0, |all, byte| all << 8 | i64::from(*byte));
        match kind {
            // The frame ends the answer with headers, with data, or with a reset.
            0 | 1 if flags & 1 != 0 => drop(self.streams.remove(&stream)),
            3 => drop(self.streams.remove(&stream)),
            4 if flags & 1 == 0 => {
                for setting in payload.chunks_exact(6).filter(|setting| setting[1] == 4) {
                    let more = number(&setting[2..]) - self.initial;
                    self.initial += more;
                    self.streams.values_mut().for_each(|window| *window += more);
                }
                self.write(&frame(4, 1, 0, &[]));
            }
            6 if flags & 1 == 0 => self.write(&frame(6, 1, 0, payload)),
            8 if stream == 0 => self.window += number(payload),
            8 => {
                if let Some(window) = self.streams.get_mut(&stream) {
                    *window += number(payload);
                }
            }
            _ => {}
        }
    }
}
