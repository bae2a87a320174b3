//! CRC calculations: their names, and setting their parameters.

use crate::common;

use weir_control::commands::{self, Runtime};
use weir_control::{Controlled, Names};
use weir_switch::control::{CrcParameters, Update};
use weir_switch::{Switch, SwitchConfig};

fn switch() -> Switch {
    common::switch(include_str!("../../../../testdata/switch/calculations.p4"), SwitchConfig::default())
}

/// Returns the polynomial of the calculation of this name.
fn polynomial(switch: &mut Switch, name: &str) -> u32 {
    let calculation = Names::new(switch.schema()).calculation(name).unwrap();
    switch.control().crc(calculation).unwrap().polynomial
}

#[test]
fn names_are_those_of_p4c() {
    let switch = switch();
    let mut lines: Vec<_> = switch
        .schema()
        .calculations
        .iter()
        .map(|one| format!("{} {}", one.names.join(" "), one.algorithm.name()))
        .collect();
    lines.sort_by_key(|line| line.split(['_', ' ']).nth(1).and_then(|number| number.parse::<u32>().ok()));
    // The names are numbered as p4c numbers them; `calc_5` and `calc_10` have no parameters.
    assert_eq!(
        lines,
        [
            "calc calc_0 calc_1 calc_4 crc32_custom",
            "calc_2 crc32_custom",
            "calc_3 crc16_custom",
            "calc_6 crc32_custom",
            "calc_7 crc32_custom",
            "calc_8 crc32_custom",
            "calc_9 crc16_custom",
            "calc_11 crc32_custom",
            "calc_12 crc16_custom",
            "calc_13 crc32_custom",
            "calc_14 crc16_custom",
            "calc_15 crc16_custom",
        ]
    );
}

#[test]
fn calculations_have_parameters_of_their_own() {
    let mut switch = switch();
    let mut runtime = Runtime::default();
    let mut run = |switch: &mut Switch, line: &str| {
        let mut control = switch.control();
        let names = Names::new(control.schema());
        let session = &mut runtime.session(&mut control, names, "s1", "calculations.p4");
        commands::run(session, line).map_err(|error| error.to_string())
    };
    assert_eq!(run(&mut switch, "set_crc16_parameters calc_3 0x1021 0 0 false false"), Ok(Vec::new()));
    let polynomials = ["calc_3", "calc_9", "crc16_custom"].map(|name| polynomial(&mut switch, name));
    assert_eq!(polynomials, [0x1021, 0x8005, 0x8005]);
    // The algorithm's name stands for all calculations of the algorithm.
    assert_eq!(run(&mut switch, "set_crc16_parameters crc16_custom 7 0 0 false false"), Ok(Vec::new()));
    let polynomials = ["calc_3", "calc_9", "calc"].map(|name| polynomial(&mut switch, name));
    assert_eq!(polynomials, [7, 7, 0x04c1_1db7]);
    assert_eq!(
        run(&mut switch, "set_crc16_parameters calc 7 0 0 false false").unwrap_err(),
        "calc is a calculation of crc32_custom, not of crc16_custom"
    );
    let unknown = run(&mut switch, "set_crc32_parameters calc_5 7 0 0 false false").unwrap_err();
    assert!(
        unknown.starts_with("there is no CRC calculation \"calc_5\" with parameters to set (there are: ")
    );
    assert!(unknown.contains("calc_15"), "{unknown}");
}

#[test]
fn a_batch_that_fails_restores_parameters() {
    let mut switch = switch();
    let parameters =
        CrcParameters { polynomial: 7, initial: 0, final_xor: 0, reflect_in: false, reflect_out: false };
    let wide = CrcParameters { polynomial: 0x1_0000, ..parameters };
    let names = Names::new(switch.schema());
    let set = |name, parameters| Update::SetCrc { calculation: names.calculation(name).unwrap(), parameters };
    let batch = [set("calc_3", parameters), set("crc32_custom", parameters), set("calc_9", wide)];
    assert_eq!(
        Controlled::write(&mut switch.control(), &batch).unwrap_err().to_string(),
        "update 2: polynomial of `calc_9`: value 0x10000 needs 17 bits, field has 16"
    );
    let polynomials = ["calc_3", "calc_2", "crc32_custom"].map(|name| polynomial(&mut switch, name));
    assert_eq!(polynomials, [0x8005, 0x04c1_1db7, 0x04c1_1db7]);
}
