// Measures what each step of a program costs, by adding one step at a time. Without macros every
// packet leaves by port 1. HEADERS adds two headers that are parsed and emitted, CHECKSUM adds the
// checksum of one of them, and TABLE adds a lookup.
#include <core.p4>
#include <v1model.p4>

header ethernet_h {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

header ipv4_h {
    bit<4>  version;
    bit<4>  ihl;
    bit<8>  tos;
    bit<16> total_length;
    bit<16> identification;
    bit<3>  flags;
    bit<13> fragment_offset;
    bit<8>  ttl;
    bit<8>  protocol;
    bit<16> checksum;
    bit<32> src;
    bit<32> dst;
}

struct headers_t {
    ethernet_h ethernet;
    ipv4_h     ipv4;
}

struct metadata_t {
}

parser StepsParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
#ifdef HEADERS
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
#endif
        transition accept;
    }
}

control StepsVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
#ifdef CHECKSUM
        verify_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src,
              hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
#endif
    }
}

control StepsIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }

    action forward(bit<9> port) {
        standard.egress_spec = port;
    }

    // Applied with -D TABLE.
    @noWarn("unused-table")
    table hosts {
        key = { hdr.ipv4.dst: exact; }
        actions = { forward; drop; }
        default_action = drop();
        size = 1024;
    }

    apply {
#ifdef TABLE
        hosts.apply();
#else
        forward(1);
#endif
#ifdef HEADERS
        if (hdr.ipv4.isValid() && standard.checksum_error == 0) {
            hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
        }
#endif
    }
}

control StepsEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control StepsChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
#ifdef CHECKSUM
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src,
              hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
#endif
    }
}

control StepsDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

V1Switch(StepsParser(), StepsVerify(), StepsIngress(), StepsEgress(), StepsChecksum(), StepsDeparser()) main;
