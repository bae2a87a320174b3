// A recirculated packet takes bytes along and the fields of its list, nothing else: not headers that were not emitted, not egress_spec or mcast_grp.
#include <v1model.p4>

header one_t {
    bit<8> pass;
    bit<8> hidden;
    bit<8> standard;
}

header hidden_t {
    bit<8> value;
}

struct headers_t {
    one_t one;
    @noWarn("never-emitted") hidden_t hidden;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.one.hidden = hdr.hidden.value | (hdr.hidden.isValid() ? 8w0x80 : 0);
        hdr.one.standard = standard.egress_spec[7:0] | (bit<8>) standard.priority;
        hdr.hidden.setValid();
        hdr.hidden.value = 0x33;
        standard.priority = 5;
        standard.egress_spec = 9w1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.one.pass == 0) {
            hdr.one.pass = 1;
            recirculate_preserving_field_list(0);
        }
    }
}

#define OWN_DEPARSER
control D(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.one);
    }
}

#include "../rest.p4"
