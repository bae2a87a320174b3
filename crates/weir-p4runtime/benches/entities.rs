//! Measures the time to write a million entries in batches of 1000, and to read them: in memory,
//! without gRPC, in processor time where the system provides it.
//!
//! `cargo bench -p weir-p4runtime --bench entities [-- ENTRIES]`.

#![expect(clippy::print_stdout, reason = "the person who runs it wants to see the figures")]

mod load;

use std::time::{Duration, Instant};

use load::{BATCH, Entries, processor_time, rate};
use prost::Message;
use weir_p4runtime::proto::v1;
use weir_p4runtime::proto::v1::{entity::Entity, update};
use weir_p4runtime::{Pipeline, entities};

fn main() {
    let count = std::env::args().find_map(|argument| argument.parse::<usize>().ok());
    let entries = count.unwrap_or(1_000_000) / BATCH * BATCH;
    let began = Instant::now();
    let mut switch = load::switch();
    let info = load::info(&switch);
    let tables = Entries::all(&info);
    let mut pipeline = Pipeline::new(info, switch.program(), switch.schema()).expect("it fits itself");
    for table in tables {
        let name = table.name;
        for kind in [update::Type::Insert, update::Type::Modify, update::Type::Delete] {
            let (mut decoding, mut writing) = (Duration::ZERO, Duration::ZERO);
            for first in (0..entries).step_by(BATCH) {
                let batch = table.batch(kind, first).encode_to_vec();
                let start = processor_time(began);
                let request = v1::WriteRequest::decode(&*batch).expect("a request");
                let decoded = processor_time(began);
                entities::write(&mut pipeline, &mut switch, 0, &request, &|_| true).expect("all are right");
                writing += processor_time(began) - decoded;
                decoding += decoded - start;
            }
            println!(
                "{name:5} {:6} {}, decoding {}",
                kind.as_str_name(),
                rate(entries, writing),
                rate(entries, decoding)
            );
            if kind == update::Type::Modify {
                let start = processor_time(began);
                let filter = v1::TableEntry { table_id: table.table, ..v1::TableEntry::default() };
                let request = [v1::Entity { entity: Some(Entity::TableEntry(filter)) }];
                let (mut read, mut size) = (0, 0);
                let mut sink = |part: v1::ReadResponse| {
                    read += part.entities.len();
                    size += part.encode_to_vec().len();
                    true
                };
                entities::read(
                    entities::ReadLimits::NONE,
                    &pipeline,
                    &mut switch,
                    0,
                    &request,
                    &|_| true,
                    &mut sink,
                )
                .expect("it is right");
                println!("{name:5} READ   {}, {size} bytes", rate(read, processor_time(began) - start));
            }
        }
    }
}
