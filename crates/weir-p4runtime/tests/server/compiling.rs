//! Tests calls of controllers while a program is compiled.

use std::sync::{Arc, Mutex, mpsc};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tonic::Code;
use weir_p4runtime::proto::v1::set_forwarding_pipeline_config_request::Action;
use weir_p4runtime::{ServerConfig, SharedThreads};

use crate::bench::{self, Bench, PROGRAM, config, set};

/// Creates a server with two threads for calls and a compiler that waits. The compiler reports each
/// program to the receiver, and continues when the sender is dropped.
fn slow() -> (Bench, mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (compiling, compiles) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    let released = Mutex::new(released);
    let slow = move |program| {
        compiling.send(()).unwrap();
        let _sender_gone = released.lock().unwrap().recv();
        bench::executor(program)
    };
    let threads = SharedThreads { runtime: Handle::current(), calls: Arc::new(Semaphore::new(2)) };
    let config = ServerConfig { executor: Box::new(slow), threads: Some(threads), ..bench::settings() };
    (Bench::with(config), compiles, release)
}

/// Waits until the compiler has a program.
async fn compiling(compiles: mpsc::Receiver<()>) -> mpsc::Receiver<()> {
    let waiting = tokio::task::spawn_blocking(move || {
        compiles.recv().unwrap();
        compiles
    });
    waiting.await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn calls_that_compile_leave_threads_to_others() {
    let (bench, compiles, release) = slow();
    let controller = bench.controller(1).await;
    let mut verifying = Vec::new();
    for _ in 0..20 {
        let mut client = controller.client.clone();
        let request = set(1, Action::Verify, Some(config(PROGRAM.as_bytes())));
        verifying.push(tokio::spawn(async move { client.set_forwarding_pipeline_config(request).await }));
    }
    let compiles = compiling(compiles).await;
    // One call compiles. The other calls wait without occupying a thread.
    assert_eq!(bench.owner.switch.lock().unwrap().stats().received, 0, "the switch is free");
    let mut other = bench.client().await;
    let request = set(9, Action::Verify, Some(config(PROGRAM.as_bytes())));
    let refused = other.set_forwarding_pipeline_config(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "nobody waits for a turn to be refused");
    assert!(compiles.try_recv().is_err());
    drop(release);
    for call in verifying {
        call.await.unwrap().unwrap();
    }
}

/// A program can take seconds to compile, and its sender can be gone. A new primary must not wait
/// for this, and the program must not replace the switch's program when another controller is
/// primary.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_new_primary_does_not_wait_for_the_compiler() {
    let (bench, compiles, release) = slow();
    let before = bench.controller(1).await;
    let mut client = before.client.clone();
    let request = set(1, Action::VerifyAndCommit, Some(config(PROGRAM.as_bytes())));
    let call = tokio::spawn(async move { client.set_forwarding_pipeline_config(request).await });
    let _compiles = compiling(compiles).await;
    let mut after = bench.controller(2).await;
    after.write(2, []).await.unwrap_err();
    drop(release);
    let refused = call.await.unwrap().unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "its sender is no longer the primary: {refused}");
    let none = after.write(2, []).await.unwrap_err();
    assert_eq!(none.code(), Code::FailedPrecondition, "no program was committed: {none}");
}
