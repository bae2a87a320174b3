//! Tests the budget.

use super::*;

#[test]
fn an_account_takes_half_of_what_others_leave() {
    let budget = Budget::new(1000, "--memory");
    let [(one, _one), (other, _other)] = [true, true].map(|is_proven| budget.account(is_proven));
    assert!(one.try_take(501).is_none());
    let first = one.try_take(500).unwrap();
    assert!(one.try_take(1).is_none() && other.try_take(251).is_none());
    let second = other.try_take(250).unwrap();
    assert_eq!(budget.used(), 750);
    drop(first);
    assert!(one.try_take(375).is_some());
    drop(second);
    assert_eq!(budget.used(), 0);
    drop((one, other));
    assert!(budget.state().accounts.is_empty());
}

#[test]
fn the_largest_without_a_right_makes_room() {
    let budget = Budget::new(1000, "--memory");
    let accounts: Vec<_> = (0..4).map(|_| budget.account(false)).collect();
    let mut closes = accounts.iter().map(|(account, _)| account);
    let (large, small) = (closes.next().unwrap(), closes.next().unwrap());
    let (_largest, _small) = (large.try_take(400).unwrap(), small.try_take(300).unwrap());
    let closed = |accounts: &mut [(Account, oneshot::Receiver<()>)]| -> Vec<bool> {
        accounts.iter_mut().map(|(_, closes)| closes.try_recv().is_ok()).collect()
    };
    let (third, fourth) = (accounts[2].0.clone(), accounts[3].0.clone());
    let mut accounts = accounts;
    // Unproven peers must leave a quarter of the budget free.
    assert!(third.try_take(60).is_none());
    assert_eq!(closed(&mut accounts), [true, false, false, false]);
    // A connection that is being closed will release the bytes, so no other connection is
    // closed.
    assert!(fourth.try_take(60).is_none());
    assert_eq!(closed(&mut accounts), [false; 4]);
    // A proven peer may use the last quarter.
    let elected = fourth.elect();
    let _held = fourth.try_take(60).unwrap();
    assert_eq!(budget.used(), 760);
    // Another device can also elect the peer.
    let other = fourth.elect();
    drop(elected);
    assert_eq!(budget.state().sums.unproven, 700);
    drop(other);
    assert_eq!(budget.state().sums.unproven, 760);
    // The right of a connection that is being closed counts in both sums.
    let sums = || {
        let state = budget.state();
        (state.sums.unproven, state.sums.leaving)
    };
    let largest = accounts[0].0.elect();
    assert_eq!(sums(), (360, 0));
    drop(largest);
    assert_eq!(sums(), (760, 400));
}

#[tokio::test]
async fn answers_are_cut_before_a_connection_is_closed() {
    let budget = Budget::new(1000, "--memory");
    let ((large, mut closes), (other, _other)) = (budget.account(false), budget.account(false));
    let (_call, part) = (large.try_take(100).unwrap(), large.try_take_for_answer(300).unwrap());
    let sent = large.try_take_for_answer(50).unwrap().no_longer_waits();
    assert!(!large.cuts_answers());
    assert!(other.try_take(301).is_none());
    large.cut().await;
    // The answer will release its bytes, so the connection is not closed.
    assert!(other.try_take(150).is_some() && other.try_take(280).is_none());
    assert!(closes.try_recv().is_err());
    assert_eq!(budget.state().sums.leaving, 300);
    drop(part);
    assert!(!large.cuts_answers());
    assert_eq!((budget.used(), budget.state().sums.leaving), (150, 0));
    // What is left cannot be cut.
    let _most = other.try_take(120).unwrap();
    let (third, _third) = budget.account(true);
    assert!(third.try_take(400).is_none());
    assert!(closes.try_recv().is_ok() && !large.cuts_answers());
    assert_eq!(budget.state().sums.leaving, 150);
    drop(sent);
    assert_eq!(budget.state().sums.leaving, 100);
}

#[test]
fn the_place_of_a_connection_has_the_right_of_its_account() {
    let limits = weir_accept::Limits { places: 4, ..weir_accept::Limits::default() };
    let (gate, budget) = (weir_accept::Gate::new("test", limits), Budget::new(1000, "--memory"));
    let connect = |last_byte| {
        let source = std::net::IpAddr::from([10, 0, 0, last_byte]).into();
        let socket = weir_accept::Guarded::enter(&gate, (), source, false).unwrap();
        let (account, closes) = budget.account_at(Some(socket.place().clone()), false);
        account.ask();
        (account.hold(), account, socket, closes)
    };
    let connections: Vec<_> = (1..=4).map(connect).collect();
    let counts = || (gate.counts().newcomers, gate.counts().placed);
    assert_eq!(counts(), (1, 3), "a quarter of the places is for peers with a right");
    let [first, .., last] = &connections[..] else { panic!() };
    let elected = last.1.elect();
    assert_eq!(counts(), (0, 4));
    // A right that has ended frees no memory for peers without a right.
    first.1.set_trusted(true);
    drop(elected);
    let next = connect(5);
    assert_eq!(counts(), (1, 4));
    next.1.set_trusted(true);
    assert_eq!(counts(), (1, 4), "all places are taken by streams");
    drop(connections);
    next.1.ask();
    assert_eq!(counts(), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn calls_wait_for_memory_and_give_up() {
    let budget = Budget::new(1000, "--memory");
    let (one, _closes) = budget.account(true);
    let held = one.take(500).await.unwrap();
    let waiting = one.clone();
    let waits = tokio::spawn(async move { waiting.take(100).await.map(drop) });
    tokio::task::yield_now().await;
    drop(held);
    waits.await.unwrap().unwrap();
    let _all = one.take(500).await.unwrap();
    let refused = one.take(1).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
    assert!(refused.message().contains("this connection 500 of at most 500"), "{refused}");
}

#[test]
fn bytes_count_until_their_last_copy_is_gone() {
    let budget = Budget::new(1000, "--memory");
    let (account, _closes) = budget.account(false);
    let bytes = account.try_take(5).unwrap().with(Bytes::from_static(b"hello"));
    let part = bytes.slice(1..3);
    drop(bytes);
    assert_eq!((budget.used(), &part[..]), (5, &b"el"[..]));
    drop(part);
    assert_eq!(budget.used(), 0);
}
