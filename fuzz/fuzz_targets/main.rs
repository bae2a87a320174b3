//! One program for all targets, which share most of what must be compiled. The environment variable
//! `WEIR_FUZZ` names the target, and `WEIR_FUZZ_FIRST` the folder of its inputs.
#![no_main]

#[cfg(feature = "p4runtime")]
#[path = "../../crates/weir-p4runtime/tests/entities/bench.rs"]
mod bench;
mod bmv2;
mod capture;
#[cfg(feature = "p4runtime")]
#[path = "../../crates/weir-p4runtime/tests/entities/case.rs"]
mod case;
mod frames;
mod front_end;
#[cfg(feature = "p4runtime")]
mod p4runtime;

#[cfg(feature = "p4runtime")]
use std::path::Path;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;

static TARGET: OnceLock<fn(&[u8])> = OnceLock::new();

fuzz_target!(
    init: {
        let name = std::env::var("WEIR_FUZZ").unwrap_or_default();
        let target = match name.as_str() {
            "bmv2" => bmv2::run,
            "capture" => capture::run,
            "frames" => frames::run,
            "front_end" => front_end::run,
            #[cfg(feature = "p4runtime")]
            "p4runtime" => p4runtime::run,
            _ => panic!("WEIR_FUZZ: expected bmv2, capture, frames, front_end or p4runtime, found {name:?}"),
        };
        let _ = TARGET.set(target);
        #[cfg(feature = "p4runtime")]
        if let ("p4runtime", Some(corpus)) = (&*name, std::env::var_os("WEIR_FUZZ_FIRST")) {
            for (file, input) in p4runtime::first() {
                std::fs::write(Path::new(&corpus).join(file), input).expect("the corpus can be written");
            }
        }
    },
    |bytes: &[u8]| TARGET.get().expect("it is set before the first input")(bytes)
);
