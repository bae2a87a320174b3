//! Programs of random extern calls.

use rand_pcg::Pcg64Mcg;
use weir_ir::{Bits, ValidProgram};

use crate::bench::Bench;
use crate::random_traffic::{below, number};

/// Returns a program of random calls, of any widths, whose results go into registers.
pub fn random_calls(random: &mut Pcg64Mcg) -> ValidProgram {
    const ALGORITHMS: [&str; 8] =
        ["crc32", "crc32_custom", "crc16", "crc16_custom", "random", "identity", "csum16", "xor16"];
    const WIDTHS: [u32; 12] = [1, 7, 8, 16, 32, 48, 63, 64, 65, 128, 129, 300];
    let width = |random: &mut Pcg64Mcg| WIDTHS[below(random, WIDTHS.len() as u64) as usize];
    let value = |random: &mut Pcg64Mcg, width| match below(random, 3) {
        0 => format!("{width}w{}", number(random, width)),
        // Among few cells, or a power of two.
        1 => format!("{width}w{}", Bits::new(width, 1 << below(random, 7))),
        _ => format!("{width}w{}", Bits::new(width, u128::from(below(random, 5)))),
    };
    let data = |random: &mut Pcg64Mcg| {
        let leaf = |random: &mut Pcg64Mcg| match below(random, 5) {
            0 => "hdr.tag.count".to_owned(),
            1 => "header hdr.tag".to_owned(),
            2 => "header hdr.none".to_owned(),
            _ => {
                let width = width(random);
                value(random, width)
            }
        };
        let leaves: Vec<_> = (0..1 + below(random, 3)).map(|_| leaf(random)).collect();
        leaves.join(", ")
    };
    let (mut items, mut ingress) = (String::new(), String::from("sm.egress_spec = 9w1;\n"));
    for call in 0..12 {
        let (wide, index_width) = (width(random), width(random));
        let index = value(random, index_width);
        items += &format!(
            "var r.{call}: bit<{wide}>
             var s.{call}: bit<{wide}>
             var alg.{call}: HashAlgorithm
             extern ingress.out{call}: register<bit<{wide}>>(32w4)
             extern ingress.both{call}: register<bit<{wide}>>(32w4)
             extern ingress.counts{call}: counter(32w4, CounterType::packets_and_bytes)
             extern ingress.pace{call}: meter(32w4, MeterType::bytes)
             extern ingress.sum{call}: Checksum16()\n"
        );
        let constant = format!("HashAlgorithm::{}", ALGORITHMS[below(random, 8) as usize]);
        let algorithm = if below(random, 2) == 0 {
            constant
        } else {
            ingress += &format!("alg.{call} = {constant};\n");
            format!("alg.{call}")
        };
        let condition = ["true", "false", "hdr.tag.$valid$"][below(random, 3) as usize];
        let payload = ["", "_with_payload"][below(random, 2) as usize];
        let (one, other) = (data(random), data(random));
        ingress += &match below(random, 10) {
            0..=2 => {
                let (base, max) = (width(random), width(random));
                let (base, max) = (value(random, base), value(random, max));
                format!(
                    "extern hash(out result = &[r.{call}], in algo = {algorithm}, in base = {base},
                       in data = {{ {one} }}, in max = {max});"
                )
            }
            3 => format!(
                "extern random(out result = &[r.{call}], in lo = {}, in hi = {});",
                value(random, wide),
                value(random, wide)
            ),
            4 => format!("extern counter.count on ingress.counts{call}(in index = {index});"),
            5 => format!(
                "r.{call} = {};
                 extern meter.execute_meter on ingress.pace{call}(in index = {index}, out result = &[r.{call}]);",
                value(random, wide)
            ),
            6 => format!("extern tmp16 = Checksum16.get on ingress.sum{call}(in data = {{ {one} }}); r.{call} = bit<{wide}>(tmp16);"),
            7 => format!(
                "extern update_checksum{payload}(in condition = {condition}, in data = {{ {one} }},
                   inout checksum = &[r.{call}], in algo = {algorithm});
                 extern update_checksum{payload}(in condition = {condition}, in data = {{ {other} }},
                   inout checksum = &[hdr.tag.check], in algo = {algorithm});
                 extern verify_checksum{payload}(in condition = {condition}, in data = {{ {one} }},
                   in checksum = hdr.tag.seen, in algo = {algorithm});"
            ),
            8 => format!(
                "extern digest(in receiver = {index}, in data = {{ {one} }});
                 extern log_msg(in msg = \"{{}} {{}} {{}}\", in data = {{ {other} }});"
            ),
            // A cell of several fields, one of them the validity of a header.
            _ => format!(
                "extern register.write on ingress.both{call}(in index = {index}, in value = {{ header hdr.tag, {} }});
                 extern register.read on ingress.out{call}(out result = &[s.{call}], in index = {index});
                 r.{call} = s.{call} + {};",
                value(random, wide),
                value(random, wide)
            ),
        };
        ingress += &format!(
            "\nextern register.write on ingress.out{call}(in index = {index}, in value = r.{call});
             extern register.write on ingress.out{call}(in index = 32w3, in value = r.{call});\n"
        );
    }
    items += "header hdr.none: tag_t";
    let bench = Bench { items: items.leak(), ingress: ingress.leak(), ..Bench::default() };
    bench.program()
}
