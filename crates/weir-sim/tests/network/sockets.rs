//! TCP sockets of programs outside the simulation: their events, the times of the events, and how
//! much fits in the send buffer.

use crate::world::*;
use weir_sim::tcp::{Closed, Config, Pacing};
use weir_sim::{
    AppId, BindError, Binding, LinkConfig, LinkEnd, Network, SendError, SocketEvent, SocketMessage, Sockets,
    StopCondition, StopReason,
};

/// Returns two hosts on a link of 10 Mbit/s and 10 ms, each with a program; the second one listens
/// at port 80.
fn host_pair() -> (Network, AppId, AppId) {
    let mut network = Network::new(7);
    network.add_host(host_with_neighbours(1, 2)).unwrap();
    network.add_host(host_with_neighbours(2, 2)).unwrap();
    let link = LinkConfig { rate: Some(10_000_000), delay: 10 * MS, ..LinkConfig::default() };
    network.connect(LinkEnd::new("h1", 0), LinkEnd::new("h2", 0), link).unwrap();
    let client = network.start_app("h1", 0, Box::new(Sockets::default())).unwrap();
    let server = network.start_app("h2", 0, Box::new(Sockets::default())).unwrap();
    network.run_until(0);
    network.call_app(server, |app: &mut Sockets, host| app.listen(80, config(), host)).unwrap().unwrap();
    (network, client, server)
}

fn config() -> Config {
    Config { send_buffer: 10_000, receive_buffer: 20_000, ..Config::default() }
}

fn connect(network: &mut Network, client: AppId) -> u64 {
    let to = (address(2), 80);
    network.call_app(client, |app: &mut Sockets, host| app.connect(to, config(), host)).unwrap().unwrap()
}

fn write(network: &mut Network, app: AppId, connection: u64, bytes: &[u8]) -> usize {
    let written = network.call_app(app, |app: &mut Sockets, host| app.write(connection, bytes, host));
    written.unwrap().unwrap()
}

/// Runs until one of the applications has an event. Returns the index of the application, and its
/// events.
fn next(network: &mut Network, apps: &[AppId]) -> Option<(usize, Vec<SocketMessage>)> {
    loop {
        let stop = network.run_slice(StopCondition::Idle { limit: FOREVER }, u64::MAX).stop;
        for (place, app) in apps.iter().enumerate() {
            let messages = network.app_mut::<Sockets>(*app).map(Sockets::take_events).unwrap_or_default();
            if !messages.is_empty() {
                assert!(
                    messages.iter().all(|message| message.time == network.now()),
                    "told at the very time"
                );
                return Some((place, messages));
            }
        }
        if stop != StopReason::Requested {
            return None;
        }
    }
}

fn events(messages: &[SocketMessage]) -> Vec<SocketEvent> {
    messages.iter().map(|message| message.event.clone()).collect()
}

#[test]
fn a_connection_from_handshake_to_close() {
    let (mut network, client, server) = host_pair();
    let one = connect(&mut network, client);
    let mut log = Vec::new();
    while let Some((who, messages)) = next(&mut network, &[client, server]) {
        for message in messages {
            let other = message.connection;
            match &message.event {
                SocketEvent::Connected => {
                    assert_eq!(write(&mut network, client, one, b"ping"), 4);
                }
                SocketEvent::Received(bytes) if who == 1 => {
                    assert_eq!(bytes, b"ping");
                    assert_eq!(write(&mut network, server, other, b"pong"), 4);
                }
                SocketEvent::Received(_) => {
                    network
                        .call_app(client, |app: &mut Sockets, host| app.close(one, host))
                        .unwrap()
                        .unwrap();
                    let late = network.call_app(client, |app: &mut Sockets, host| app.write(one, b"x", host));
                    assert_eq!(late.unwrap(), Ok(0), "nothing is taken behind the end");
                }
                SocketEvent::PeerClosed if who == 1 => {
                    network
                        .call_app(server, |app: &mut Sockets, host| app.close(other, host))
                        .unwrap()
                        .unwrap();
                }
                _ => {}
            }
            log.push((who, message.event));
        }
    }
    let from = (
        address(1),
        log.iter()
            .find_map(|(_, event)| match event {
                SocketEvent::Accepted { from, .. } => Some(from.1),
                _ => None,
            })
            .unwrap(),
    );
    assert_eq!(
        log,
        [
            (0, SocketEvent::Connected),
            (1, SocketEvent::Accepted { port: 80, from }),
            (1, SocketEvent::Received(b"ping".to_vec())),
            (0, SocketEvent::Received(b"pong".to_vec())),
            (1, SocketEvent::PeerClosed),
            (0, SocketEvent::PeerClosed),
            (0, SocketEvent::Closed(Closed::Both)),
            (1, SocketEvent::Closed(Closed::Both)),
        ]
    );
    let gone = network.call_app(client, |app: &mut Sockets, host| app.write(one, b"x", host)).unwrap();
    assert!(gone.is_err());
    check(&mut network);
}

#[test]
fn writing_waits_for_buffer_space() {
    let (mut network, client, server) = host_pair();
    let one = connect(&mut network, client);
    let (mut written, mut received) = (0, 0);
    let data = vec![7; 100_000];
    while let Some((who, messages)) = next(&mut network, &[client, server]) {
        for event in events(&messages) {
            match (who, event) {
                (0, SocketEvent::Connected | SocketEvent::Writable) => {
                    let taken = write(&mut network, client, one, &data[written..]);
                    assert!(taken <= 10_000, "no more than the buffer holds");
                    written += taken;
                    let info = network
                        .call_app(client, |app: &mut Sockets, host| app.info(one, host).unwrap())
                        .unwrap();
                    assert_eq!(info.send_space, 10_000 - (info.written - info.acked));
                    assert!(info.send_space == 0 || written == data.len());
                }
                (1, SocketEvent::Received(bytes)) => received += bytes.len(),
                _ => {}
            }
        }
    }
    assert_eq!((written, received), (100_000, 100_000));
    check(&mut network);
}

