// The IPv4 router of router.p4 for TNA: ingress does the work, and egress leaves the packet as it is.
#include <core.p4>
#include <tna.p4>

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
    bit<16> next_hop;
    bool    checksum_error;
}

struct empty_t {
}

parser RouterParser(packet_in packet,
                    out headers_t hdr,
                    out metadata_t meta,
                    out ingress_intrinsic_metadata_t intrinsic) {
    Checksum() verified;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        verified.add(hdr.ipv4);
        meta.checksum_error = verified.verify();
        transition accept;
    }
}

control RouterIngress(inout headers_t hdr,
                      inout metadata_t meta,
                      in ingress_intrinsic_metadata_t intrinsic,
                      in ingress_intrinsic_metadata_from_parser_t parsed,
                      inout ingress_intrinsic_metadata_for_deparser_t deparser,
                      inout ingress_intrinsic_metadata_for_tm_t tm) {
    action drop() {
        deparser.drop_ctl = 1;
    }

    action via(bit<16> next_hop) {
        meta.next_hop = next_hop;
    }

    table routes {
        key = { hdr.ipv4.dst: lpm; }
        actions = { via; @defaultonly drop; }
        default_action = drop();
        size = 2000000;
    }

    action forward(bit<48> dst, bit<48> src, bit<9> port) {
        hdr.ethernet.dst = dst;
        hdr.ethernet.src = src;
        tm.ucast_egress_port = port;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    table next_hops {
        key = { meta.next_hop: exact; }
        actions = { forward; drop; }
        default_action = drop();
        size = 65536;
    }

    apply {
        if (!hdr.ipv4.isValid() || hdr.ipv4.version != 4 || hdr.ipv4.ihl != 5
                || meta.checksum_error || hdr.ipv4.ttl <= 1) {
            drop();
        } else if (routes.apply().hit) {
            next_hops.apply();
        }
    }
}

control RouterIngressDeparser(packet_out packet,
                              inout headers_t hdr,
                              in metadata_t meta,
                              in ingress_intrinsic_metadata_for_deparser_t deparser) {
    Checksum() updated;

    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.checksum = updated.update({ hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos,
                hdr.ipv4.total_length, hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
                hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        }
        packet.emit(hdr);
    }
}

parser RouterEgressParser(packet_in packet,
                          out empty_t hdr,
                          out empty_t meta,
                          out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        transition accept;
    }
}

control RouterEgress(inout empty_t hdr,
                     inout empty_t meta,
                     in egress_intrinsic_metadata_t intrinsic,
                     in egress_intrinsic_metadata_from_parser_t parsed,
                     inout egress_intrinsic_metadata_for_deparser_t deparser,
                     inout egress_intrinsic_metadata_for_output_port_t port) {
    apply {}
}

control RouterEgressDeparser(packet_out packet,
                             inout empty_t hdr,
                             in empty_t meta,
                             in egress_intrinsic_metadata_for_deparser_t deparser) {
    apply {}
}

Pipeline(RouterParser(), RouterIngress(), RouterIngressDeparser(),
         RouterEgressParser(), RouterEgress(), RouterEgressDeparser()) pipe;

Switch(pipe) main;
