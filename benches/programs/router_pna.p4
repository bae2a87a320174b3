// The IPv4 router of router.p4 for PNA 0.7, for packets of both directions.
#include <core.p4>
#include <bmv2/pna.p4>

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

parser RouterParser(packet_in packet,
                    out headers_t hdr,
                    inout metadata_t meta,
                    in pna_main_parser_input_metadata_t standard) {
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

control RouterMain(inout headers_t hdr,
                   inout metadata_t meta,
                   in pna_main_input_metadata_t standard,
                   inout pna_main_output_metadata_t output) {
    InternetChecksum() verified;

    action drop() {
        drop_packet();
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
        send_to_port((PortId_t) (bit<32>) port);
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

control RouterDeparser(packet_out packet,
                       inout headers_t hdr,
                       in metadata_t meta,
                       in pna_main_output_metadata_t output) {
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

PNA_NIC(RouterParser(), RouterMain(), RouterDeparser()) main;
