// A firewall on addresses and ports: ternary and range keys, constant entries, a counter for each.
#include <core.p4>
#include <v1model.p4>

enum bit<8> Protocol {
    Icmp = 1,
    Tcp  = 6,
    Udp  = 17
}

header ethernet_t {
    bit<48> dst;
    bit<48> src;
    bit<16> ether_type;
}

header ipv4_t {
    bit<4>   version;
    bit<4>   ihl;
    bit<8>   tos;
    bit<16>  length;
    bit<16>  id;
    bit<3>   flags;
    bit<13>  offset;
    bit<8>   ttl;
    Protocol protocol;
    bit<16>  checksum;
    bit<32>  src;
    bit<32>  dst;
}

// TCP and UDP begin alike.
header ports_t {
    bit<16> src;
    bit<16> dst;
}

struct headers_t {
    ethernet_t ethernet;
    ipv4_t     ipv4;
    ports_t    ports;
}

struct meta_t {
    bool permitted;
}

parser AclParser(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    state start {
        meta.permitted = false;
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.ether_type) {
            0x0800: ipv4;
            _: accept;
        }
    }

    state ipv4 {
        packet.extract(hdr.ipv4);
        transition select(hdr.ipv4.ihl, hdr.ipv4.offset, hdr.ipv4.protocol) {
            (5, 0, Protocol.Tcp): ports;
            (5, 0, Protocol.Udp): ports;
            (5 .. 15, _, _): accept;
            default: reject;
        }
    }

    state ports {
        packet.extract(hdr.ports);
        transition accept;
    }
}

control AclVerify(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control AclIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    direct_counter(CounterType.packets) rule_hits;

    action permit() {
        meta.permitted = true;
        rule_hits.count();
    }

    action deny() {
        meta.permitted = false;
        rule_hits.count();
    }

    table acl {
        key = {
            hdr.ipv4.src: ternary @name("src");
            hdr.ipv4.dst: ternary @name("dst");
            hdr.ipv4.protocol: ternary @name("protocol");
            hdr.ports.dst: range @name("port");
            hdr.ports.isValid(): exact;
        }
        actions = {
            permit;
            deny;
        }
        const default_action = deny();
        const entries = {
            // the network 10.0.0.0/8 may ask name servers
            (0x0a000000 &&& 0xff000000, _, Protocol.Udp, 53 .. 53, true): permit();
            // nobody speaks telnet
            (_, _, Protocol.Tcp, 23 .. 23, true): deny();
            // low ports of 192.0.2.1
            (_, 0xc0000201, Protocol.Tcp, 1 .. 1023, true): permit();
            (_, _, Protocol.Icmp, _, false): permit();
        }
        counters = rule_hits;
    }

    apply {
        if (hdr.ipv4.isValid()) {
            acl.apply();
        }
        if (meta.permitted) {
            sm.egress_spec = sm.ingress_port ^ 1;
        } else {
            mark_to_drop(sm);
        }
    }
}

control AclEgress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    apply { }
}

control AclChecksum(inout headers_t hdr, inout meta_t meta) {
    apply { }
}

control AclDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
        packet.emit(hdr.ipv4);
        packet.emit(hdr.ports);
    }
}

V1Switch(AclParser(), AclVerify(), AclIngress(), AclEgress(), AclChecksum(), AclDeparser()) main;
