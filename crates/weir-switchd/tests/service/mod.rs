//! The service from its start to its end.

use std::ffi::OsString;
use std::sync::{Arc, mpsc};
use std::time::Duration;

#[test]
fn a_panic_in_a_controllers_call_ends_the_service_with_an_error() {
    let socket = std::env::temp_dir().join(format!("weir-switchd-{}.sock", std::process::id()));
    let line = ["weir-switchd".to_owned(), "--p4runtime".to_owned(), format!("unix:{}", socket.display())];
    let (tell, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let code = weir_switchd::run_with(line.map(OsString::from), &|file| Ok(file.to_owned()), |plane| {
            let plane = Arc::clone(plane);
            std::thread::spawn(move || plane.with(|_, _| panic!("entry 7 has no action")));
            Ok(())
        });
        tell.send(code)
    });
    assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok(1));
    assert!(!socket.exists());
}
