// Values of other types need two casts to become values of a new type.
type bit<9> Port;
type bit<9> Interface;
const Interface CPU = (Interface)511;

void choose(inout Port port, inout bit<16> wide, out bool same) {
    port = CPU; // ERROR type-mismatch
    port = (Port)CPU; // ERROR bad-cast
    port = wide; // ERROR type-mismatch
    wide = port; // ERROR type-mismatch
    same = port == CPU; // ERROR bad-operand
    same = port == 9w3; // ERROR bad-operand
}
