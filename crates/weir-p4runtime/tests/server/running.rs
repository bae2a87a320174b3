//! Starts a server whose switch runs the bench's program.

use weir_p4runtime::ServerConfig;

use crate::bench::{self, Bench, Controller, Names, PROGRAM};

/// Returns the server, its primary controller with the election id 1, and the program's names.
pub async fn running() -> (Bench, Controller, Names) {
    running_with(bench::settings()).await
}

/// Does the same as [`running`], with these settings.
pub async fn running_with(settings: ServerConfig) -> (Bench, Controller, Names) {
    let bench = Bench::with(settings);
    let mut controller = bench.controller(1).await;
    controller.start(1, PROGRAM).await.unwrap();
    let names = controller.names().await;
    (bench, controller, names)
}
