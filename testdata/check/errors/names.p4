// Names that are not there, or not yet, or not what they should be.
#include <core.p4>

const bit<8> FIRST = SECOND; // ERROR unknown-name
const bit<8> SECOND = 2;

header ethernet_t {
    bit<48> dst;
    bit<16> etherType;
}

struct headers_t {
    ethernet_t ethernet;
    etherent_t tunnel; // ERROR unknown-type
    SECOND     second; // ERROR not-a-type
}

enum Colour { Red, Green }

control C(inout headers_t hdr, inout bit<16> port) {
    action drop() {
        port = 511;
    }
    table t {
        key = { hdr.ethernet.ethertype: exact; } // ERROR unknown-field
        actions = { dorp; } // ERROR unknown-action
    }
    apply {
        hdr.etherent.dst = 0; // ERROR unknown-field
        prot = 1; // ERROR unknown-name
        if (Colour.Blue == Colour.Red) { // ERROR unknown-member
            port = 2;
        }
        if (error.PacketToShort == error.NoError) { // ERROR unknown-error
            port = 3;
        }
        t.aply(); // ERROR unknown-method
        hdr.ethernet.setvalid(); // ERROR unknown-method
        drop = 1; // ERROR not-a-value
        port = t; // ERROR not-a-value
        frob(port); // ERROR unknown-name
        bit<16> unused_name = port; // WARNING unused
        drop();
    }
}
