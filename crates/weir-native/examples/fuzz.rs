//! Compares native code with the interpreter over as many random programs and packets as one likes.
//!
//! `cargo run --release -p weir-native --example fuzz -- PROGRAMS PACKETS [FIRST SEED]`
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a command reads its arguments and prints"
)]

#[path = "../tests/differential/mod.rs"]
mod differential;

use weir_native::Native;

fn main() {
    let number = |position, default| {
        std::env::args().nth(position).map_or(default, |arg| arg.parse::<u64>().expect("a number"))
    };
    let (programs, packets, first) = (number(1, 100), number(2, 100), number(3, 0));
    let make = |program, _| Box::new(Native::new(program).expect("the program becomes native")) as _;
    match differential::fuzz(first..first + programs, packets, &make) {
        Ok(()) => println!("{programs} programs, {packets} packets each: no difference"),
        Err(problem) => {
            println!("{problem}");
            std::process::exit(1);
        }
    }
}
