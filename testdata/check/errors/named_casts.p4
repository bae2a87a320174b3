// A suggested cast has the name that the program gives the type.
typedef bit<9> port_t;
typedef bit<16> wide_port_t;
type bit<9> Port;
typedef Port port_name_t;

struct ports_t { wide_port_t wide; port_t narrow; port_name_t named; }

void move(inout ports_t ports, in bool flag) {
    ports.narrow = ports.wide; // ERROR type-mismatch
    ports.wide = ports.wide + ports.narrow; // ERROR bad-operand
    ports.named = ports.narrow; // ERROR type-mismatch
    ports.narrow = (port_t)flag; // ERROR bad-cast
    ports.narrow = (port_t)(int<16>)ports.wide; // ERROR bad-cast
}
