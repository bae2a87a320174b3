// Types are called what the program calls them.
#include <core.p4>

typedef bit<48> mac_t;
typedef bit<32> ip4_t;
typedef mac_t   station_t;

header ethernet_t {
    mac_t   source;
    bit<16> kind;
}

ip4_t own(in station_t station) {
    ip4_t address = station; // ERROR type-mismatch
    return address;
}

@p4runtime_translation("example.org/port", bool) // ERROR bad-annotation
type bit<9> port_t;

control Work(inout ethernet_t ethernet, inout ip4_t address) {
    apply {
        ethernet.source = address; // ERROR type-mismatch
        address = ethernet.kind; // ERROR type-mismatch
        address = own(address); // ERROR type-mismatch
        address = address + ethernet.source; // ERROR bad-operand
    }
}

control Generic<H>(inout H headers) {
    apply {
    }
}

control Stage<H>(inout H headers);
package Switch<H>(Stage<H> stage = Generic<H>());
Switch() main; // ERROR cannot-infer
