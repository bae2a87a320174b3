//! Collects realistic messages of controllers from the cases of the tests of entities.

use std::fs;
use std::path::Path;

use weir_p4runtime::proto::v1;

use crate::case::{Case, Request};
use crate::server::election;

/// Collects the writes and reads of all cases.
pub fn requests() -> (Vec<v1::WriteRequest>, Vec<v1::ReadRequest>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/entities/cases");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    let (mut writes, mut reads) = (Vec::new(), Vec::new());
    for file in files {
        for request in Case::all(&fs::read_to_string(file).unwrap()).iter().flat_map(Case::requests) {
            match request {
                Request::Write(write) => {
                    writes.push(v1::WriteRequest { device_id: 1, election_id: election(1), ..write });
                }
                Request::Read(entities) => {
                    reads.push(v1::ReadRequest { device_id: 1, entities, ..Default::default() });
                }
            }
        }
    }
    assert!(writes.len() > 50 && reads.len() > 20, "there are cases");
    (writes, reads)
}
