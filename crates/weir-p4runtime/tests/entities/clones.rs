//! Tests the length to which clones are truncated (specification, "`CloneSessionEntry`").

use crate::bench::{Bench, message};

#[test]
fn only_a_length_cuts_clones() {
    for (length, truncate) in [("", None), ("packet_length_bytes: 1", Some(1))] {
        let mut bench = Bench::new();
        let session = format!("clone_session_entry {{ session_id: 4 {length} }}");
        let entity = format!("packet_replication_engine_entry {{ {session} }}");
        let request = format!("updates {{ type: INSERT entity {{ {entity} }} }}");
        bench.write(&message("p4.v1.WriteRequest", &request)).unwrap();
        let written = bench.switch.control().clone_session(4).unwrap();
        assert_eq!(written.truncate, truncate, "{length}");
    }
}
