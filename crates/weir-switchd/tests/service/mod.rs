//! The service, from start to exit.

use std::ffi::OsString;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

#[test]
fn a_panic_in_a_controllers_call_ends_the_service_with_an_error() {
    let socket = std::env::temp_dir().join(format!("weir-switchd-{}.sock", std::process::id()));
    let line = ["weir-switchd".to_owned(), "--p4runtime".to_owned(), format!("unix:{}", socket.display())];
    let (tell, ended) = mpsc::channel();
    std::thread::spawn(move || {
        let fail = |plane: &Arc<weir_switchd::plane::Plane>, _: &[weir_switchd::Interface]| {
            let plane = Arc::clone(plane);
            std::thread::spawn(move || plane.try_with_switch(|_, _| panic!("entry 7 has no action")));
            Ok(())
        };
        let line = line.map(OsString::from);
        let code = weir_switchd::run_with(line, &|file| Ok(file.to_owned()), fail, || {});
        tell.send(code)
    });
    assert_eq!(ended.recv_timeout(Duration::from_secs(20)), Ok(1));
    assert!(!socket.exists());
}

/// Returns a short program whose machine code would be large: 150 headers with 24 fields of 2048
/// bits.
fn large_program() -> String {
    let fields: String = (0..24).map(|i| format!("bit<2048> f{i}; ")).collect();
    format!(
        "#include <v1model.p4>
        header wide_t {{ bit<8> more; {fields} }}
        struct headers_t {{ wide_t[150] wide; }}
        struct meta_t {{ }}
        parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {{
            state start {{
                p.extract(h.wide.next);
                transition select(h.wide.last.more) {{ 1: start; default: accept; }}
            }}
        }}
        control C(inout headers_t h, inout meta_t m) {{ apply {{ }} }}
        control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{ apply {{ }} }}
        control D(packet_out p, in headers_t h) {{ apply {{ p.emit(h.wide); }} }}
        V1Switch(P(), C(), I(), I(), C(), D()) main;"
    )
}

#[test]
fn a_program_too_large_for_machine_code_is_logged() {
    let folder = std::env::temp_dir().join(format!("weir-switchd-large-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let program = folder.join("large.p4");
    std::fs::write(&program, large_program()).unwrap();
    let mut service = Command::new(env!("CARGO_BIN_EXE_weir-switchd"))
        .arg(&program)
        .args(["--p4runtime", &format!("unix:{}", folder.join("socket").display())])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(service.stderr.take().unwrap()).lines().map_while(Result::ok);
    // A start ends with this line, or the log ends with it or with an error.
    let started = |line: &String| !line.contains("serving P4Runtime");
    let log: Vec<String> = lines.take_while(started).collect();
    service.kill().unwrap();
    service.wait().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let line = log.iter().find(|line| line.contains("the interpreter runs the program"));
    let line = line.unwrap_or_else(|| panic!("{log:#?}"));
    assert!(line.contains("WARN") && line.contains("too large for machine code (about "), "{line}");
}
