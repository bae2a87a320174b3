// A copy for the controller: its clone gets a header that says where the packet came from, and is cut to the first bytes.
#include <v1model.p4>

const bit<9> CPU_PORT = 255;

header to_cpu_t {
    bit<16> port;
    bit<16> length;
}

header one_t {
    bit<16> one;
}

struct headers_t {
    to_cpu_t to_cpu;
    one_t one;
}

struct metadata_t {
    @field_list(1)
    bit<16> port;
    @field_list(1)
    bit<16> length;
}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        meta.port = (bit<16>) standard.ingress_port;
        meta.length = (bit<16>) standard.packet_length;
        clone_preserving_field_list(CloneType.I2E, 100, 1);
        standard.egress_spec = 1;
    }
}

#define OWN_EGRESS
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (standard.egress_port == CPU_PORT) {
            hdr.to_cpu.setValid();
            hdr.to_cpu = { meta.port, meta.length };
            truncate(8);
        }
    }
}

#include "../rest.p4"
