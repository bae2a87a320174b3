// Errors may be used above the declaration that adds them.
#include <core.p4>

header byte_t {
    bit<8> value;
}

parser Read(packet_in packet, out byte_t byte) {
    state start {
        packet.extract(byte);
        verify(byte.value != 0, error.Zero);
        transition accept;
    }
}

error {
    Zero
}

parser Reader(packet_in packet, out byte_t byte);
package Pipe(Reader reader);

Pipe(Read()) main;
