// What packets can take and give, and `main`.
#include <core.p4>

struct plain_t { bit<8> a; }
header fixed_t { bit<8> a; }
header options_t { bit<8> length; varbit<64> body; }
header_union either_t { fixed_t x; fixed_t y; }
struct both_t { fixed_t x; either_t[2] e; }
header twice_t { varbit<64> a; varbit<64> b; }
struct headers_t { fixed_t fixed; options_t options; bit<8> count; }

parser P(packet_in packet, out headers_t hdr, out plain_t plain, out twice_t twice, out either_t either) {
    state start {
        packet.extract(plain); // ERROR bad-packet-type
        packet.extract(hdr.options); // ERROR bad-packet-type
        packet.extract(hdr.fixed, 8); // ERROR bad-packet-type
        packet.extract(twice, 8); // ERROR bad-packet-type
        packet.extract(either); // ERROR bad-packet-type
        either = packet.lookahead<either_t>(); // ERROR bad-packet-type
        hdr.fixed = packet.lookahead<both_t>().x; // ERROR bad-packet-type
        plain.a = packet.lookahead<options_t>().length; // ERROR bad-packet-type
        packet.extract(hdr.options, 8);
        transition select(plain) { // ERROR type-mismatch
            default: accept;
        }
    }
}

control Deparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr); // ERROR bad-packet-type
        packet.emit({ hdr.fixed, hdr.options });
    }
}

extern Given { Given(); }
Given() main; // ERROR bad-main
