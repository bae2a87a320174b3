// The IPv4 router of router.p4 for PSA: ingress does the work, and egress parses the packet again.
#include <core.p4>
#include <psa.p4>

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
}

struct empty_t {
}

parser RouterParser(packet_in packet,
                    out headers_t hdr,
                    inout metadata_t meta,
                    in psa_ingress_parser_input_metadata_t standard,
                    in empty_t resubmitted,
                    in empty_t recirculated) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control RouterIngress(inout headers_t hdr,
                      inout metadata_t meta,
                      in psa_ingress_input_metadata_t standard,
                      inout psa_ingress_output_metadata_t output) {
    InternetChecksum() verified;

    action drop() {
        ingress_drop(output);
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
        send_to_port(output, (PortId_t) (PortIdUint_t) (bit<32>) port);
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    table next_hops {
        key = { meta.next_hop: exact; }
        actions = { forward; drop; }
        default_action = drop();
        size = 65536;
    }

    apply {
        verified.clear();
        verified.add({ hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length,
                       hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl,
                       hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        if (!hdr.ipv4.isValid() || hdr.ipv4.version != 4 || hdr.ipv4.ihl != 5
                || verified.get() != hdr.ipv4.checksum || hdr.ipv4.ttl <= 1) {
            drop();
        } else if (routes.apply().hit) {
            next_hops.apply();
        }
    }
}

control RouterIngressDeparser(packet_out packet,
                              out empty_t clone_meta,
                              out empty_t resubmit_meta,
                              out empty_t normal_meta,
                              inout headers_t hdr,
                              in metadata_t meta,
                              in psa_ingress_output_metadata_t output) {
    InternetChecksum() updated;

    apply {
        updated.clear();
        updated.add({ hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length,
                      hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl,
                      hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        hdr.ipv4.checksum = updated.get();
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

parser RouterEgressParser(packet_in packet,
                          out headers_t hdr,
                          inout empty_t meta,
                          in psa_egress_parser_input_metadata_t standard,
                          in empty_t normal_meta,
                          in empty_t clone_i2e_meta,
                          in empty_t clone_e2e_meta) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition accept;
    }
}

control RouterEgress(inout headers_t hdr,
                     inout empty_t meta,
                     in psa_egress_input_metadata_t standard,
                     inout psa_egress_output_metadata_t output) {
    apply {}
}

control RouterEgressDeparser(packet_out packet,
                             out empty_t clone_meta,
                             out empty_t recirculate_meta,
                             inout headers_t hdr,
                             in empty_t meta,
                             in psa_egress_output_metadata_t output,
                             in psa_egress_deparser_input_metadata_t standard) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
    }
}

IngressPipeline(RouterParser(), RouterIngress(), RouterIngressDeparser()) ingress;
EgressPipeline(RouterEgressParser(), RouterEgress(), RouterEgressDeparser()) egress;

PSA_Switch(ingress, PacketReplicationEngine(), egress, BufferingQueueingEngine()) main;
