//! The messages have the wire form and the descriptors of the specification, which other
//! implementations use.

use prost::Message;
use prost_reflect::{DynamicMessage, ReflectMessage};
use weir_p4runtime::proto::{descriptors, v1};

/// The wire form of an entry, byte by byte: implementations agree on the field numbers.
#[test]
fn entries_have_the_bytes_of_the_specification() {
    let action = v1::Action { action_id: 5, params: vec![v1::action::Param { param_id: 1, value: vec![7] }] };
    let entry = v1::TableEntry {
        table_id: 2,
        action: Some(v1::TableAction { r#type: Some(v1::table_action::Type::Action(action)) }),
        priority: 9,
        is_const: true,
        ..v1::TableEntry::default()
    };
    let bytes = entry.encode_to_vec();
    // In the form number: value, the fields are 1: 2; 3: {1: {1: 5, 4: {2: 1, 3: 07}}}; 4: 9; 13:
    // true.
    assert_eq!(bytes, [8, 2, 26, 11, 10, 9, 8, 5, 34, 5, 16, 1, 26, 1, 7, 32, 9, 104, 1]);
}

#[test]
fn every_message_has_a_descriptor() {
    let descriptor = descriptors().get_message_by_name("p4.v1.WriteRequest").unwrap();
    assert_eq!(descriptor.get_field_by_name("role").unwrap().number(), 6);
    assert_eq!(DynamicMessage::new(descriptor).descriptor().full_name(), "p4.v1.WriteRequest");
    for (name, calls) in [("p4.v1.P4Runtime", 6), ("bfrt_proto.BfRuntime", 5)] {
        let service = descriptors().get_service_by_name(name).unwrap();
        assert_eq!(service.methods().count(), calls);
    }
}