#[test]
fn unread_data_stops_the_peer() {
    let (mut network, client, server) = host_pair();
    let one = connect(&mut network, client);
    let (mut written, mut theirs) = (0, 0);
    let data = vec![7; 100_000];
    let limit = StopCondition::Time(5 * SECOND);
    while network.run_slice(limit, u64::MAX).stop == StopReason::Requested {
        for message in network.app_mut::<Sockets>(server).unwrap().take_events() {
            if let SocketEvent::Accepted { .. } = message.event {
                theirs = message.connection;
                let app: &mut Sockets = network.app_mut(server).unwrap();
                app.pause(theirs).unwrap();
            } else {
                panic!("{message:?} while it does not read");
            }
        }
        for message in network.app_mut::<Sockets>(client).unwrap().take_events() {
            if let SocketEvent::Connected | SocketEvent::Writable = message.event {
                written += write(&mut network, client, one, &data[written..]);
            }
        }
    }
    assert!((20_000..=30_000).contains(&written), "both buffers are full: {written}");
    network.call_app(client, |app: &mut Sockets, host| app.close(one, host)).unwrap().unwrap();
    network.call_app(server, |app: &mut Sockets, host| app.resume(theirs, host)).unwrap().unwrap();
    let (mut received, mut ended) = (0, false);
    while let Some((who, messages)) = next(&mut network, &[client, server]) {
        for event in events(&messages) {
            match (who, event) {
                (1, SocketEvent::Received(bytes)) => received += bytes.len(),
                (1, SocketEvent::PeerClosed) => ended = true,
                _ => {}
            }
        }
    }
    assert_eq!((received, ended), (written, true));
    check(&mut network);
}

/// Bytes that arrived before the end of a connection are reported when the program resumes reading.
#[test]
fn the_end_is_reported_after_unread_bytes() {
    let (mut network, client, server) = host_pair();
    let one = connect(&mut network, client);
    let (_, messages) = next(&mut network, &[server]).unwrap();
    let theirs = messages[0].connection;
    network.app_mut::<Sockets>(server).unwrap().pause(theirs).unwrap();
    write(&mut network, client, one, b"last words");
    network.run_until(network.now() + SECOND);
    network.call_app(server, |app: &mut Sockets, host| app.abort(theirs, host)).unwrap().unwrap();
    assert!(network.app_mut::<Sockets>(server).unwrap().take_events().is_empty());
    network.call_app(server, |app: &mut Sockets, host| app.resume(theirs, host)).unwrap().unwrap();
    let told = events(&network.app_mut::<Sockets>(server).unwrap().take_events());
    assert_eq!(told, [SocketEvent::Received(b"last words".to_vec()), SocketEvent::Closed(Closed::Aborted)]);
    assert!(network.app_mut::<Sockets>(server).unwrap().pause(theirs).is_err());
    network.app_mut::<Sockets>(client).unwrap().take_events();
    while next(&mut network, &[client, server]).is_some() {}
    check(&mut network);
}

#[test]
fn resets_and_refusals_are_reported() {
    let (mut network, client, server) = host_pair();
    let one = connect(&mut network, client);
    let (_, messages) = next(&mut network, &[server]).unwrap();
    let theirs = messages[0].connection;
    network.call_app(server, |app: &mut Sockets, host| app.abort(theirs, host)).unwrap().unwrap();
    let told = events(&network.app_mut::<Sockets>(server).unwrap().take_events());
    assert_eq!(told, [SocketEvent::Closed(Closed::Aborted)]);
    network.app_mut::<Sockets>(client).unwrap().take_events();
    let (_, messages) = next(&mut network, &[client]).unwrap();
    assert_eq!((messages[0].connection, &messages[0].event), (one, &SocketEvent::Closed(Closed::Reset)));

    let to = (address(2), 81);
    network.call_app(client, |app: &mut Sockets, host| app.connect(to, config(), host)).unwrap().unwrap();
    let (_, messages) = next(&mut network, &[client]).unwrap();
    assert_eq!(events(&messages), [SocketEvent::Closed(Closed::Refused)]);

    let nowhere = ("192.0.2.1".parse().unwrap(), 80);
    let failed = network.call_app(client, |app: &mut Sockets, host| app.connect(nowhere, config(), host));
    assert!(matches!(failed.unwrap(), Err(SendError::NoRoute(_))));
    let taken = network.call_app(server, |app: &mut Sockets, host| app.listen(80, config(), host));
    assert_eq!(taken.unwrap(), Err(BindError(Binding::Tcp(80))));
    check(&mut network);
}

#[test]
fn a_program_that_exits_leaves_no_connections() {
    let (mut network, client, server) = host_pair();
    let one = connect(&mut network, client);
    while let Some((who, messages)) = next(&mut network, &[client, server]) {
        if let (0, SocketEvent::Connected) = (who, &messages[0].event) {
            network
                .call_app(client, |app: &mut Sockets, host| app.pace(one, Pacing::Rate(1_000_000), host))
                .unwrap()
                .unwrap();
            write(&mut network, client, one, &[1; 5000]);
            network.release_app(client);
        } else if let (1, SocketEvent::PeerClosed) = (who, &messages[messages.len() - 1].event) {
            network.release_app(server);
        } else {
            assert_eq!(who, 1, "{messages:?}");
        }
    }
    assert_eq!(network.events_pending(), 0);
    assert_eq!(network.bound_app("h2", Binding::Tcp(80)).unwrap(), None);
    check(&mut network);
}
