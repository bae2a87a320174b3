//! Checks the port numbers on the command line against the numbers that a program's ports can have.

use weir_control::port_too_large;
use weir_device::Port;
use weir_switch::arch::PortSpace;

use crate::args::Args;

/// Checks the ports of a switch. `space` has the switch's drop port.
///
/// # Errors
/// A number does not fit the program's ports, or a port is the drop port.
pub fn check_ports(args: &Args, space: PortSpace) -> Result<(), String> {
    let ports = || args.interface.iter().map(|interface| interface.port);
    if let Some(port) = ports().chain(args.cpu_port).chain(args.drop_port).find(|port| *port > space.last()) {
        return Err(port_too_large(port, space.last()));
    }
    let drops = |port: &Port| Some(*port) == space.drop;
    if let Some(port) = args.cpu_port.filter(drops) {
        return Err(format!("port {port} is the drop port; choose another with --cpu-port"));
    }
    match ports().find(drops) {
        Some(port) => Err(format!("port {port} is the drop port; choose another with --drop-port")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn check(line: &str, width: u32) -> Result<(), String> {
        let args = Args::try_parse_from(line.split_whitespace()).unwrap();
        check_ports(&args, PortSpace::new(width).dropping_last().dropping(args.drop_port))
    }

    #[test]
    fn ports_fit_the_program() {
        for (line, width, expected) in [
            ("w x.p4 -i 4@a --drop-port 4", 9, "port 4 is the drop port"),
            ("w x.p4 -i 511@a", 9, "port 511 is the drop port; choose another with --drop-port"),
            ("w x.p4 -i 512@a", 9, "there is no port 512: ports of the program have 9 bits, 0 to 511"),
            ("w x.p4 -i 1@a --drop-port 512", 9, "there is no port 512"),
            ("w x.p4 -i 65536@a", 16, "there is no port 65536: ports of the program have 16 bits"),
            ("w x.p4 -i 1@a --cpu-port 511", 9, "port 511 is the drop port; choose another with --cpu-port"),
        ] {
            let error = check(line, width).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
        assert_eq!(check("w x.p4 -i 512@a --cpu-port 65534", 16), Ok(()));
    }
}
