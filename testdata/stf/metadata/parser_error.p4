// parser_error says how the parser ended; the packet goes on whatever it was. A program's own errors are among them.
#include <v1model.p4>

error {
    WrongVersion
}

header kind_t {
    bit<8> kind;
    bit<8> error_seen;
}

header body_t {
    bit<16> body;
}

struct headers_t {
    kind_t kind;
    body_t body;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.kind);
        transition select(hdr.kind.kind) {
            0: accept;
            1: body;
            2: version;
            3: reject;
        }
    }
    state body {
        packet.extract(hdr.body);
        transition accept;
    }
    state version {
        verify(false, error.WrongVersion);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        standard.egress_spec = 1;
        if (standard.parser_error == error.NoError) {
            hdr.kind.error_seen = 0;
        } else if (standard.parser_error == error.PacketTooShort) {
            hdr.kind.error_seen = 1;
        } else if (standard.parser_error == error.NoMatch) {
            hdr.kind.error_seen = 2;
        } else if (standard.parser_error == error.WrongVersion) {
            hdr.kind.error_seen = 3;
        }
    }
}

#include "../rest.p4"
