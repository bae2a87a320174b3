// Twenty tables one after the other: exact, prefix, ternary and range keys on fields and on what tables before found.
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

header udp_h {
    bit<16> src;
    bit<16> dst;
    bit<16> length;
    bit<16> checksum;
}

struct headers_t {
    ethernet_h ethernet;
    ipv4_h     ipv4;
    udp_h      udp;
}

struct metadata_t {
    bit<8>  zone;
    bit<8>  sender;
    bit<8>  receiver;
    bit<8>  source_site;
    bit<8>  target_site;
    bit<8>  service;
    bit<8>  class;
    bit<16> mark;
    bit<16> next_hop;
}

parser ChainParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            default: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.protocol) {
            17: udp;
            default: accept;
        }
    }

    state udp {
        packet.extract(hdr.udp);
        transition accept;
    }
}

control ChainVerify(inout headers_t hdr, inout metadata_t meta) {
    apply {
        verify_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src,
              hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control ChainIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action drop() {
        mark_to_drop(standard);
    }

    action set_ingress_ports(bit<8> zone) {
        meta.zone = zone;
    }

    table ingress_ports {
        key = { standard.ingress_port: exact; }
        actions = { set_ingress_ports; NoAction; }
        default_action = NoAction();
        size = 64;
    }

    action set_senders(bit<8> group) {
        meta.sender = group;
    }

    table senders {
        key = { hdr.ethernet.src: exact; }
        actions = { set_senders; NoAction; }
        default_action = NoAction();
        size = 4096;
    }

    action set_receivers(bit<8> group) {
        meta.receiver = group;
    }

    table receivers {
        key = { hdr.ethernet.dst: exact; }
        actions = { set_receivers; NoAction; }
        default_action = NoAction();
        size = 4096;
    }

    action set_zone_pairs(bit<16> mark) {
        meta.mark = meta.mark + mark;
    }

    table zone_pairs {
        key = { meta.sender: exact; meta.receiver: exact; }
        actions = { set_zone_pairs; NoAction; }
        default_action = NoAction();
        size = 65536;
    }

    action set_source_sites(bit<8> site) {
        meta.source_site = site;
    }

    table source_sites {
        key = { hdr.ipv4.src: lpm; }
        actions = { set_source_sites; NoAction; }
        default_action = NoAction();
        size = 4096;
    }

    action set_target_sites(bit<8> site) {
        meta.target_site = site;
    }

    table target_sites {
        key = { hdr.ipv4.dst: lpm; }
        actions = { set_target_sites; NoAction; }
        default_action = NoAction();
        size = 4096;
    }

    action set_site_pairs(bit<16> mark) {
        meta.mark = meta.mark ^ mark;
    }

    table site_pairs {
        key = { meta.source_site: exact; meta.target_site: exact; }
        actions = { set_site_pairs; NoAction; }
        default_action = NoAction();
        size = 65536;
    }

    action set_services(bit<8> service) {
        meta.service = service;
    }

    table services {
        key = { hdr.udp.dst: range; }
        actions = { set_services; NoAction; }
        default_action = NoAction();
        size = 256;
    }

    action set_clients(bit<16> mark) {
        meta.mark = meta.mark + mark;
    }

    table clients {
        key = { hdr.udp.src: range; }
        actions = { set_clients; NoAction; }
        default_action = NoAction();
        size = 256;
    }

    action set_guards(bit<16> mark) {
        meta.mark = meta.mark ^ mark;
    }

    table guards {
        key = { hdr.ipv4.src: ternary; hdr.ipv4.dst: ternary; }
        actions = { set_guards; NoAction; }
        default_action = NoAction();
        size = 1024;
    }

    action set_classes(bit<8> class) {
        meta.class = class;
    }

    table classes {
        key = { hdr.ipv4.tos: exact; }
        actions = { set_classes; NoAction; }
        default_action = NoAction();
        size = 256;
    }

    action set_connections(bit<16> mark) {
        meta.mark = meta.mark + mark;
    }

    table connections {
        key = { 
            hdr.ipv4.src: exact;
            hdr.ipv4.dst: exact;
            hdr.ipv4.protocol: exact;
            hdr.udp.src: exact;
            hdr.udp.dst: exact;
        }
        actions = { set_connections; NoAction; }
        default_action = NoAction();
        size = 65536;
    }

    action set_policies(bit<16> mark) {
        meta.mark = meta.mark ^ mark;
    }

    table policies {
        key = { meta.service: ternary; meta.class: ternary; meta.zone: ternary; }
        actions = { set_policies; NoAction; }
        default_action = NoAction();
        size = 512;
    }

    action set_lengths(bit<8> class) {
        meta.class = meta.class + class;
    }

    table lengths {
        key = { hdr.ipv4.total_length: range; }
        actions = { set_lengths; NoAction; }
        default_action = NoAction();
        size = 64;
    }

    action set_queues(bit<3> priority) {
        standard.priority = priority;
    }

    table queues {
        key = { meta.class: exact; meta.service: exact; }
        actions = { set_queues; NoAction; }
        default_action = NoAction();
        size = 65536;
    }

    action set_overlays(bit<16> mark) {
        meta.mark = meta.mark + mark;
    }

    table overlays {
        key = { hdr.ipv4.dst: lpm; }
        actions = { set_overlays; NoAction; }
        default_action = NoAction();
        size = 1024;
    }

    action set_limits(bit<16> mark) {
        meta.mark = meta.mark ^ mark;
    }

    table limits {
        key = { hdr.ipv4.ttl: range; hdr.ipv4.protocol: ternary; }
        actions = { set_limits; NoAction; }
        default_action = NoAction();
        size = 64;
    }

    action set_routes(bit<16> next_hop) {
        meta.next_hop = next_hop;
    }

    table routes {
        key = { hdr.ipv4.dst: lpm; }
        actions = { set_routes; NoAction; }
        default_action = NoAction();
        size = 65536;
    }

    action forward(bit<48> dst, bit<48> src, bit<9> port) {
        hdr.ethernet.dst = dst;
        hdr.ethernet.src = src;
        standard.egress_spec = port;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    table next_hops {
        key = { meta.next_hop: exact; }
        actions = { forward; drop; }
        default_action = drop();
        size = 65536;
    }

    action set_exits(bit<6> code) {
        hdr.ipv4.tos[7:2] = code;
    }

    table exits {
        key = { standard.egress_spec: exact; }
        actions = { set_exits; NoAction; }
        default_action = NoAction();
        size = 512;
    }

    apply {
        if (!hdr.udp.isValid() || standard.checksum_error == 1 || hdr.ipv4.ttl <= 1) {
            drop();
        } else {
            ingress_ports.apply();
            senders.apply();
            receivers.apply();
            zone_pairs.apply();
            source_sites.apply();
            target_sites.apply();
            site_pairs.apply();
            services.apply();
            clients.apply();
            guards.apply();
            classes.apply();
            connections.apply();
            policies.apply();
            lengths.apply();
            queues.apply();
            overlays.apply();
            limits.apply();
            routes.apply();
            next_hops.apply();
            exits.apply();
            hdr.ipv4.identification = meta.mark;
        }
    }
}

control ChainEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {}
}

control ChainChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply {
        update_checksum(hdr.ipv4.isValid(),
            { hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.tos, hdr.ipv4.total_length, hdr.ipv4.identification,
              hdr.ipv4.flags, hdr.ipv4.fragment_offset, hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src,
              hdr.ipv4.dst },
            hdr.ipv4.checksum, HashAlgorithm.csum16);
    }
}

control ChainDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.udp);
    }
}

V1Switch(ChainParser(), ChainVerify(), ChainIngress(), ChainEgress(), ChainChecksum(), ChainDeparser()) main;
