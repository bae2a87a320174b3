//! TCP between hosts of the virtual network over switches that run a P4 program.

#[path = "../benches/by_hand/mod.rs"]
mod by_hand;
#[path = "../benches/common/mod.rs"]
mod common;
#[path = "../benches/network/stream.rs"]
mod stream;
#[path = "../benches/network/worlds.rs"]
#[allow(dead_code, reason = "of the benchmark's networks one is taken")]
mod worlds;

use std::net::IpAddr;
use std::sync::Arc;

use weir_bench::programs::reduced_benchmark;
use weir_exec::Executor;
use weir_sim::tcp::{Closed, Event, Info, pattern};
use weir_sim::{App, AppEvent, Binding, Data, Direction, HostContext, Impairments, LinkEnd, Loss, TcpEvent};
use worlds::Traffic;

const BYTES: u64 = 2_000_000;
const SECOND: u64 = 1_000_000_000;

struct Sender {
    to: IpAddr,
    left: u64,
    end: Option<(Closed, Info)>,
}

impl App for Sender {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.tcp_connect((self.to, 80), host.tcp_defaults(), &[]).unwrap();
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        let AppEvent::Tcp { socket, event: TcpEvent::Connection(event) } = *arrival else { return };
        match event {
            Event::Connected | Event::Writable => {
                self.left -= host.tcp_write(socket, Data::Pattern(self.left)).unwrap();
                if self.left == 0 {
                    host.tcp_close(socket);
                }
            }
            Event::Closed(why) => self.end = Some((why, host.tcp_info(socket).unwrap())),
            Event::Readable | Event::PeerClosed => {}
        }
    }

    fn finished(&self) -> bool {
        self.end.is_some()
    }
}

/// An application that checks each byte of a connection.
#[derive(Default)]
struct Receiver(u64);

impl App for Receiver {
    fn start(&mut self, host: &mut HostContext<'_>) {
        host.bind(Binding::Tcp(80)).unwrap();
    }

    fn wake(&mut self, _: u64, _: &mut HostContext<'_>) {}

    fn receive(&mut self, arrival: &AppEvent<'_>, host: &mut HostContext<'_>) {
        let AppEvent::Tcp { socket, event } = *arrival else { return };
        match event {
            TcpEvent::Connection(Event::Readable) => {
                let mut buffer = [0; 4096];
                loop {
                    let read = host.tcp_read(socket, &mut buffer);
                    for byte in &buffer[..read] {
                        assert_eq!(*byte, pattern()[(self.0 % 65536) as usize]);
                        self.0 += 1;
                    }
                    if read == 0 {
                        break;
                    }
                }
            }
            TcpEvent::Connection(Event::PeerClosed) => host.tcp_close(socket),
            _ => {}
        }
    }

    fn finished(&self) -> bool {
        true
    }
}

/// Transfers data over two P4 routers while the dumbbell's own streams fill the link between the
/// routers, which loses one frame in 100. Returns the frames at the sender.
fn transfer(executor: &Arc<dyn Executor>) -> Vec<u8> {
    let mut world = worlds::dumbbell(executor, Traffic::Tcp, 4);
    let network = &mut world.network;
    let trunk =
        network.links().into_iter().find(|link| link.ends.iter().all(|end| end.node.starts_with('s')));
    let trunk = trunk.expect("the routers are linked");
    for (direction, config) in Direction::BOTH.into_iter().zip(trunk.config) {
        let impairments = Impairments { loss: Loss::Random(0.01), ..Impairments::default() };
        network.set_link(trunk.id, direction, weir_sim::LinkConfig { impairments, ..config }).unwrap();
    }
    let to = network.host("h2").unwrap().address().unwrap();
    let capture = network.capture_to_memory(&[LinkEnd::new("h0", 0)]).unwrap();
    let receiver = network.start_app("h2", 0, Box::new(Receiver::default())).unwrap();
    let sender = network.start_app("h0", 0, Box::new(Sender { to, left: BYTES, end: None })).unwrap();
    let goal = weir_sim::StopCondition::AppFinished { app: sender, limit: 60 * SECOND };
    network.run_slice(goal, u64::MAX);
    assert_eq!(network.app::<Receiver>(receiver).unwrap().0, BYTES);
    let (why, info) = network.app::<Sender>(sender).unwrap().end.as_ref().expect("it ended in a minute");
    assert_eq!((*why, info.acked), (Closed::Both, BYTES));
    assert!(info.retransmits > 0, "{info:?}");
    assert_eq!(network.audit().violations, Vec::<String>::new());
    network.finish_capture(capture).unwrap()
}

#[test]
fn executors_agree_on_lossy_streams() {
    let router = reduced_benchmark("router-1k", 1).expect("it is listed");
    let program = common::program(router.file, router.source, &[]);
    let [native, interpreted] = common::executors(&program).map(|executor| transfer(&executor));
    assert!(native == interpreted, "the frames at the sender differ");
}
