//! Hashes, registers of structs, and the old forms of clone, resubmit and recirculate:
//! `testdata/switch/sums.p4`.

use crate::bench::{compile, run, start};
use crate::by_name::{ByName, CloneSession, CrcParameters, Update};
use weir_device::{Device, Packet};
use weir_ir::Bits;
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    let program = compile(include_str!("../../../../testdata/switch/sums.p4"), &[]);
    start(&program, SwitchConfig::default().with_ports(1..=2))
}

/// Returns the answer in each packet that leaves, with its port.
fn answers(switch: &mut Switch, what: u8, index: u8, text: &[u8; 9]) -> Vec<(u32, u128)> {
    let bytes = [&[what, index][..], text, &[0; 16]].concat();
    let now = switch.next_deadline().unwrap_or(0);
    switch.receive(now, 1, Packet::new(0, bytes));
    let answer = |bytes: &[u8]| u128::from_be_bytes(bytes[11..27].try_into().unwrap());
    run(switch).iter().map(|out| (out.port, answer(&out.packet.bytes))).collect()
}

fn send_request(switch: &mut Switch, what: u8) -> u128 {
    answers(switch, what, 0, b"123456789")[0].1
}

#[test]
fn every_algorithm_has_its_check_value() {
    let mut switch = switch();
    // The results are the catalogue's check values, RFC 1071's sum of the nine bytes padded with a
    // zero, their exclusive or, and their first eight bytes.
    let words = [0x3132u32, 0x3334, 0x3536, 0x3738, 0x3900];
    let sum = words.iter().sum::<u32>();
    let csum = !((sum >> 16) + (sum & 0xffff)) as u16;
    let xor = words.iter().fold(0, |xor, word| xor ^ word);
    let expected =
        [0xbb3d, 0xcbf4_3926, 0xbb3d, 0xcbf4_3926, u128::from(csum), u128::from(xor), 0x3132_3334_3536_3738];
    let got: Vec<_> = (0..7).map(|what| send_request(&mut switch, what)).collect();
    assert_eq!(got, expected);
    assert_eq!(send_request(&mut switch, 7), 0xcbf4_3926, "a struct in a list, fields of 4 and 36 bits");
    assert_eq!(send_request(&mut switch, 8), 16 + 0xcbf4_3926 % 10, "a tuple, into 5 bits from 8 and 4");
    assert_eq!(send_request(&mut switch, 9), (1 << 100) + 0xbb3d, "wide base and modulus");
    assert_eq!(send_request(&mut switch, 10), u128::from(csum), "Checksum16");
}

#[test]
fn custom_crcs_take_parameters() {
    let mut switch = switch();
    let parameters = |polynomial, initial, final_xor, reflect| CrcParameters {
        polynomial,
        initial,
        final_xor,
        reflect_in: reflect,
        reflect_out: reflect,
    };
    let set = |algorithm: &str, parameters| Update::SetCrc { calculation: algorithm.into(), parameters };
    let (xmodem, castagnoli) = (parameters(0x1021, 0, 0, false), parameters(0x1edc_6f41, !0, !0, true));
    let mut control = switch.by_name();
    assert_eq!(control.crc("crc16_custom"), Ok(parameters(0x8005, 0, 0, true)));
    control.write(&[set("crc16_custom", xmodem), set("crc32_custom", castagnoli)]).unwrap();
    assert_eq!((control.crc("crc16_custom"), control.crc("crc32_custom")), (Ok(xmodem), Ok(castagnoli)));
    let mut error =
        |update| control.write(&[set("crc16_custom", castagnoli), update]).unwrap_err().to_string();
    assert_eq!(
        error(set("crc16_custom", xmodem)),
        "update 0: polynomial of `crc16_custom`: value 0x1edc6f41 needs 29 bits, field has 16"
    );
    let broken = [set("crc16_custom", parameters(0x8005, 0, 0, false)), set("crc16", xmodem)];
    let refused = control.write(&broken).unwrap_err().to_string();
    assert!(
        refused.starts_with("update 1: there is no CRC calculation \"crc16\" with parameters to set"),
        "{refused}"
    );
    assert_eq!(
        [0, 1, 2, 3].map(|what| send_request(&mut switch, what)),
        [0xbb3d, 0xcbf4_3926, 0x31c3, 0xe306_9283]
    );
}

#[test]
fn registers_keep_structs() {
    let mut switch = switch();
    let mut read = |index| answers(&mut switch, 20, index, b"123456789")[0].1;
    let low = 0x5_3637_3839u128;
    let cell = |packets: u128| packets << 41 | 0x9 << 37 | low << 1 | 1;
    assert_eq!([read(1), read(1), read(1)], [0, cell(1), cell(2)]);
    assert_eq!([read(4), read(4), read(0)], [0, 0, 0], "past the end nothing is kept");
    let register = switch.schema().registers[0].clone();
    let fields: Vec<_> = register.fields.iter().map(|(name, width)| (name.as_str(), *width)).collect();
    assert_eq!(fields, [("packets", 7), ("last.high", 4), ("last.low", 36), ("seen", 1)]);
    let mut control = switch.by_name();
    assert_eq!(control.register("memory", 1), Ok(Bits::new(48, cell(3))));
    control.write_register("memory", 2, Bits::new(48, cell(9))).unwrap();
    assert_eq!(answers(&mut switch, 20, 2, b"123456789")[0].1, cell(9));
}

#[test]
fn old_forms_keep_the_metadata_in_their_argument() {
    let mut switch = switch();
    let session = CloneSession { port: Some(2), ..CloneSession::default() };
    switch.by_name().set_clone_session(1, Some(session)).unwrap();
    let metadata = |kept: u128, lost: u128, high: u128, low: u128| kept << 48 | lost << 40 | high << 36 | low;
    let mut all = |what| answers(&mut switch, what, 0, b"         ");
    assert_eq!(all(30), [(1, metadata(9, 0, 0, 0))], "resubmit: one field, as it is at the end of ingress");
    assert_eq!(all(31), [(2, metadata(0, 0, 3, 5)), (1, metadata(1, 2, 3, 5))], "clone3: a struct");
    assert_eq!(all(32), [(1, metadata(5, 0, 0, 0))], "recirculate");
    assert_eq!(all(33), [(1, metadata(4, 6, 0, 0))], "resubmit: all metadata");
}
