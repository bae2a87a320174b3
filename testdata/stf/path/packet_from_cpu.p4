// A packet of the controller: it says which port it is for in a header that the switch takes off.
#include <v1model.p4>

const bit<9> CPU_PORT = 255;

header from_cpu_t {
    bit<16> port;
}

header one_t {
    bit<16> one;
}

struct headers_t {
    from_cpu_t from_cpu;
    one_t one;
}

struct metadata_t {}

parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        transition select(standard.ingress_port) {
            CPU_PORT: from_cpu;
            default: one;
        }
    }
    state from_cpu {
        packet.extract(hdr.from_cpu);
        transition one;
    }
    state one {
        packet.extract(hdr.one);
        transition accept;
    }
}

control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        if (hdr.from_cpu.isValid()) {
            standard.egress_spec = (bit<9>) hdr.from_cpu.port;
            hdr.from_cpu.setInvalid();
        } else {
            standard.egress_spec = CPU_PORT;
        }
    }
}

#include "../rest.p4"
