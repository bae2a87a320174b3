//! `tc filter`: classifiers, translated to the [filter language](weir_filter::Filter).

use super::error::TcError;
use super::words::Words;
use weir_filter::Filter;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct FilterSettings {
    pub(super) filter: Filter,
    pub(super) class: (u16, u16),
}

/// The kinds of filters.
const KINDS: [&str; 3] = ["u32", "flower", "matchall"];

/// Reads a classifier. Returns `None` for a command without a classifier, such as a deletion.
pub(super) fn read(words: &mut Words<'_>, protocol: Option<&str>) -> Result<Option<FilterSettings>, TcError> {
    let Some(kind) = words.next() else { return Ok(None) };
    let mut tests: Vec<String> = match protocol {
        None | Some("all") => Vec::new(),
        Some("ip") => vec!["ip".into()],
        Some("ipv6") => vec!["ip6".into()],
        Some("arp") => vec!["arp".into()],
        Some(other) => return Err(words.unknown("protocol", other, &["all", "ip", "ipv6", "arp"])),
    };
    let mut class = None;
    match kind {
        "u32" => u32(words, &mut tests, &mut class)?,
        "flower" => flower(words, &mut tests, &mut class)?,
        "matchall" => {
            while let Some(word) = words.peek() {
                target(words, word, "matchall", &mut class)?;
            }
        }
        "handle" | "fw" => {
            return Err(words.error(
                "marks (`handle … fw`) are not supported: nothing sets them here; filter by packet fields, such as \
                 `u32 match ip sport 5001 0xffff flowid 1:10`",
            ));
        }
        _ => return Err(words.unknown("classifier", kind, &KINDS)),
    }
    let class = class.ok_or_else(|| words.error("the filter has no class: expected `flowid 1:10`"))?;
    let filter = Filter::parse(&tests.join(" and ")).map_err(|error| words.error(error))?;
    Ok(Some(FilterSettings { filter, class }))
}

/// Parses `flowid 1:10`; `word` is the next word.
fn target(
    words: &mut Words<'_>,
    word: &str,
    kind: &str,
    class: &mut Option<(u16, u16)>,
) -> Result<(), TcError> {
    match word {
        "flowid" | "classid" => {
            *class = Some(words.id(word)?);
            Ok(())
        }
        "action" | "police" => {
            Err(words.error(format!("`{word}` is not supported: filters only send packets to classes")))
        }
        _ => Err(words.unknown(&format!("{kind}'s option"), word, &["match", "flowid"])),
    }
}

fn u32(
    words: &mut Words<'_>,
    tests: &mut Vec<String>,
    class: &mut Option<(u16, u16)>,
) -> Result<(), TcError> {
    while let Some(word) = words.peek() {
        if word != "match" {
            target(words, word, "u32", class)?;
            continue;
        }
        words.next();
        match words.argument_of("match")? {
            layer @ ("ip" | "ip6") => {
                let field = words.argument_of(layer)?;
                tests.push(field_test(words, layer, field)?);
            }
            bits @ ("u8" | "u16" | "u32") => {
                let (value, mask) = (words.number(bits)?, words.number(bits)?);
                if words.next() != Some("at") {
                    return Err(words.error(format!("expected `match {bits} VALUE MASK at OFFSET`")));
                }
                let offset: u32 = words.integer("at")?;
                let count = match bits {
                    "u8" => 1,
                    "u16" => 2,
                    _ => 4,
                };
                if mask != 0 {
                    tests.push(format!("ip[{offset}:{count}] & {mask} = {}", value & mask));
                }
            }
            other => return Err(words.unknown("match", other, &["ip", "ip6", "u8", "u16", "u32"])),
        }
    }
    Ok(())
}

fn field_test(words: &mut Words<'_>, layer: &str, field: &str) -> Result<String, TcError> {
    let masked = |words: &mut Words<'_>, full: u32| -> Result<u32, TcError> {
        let value = words.number(field)?;
        let mask = words.number(field)?;
        if mask != full {
            let message =
                format!("a mask of `{field}` other than {full:#x} is not supported: use `match u16 … at …`");
            return Err(words.error(message));
        }
        Ok(value)
    };
    match field {
        "src" | "dst" => {
            let address = words.argument_of(field)?;
            let bits = if layer == "ip" { 32 } else { 128 };
            let prefix = if address.contains('/') { address.to_owned() } else { format!("{address}/{bits}") };
            Ok(format!("{layer} {field} net {prefix}"))
        }
        "sport" | "dport" => {
            let side = if field == "sport" { "src" } else { "dst" };
            Ok(format!("{layer} and {side} port {}", masked(words, 0xffff)?))
        }
        "protocol" => Ok(format!("{layer} proto {}", masked(words, 0xff)?)),
        "tos" | "dsfield" if layer == "ip" => {
            let (value, mask) = (words.number(field)?, words.number(field)?);
            Ok(format!("ip[1] & {mask} = {}", value & mask))
        }
        _ => Err(words.unknown("field", field, &["src", "dst", "sport", "dport", "protocol", "tos"])),
    }
}

/// Reads the tests of a `flower` filter, and the class to which it sends frames.
fn flower(
    words: &mut Words<'_>,
    tests: &mut Vec<String>,
    class: &mut Option<(u16, u16)>,
) -> Result<(), TcError> {
    const KNOWN: [&str; 9] =
        ["ip_proto", "src_ip", "dst_ip", "src_port", "dst_port", "src_mac", "dst_mac", "vlan_id", "flowid"];
    while let Some(word) = words.peek() {
        if !KNOWN[..8].contains(&word) {
            match word {
                "flowid" | "classid" | "action" => target(words, word, "flower", class)?,
                _ => return Err(words.unknown("flower's option", word, &KNOWN)),
            }
            continue;
        }
        words.next();
        let value = words.argument_of(word)?;
        let side = if word.starts_with("src") { "src" } else { "dst" };
        tests.push(match word {
            "ip_proto" => match value {
                "icmpv6" => "icmp6".to_owned(),
                "tcp" | "udp" | "icmp" | "sctp" => value.to_owned(),
                number => format!("proto {number}"),
            },
            "src_ip" | "dst_ip" if value.contains('/') => format!("{side} net {value}"),
            "src_ip" | "dst_ip" => format!("{side} host {value}"),
            "src_port" | "dst_port" if value.contains('-') => format!("{side} portrange {value}"),
            "src_port" | "dst_port" => format!("{side} port {value}"),
            "src_mac" | "dst_mac" => format!("ether {side} {value}"),
            _ => format!("vlan {value}"),
        });
    }
    Ok(())
}
