//! Checks the options of several switches together.

use crate::args::Args;

/// Checks the options of several switches together.
///
/// # Errors
/// The options of two switches, or of one switch, contradict each other.
pub fn check_together(switches: &[Args]) -> Result<(), String> {
    let name = |args: &Args| args.name.clone().unwrap_or_else(|| "the switch".to_owned());
    let workers: usize = switches.iter().map(|one| usize::from(one.workers)).sum();
    if let Some(threads) = switches.iter().find_map(|one| one.threads)
        && usize::from(threads) > workers
    {
        let (verb, s) = if workers == 1 { ("is", "") } else { ("are", "s") };
        return Err(format!(
            "--threads {threads}: there {verb} {workers} worker{s}, and a thread without a worker does \
             nothing; use fewer threads, or more --workers"
        ));
    }
    for (index, one) in switches.iter().enumerate() {
        one.check().map_err(|why| if one.name.is_some() { format!("{}: {why}", name(one)) } else { why })?;
        for other in &switches[..index] {
            let both = format!("{} and {}", name(other), name(one));
            if one.name == other.name {
                return Err(format!("two switches are called {}", name(one)));
            }
            let addresses = [(&one.p4runtime, &other.p4runtime), (&one.bfrt, &other.bfrt)];
            let shared = addresses.iter().find(|(mine, theirs)| mine.is_some() && mine == theirs);
            let shared = shared.and_then(|(mine, _)| mine.as_deref());
            if let Some(address) = shared
                && one.device_id() == other.device_id()
            {
                return Err(format!(
                    "{both} are both device {} at {address}; give each its device_id",
                    one.device_id()
                ));
            }
            let [mine, theirs] = [one, other]
                .map(|args| (&args.tls_certificate, &args.tls_key, &args.tls_clients, args.plaintext));
            let [my_limits, their_limits] =
                [one, other].map(|args| (&args.p4runtime_roles, args.p4runtime_memory));
            let differ = mine != theirs || my_limits != their_limits;
            if let Some(address) = shared
                && differ
            {
                return Err(format!(
                    "{both} share {address}; give both the same TLS options, --p4runtime-roles and \
                     --p4runtime-memory"
                ));
            }
            let names = other.interface.iter().map(|interface| &interface.name);
            if let Some(interface) =
                names.clone().find(|name| one.interface.iter().any(|one| one.name == **name))
            {
                return Err(format!("{both} both have the interface {interface}"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn parse(line: &str) -> Result<Args, String> {
        Args::try_parse_from(line.split_whitespace()).map_err(|error| error.to_string())
    }

    #[test]
    fn switches_share_neither_interfaces_nor_numbers() {
        let check = |other: &str| {
            let first = parse("w x.p4 -i 1@a --name s1 --device-id 1 --p4runtime").unwrap();
            check_together(&[first, parse(other).unwrap()])
        };
        assert_eq!(check("w x.p4 -i 1@b --name s2 --device-id 2 --p4runtime"), Ok(()));
        assert_eq!(check("w x.p4 -i 1@b --name s2 --device-id 1 --p4runtime unix:x"), Ok(()));
        for (other, expected) in [
            ("w x.p4 -i 1@b --name s1", "two switches are called s1"),
            ("w x.p4 -i 1@a --name s2", "s1 and s2 both have the interface a"),
            ("w x.p4 -i 1@b --name s2 --device-id 1 --p4runtime", "both device 1 at 127.0.0.1:9559"),
            ("w x.p4 -i 1@b --name s2 --device-id 2 --p4runtime --plaintext", "the same TLS options"),
            (
                "w x.p4 -i 1@b --name s2 --device-id 2 --p4runtime --p4runtime-memory 64",
                "the same TLS options, --p4runtime-roles and --p4runtime-memory",
            ),
        ] {
            let error = check(other).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[test]
    fn each_thread_has_a_worker() {
        let check = |lines: &[&str]| {
            check_together(&lines.iter().map(|line| parse(line).unwrap()).collect::<Vec<_>>())
        };
        assert_eq!(check(&["w x.p4 -i 1@a --workers 2 --threads 2"]), Ok(()));
        let alone = check(&["w x.p4 -i 1@a --threads 9"]).unwrap_err();
        assert!(alone.starts_with("--threads 9: there is 1 worker, "), "{alone}");
        let first = "w x.p4 -i 1@a --name s1 --workers 2 --threads 3";
        assert_eq!(check(&[first, "w x.p4 -i 1@b --name s2 --threads 3"]), Ok(()));
        let error = check(&["w x.p4 -i 1@a --name s1 --threads 3", "w x.p4 -i 1@b --name s2"]).unwrap_err();
        assert!(error.starts_with("--threads 3: there are 2 workers, "), "{error}");
    }

    #[test]
    fn switches_of_a_bfrt_server_have_numbers() {
        let check = |other: &str| {
            let first = parse("w x.p4 -i 1@a --name s1 --bfrt").unwrap();
            check_together(&[first, parse(other).unwrap()])
        };
        assert_eq!(check("w x.p4 -i 1@b --name s2 --bfrt --device-id 1"), Ok(()));
        assert_eq!(check("w x.p4 -i 1@b --name s2 --bfrt 127.0.0.1:1"), Ok(()));
        let error = check("w x.p4 -i 1@b --name s2 --bfrt").unwrap_err();
        assert!(error.contains("both device 0 at 127.0.0.1:50052"), "{error}");
    }
}
