//! Tests values from the specification's sections "`P4Data` in p4runtime.proto" and "`enum`,
//! serializable `enum` and `error`".

use weir_grpc::Code;

use super::*;

fn data(data: Data) -> v1::P4Data {
    v1::P4Data { data: Some(data) }
}

fn bytes(bytes: &[u8]) -> v1::P4Data {
    data(Data::Bitstring(bytes.to_vec()))
}

fn members(members: Vec<v1::P4Data>) -> v1::P4StructLike {
    v1::P4StructLike { members }
}

fn header(is_valid: bool, fields: &[&[u8]]) -> Data {
    let bitstrings = fields.iter().map(|field| field.to_vec()).collect();
    Data::Header(v1::P4Header { is_valid, bitstrings })
}

fn names(error: bool) -> DataType {
    let members = ["Red", "Green", "Blue"].map(str::to_owned).to_vec();
    DataType::Enum { members, bits: 8, error }
}

/// Returns a struct type with a member of each kind of type, including another struct.
fn everything() -> DataType {
    DataType::Struct(vec![
        DataType::Bits(12),
        DataType::Int(12),
        DataType::Bool,
        DataType::EnumValue(8),
        names(false),
        names(true),
        DataType::Tuple(vec![DataType::Bits(8), DataType::Struct(vec![DataType::Bits(8)])]),
        DataType::Header(vec![(16, false), (8, true)]),
        DataType::Header(vec![(16, false)]),
    ])
}

fn value() -> v1::P4Data {
    data(Data::Struct(members(vec![
        bytes(&[0x0f, 0xff]),
        bytes(&[0xfd, 0x1d]),
        data(Data::Bool(true)),
        data(Data::EnumValue(vec![77])),
        data(Data::Enum("Green".to_owned())),
        data(Data::Error("Blue".to_owned())),
        data(Data::Tuple(members(vec![bytes(&[1]), data(Data::Struct(members(vec![bytes(&[2])])))]))),
        data(header(true, &[&[1, 0], &[0x9d]])),
        data(header(false, &[])),
    ])))
}

fn read(ty: &DataType, value: &v1::P4Data) -> Result<Vec<Bits>, Problem> {
    let mut numbers = Vec::new();
    ty.read(&Translator::default(), value, &mut numbers).map(|()| numbers)
}

#[test]
fn values_of_every_type_are_read_as_they_were_written() {
    let numbers = read(&everything(), &value()).unwrap();
    assert!(everything().fits(&numbers));
    assert_eq!(everything().write(&Translator::default(), &mut numbers.iter()), value());
}

#[test]
fn headers_of_digests_have_their_validity() {
    let bits = |value| Bits::new(8, value);
    let header = || DataType::Header(vec![(8, false), (8, false)]);
    let data = DataType::Struct(vec![DataType::Bits(8), header(), DataType::Tuple(vec![header()])]);
    let sent: Vec<Bits> = (1..=5).map(bits).collect();
    assert!(!data.fits(&sent));
    let [one, two, three, four, five] = [1, 2, 3, 4, 5].map(bits);
    let expected = [one, Bits::bool(true), two, three, Bits::bool(false), four, five];
    let present = [true, true, true, false, false];
    assert_eq!(data.with_validity(&sent, &present), expected);
    assert!(data.fits(&expected));
    // A value with one number more or fewer has another type.
    for wrong in [&sent[..4], &(1..=6).map(bits).collect::<Vec<_>>()] {
        assert!(!data.fits(&data.with_validity(wrong, &vec![true; wrong.len()])));
    }
}

#[test]
fn longer_byte_strings_become_the_shortest() {
    let ty = DataType::Header(vec![(16, false), (8, true)]);
    let long = data(header(true, &[&[0, 0, 1, 0], &[0xff, 0xff, 0x9d]]));
    let numbers = read(&ty, &long).unwrap();
    let short = data(header(true, &[&[1, 0], &[0x9d]]));
    assert_eq!(ty.write(&Translator::default(), &mut numbers.iter()), short);
}

#[test]
fn values_of_other_types_are_refused() {
    let two = DataType::Struct(vec![DataType::Bits(8), DataType::Bits(8)]);
    let invalid = Code::InvalidArgument;
    for (ty, value, code, part) in [
        (DataType::Bits(8), data(Data::Bool(true)), invalid, "must be a `bitstring`"),
        (DataType::Bool, bytes(&[1]), invalid, "must be a `bool`"),
        (DataType::EnumValue(8), data(Data::Enum("Red".to_owned())), invalid, "must be a `enum_value`"),
        (DataType::EnumValue(8), data(Data::EnumValue(vec![1, 0])), Code::OutOfRange, "9 bits"),
        (names(false), data(Data::Enum("Gren".to_owned())), invalid, "did you mean `Green`?"),
        (names(false), data(Data::Error("Green".to_owned())), invalid, "must be a `enum`"),
        (names(true), data(Data::Enum("Green".to_owned())), invalid, "must be a `error`"),
        (two.clone(), data(Data::Struct(members(vec![bytes(&[1])]))), invalid, "2 members"),
        (two.clone(), data(Data::Tuple(members(vec![bytes(&[1]), bytes(&[1])]))), invalid, "`struct`"),
        (two, data(Data::Struct(members(vec![bytes(&[1]), bytes(&[])]))), Code::OutOfRange, "empty"),
        (DataType::Header(vec![(8, false)]), data(header(true, &[])), invalid, "1 fields"),
        (DataType::Header(vec![(8, false)]), data(header(false, &[&[1]])), invalid, "invalid one of none"),
        (DataType::Bits(8), v1::P4Data::default(), invalid, "must be a `bitstring`"),
    ] {
        let problem = read(&ty, &value).unwrap_err();
        assert!(problem.code == code && problem.message.contains(part), "{problem:?}");
    }
}
