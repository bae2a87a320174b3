/*
 * fabric.p4 - a router for Tofino: IPv4 with equal-cost multipath (ECMP), and a count of each flow.
 *
 * The program is for the Tofino Native Architecture (TNA). A route leads to a group of next hops,
 * from which the hash of a flow chooses one. A register of the ingress pipeline counts the packets
 * of each flow; a `RegisterAction` adds to a cell in one step. Ingress passes the count to egress in
 * a bridged header, because only the bytes of a packet go from one to the other.
 */

#include <core.p4>
#include <tna.p4>

const bit<16> TYPE_IPV4 = 0x0800;
const bit<8> PROTOCOL_TCP = 6;
const bit<8> PROTOCOL_UDP = 17;

typedef bit<48> mac_t;
typedef bit<32> ipv4_address_t;
typedef bit<16> flow_t;

/* From ingress to egress of the same switch. */
header bridged_t {
    flow_t flow;
    bit<16> first;  // 1 for the first packet of a flow
}

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

header ipv4_t {
    bit<4> version;
    bit<4> ihl;
    bit<8> dscp_ecn;
    bit<16> total_length;
    bit<16> identification;
    bit<3> flags;
    bit<13> fragment_offset;
    bit<8> ttl;
    bit<8> protocol;
    bit<16> checksum;
    ipv4_address_t src;
    ipv4_address_t dst;
}

// TCP and UDP both begin with their ports.
header ports_t {
    bit<16> src;
    bit<16> dst;
}

struct headers_t {
    bridged_t bridged;
    ethernet_t ethernet;
    ipv4_t ipv4;
    ports_t ports;
}

struct ingress_t {
    bit<16> src_port;  // 0 for packets without ports
    bit<16> dst_port;
    bool is_damaged;
}

struct egress_t {}

parser IngressParser(packet_in packet, out headers_t hdr, out ingress_t md,
                     out ingress_intrinsic_metadata_t intrinsic) {
    Checksum() checksum;

    state start {
        packet.extract(intrinsic);
        packet.advance(PORT_METADATA_SIZE);
        md.src_port = 0;
        md.dst_port = 0;
        md.is_damaged = false;
        packet.extract(hdr.ethernet);
        transition select(hdr.ethernet.type) {
            TYPE_IPV4: ipv4;
            default: accept;
        }
    }
    state ipv4 {
        packet.extract(hdr.ipv4);
        checksum.add(hdr.ipv4);
        md.is_damaged = checksum.verify();
        // Only the first fragment of a packet has ports: fragments are hashed without them.
        transition select(hdr.ipv4.ihl, hdr.ipv4.flags[0:0], hdr.ipv4.fragment_offset, hdr.ipv4.protocol) {
            (5, 0, 0, PROTOCOL_TCP): ports;
            (5, 0, 0, PROTOCOL_UDP): ports;
            default: accept;
        }
    }
    state ports {
        packet.extract(hdr.ports);
        md.src_port = hdr.ports.src;
        md.dst_port = hdr.ports.dst;
        transition accept;
    }
}

control Ingress(inout headers_t hdr, inout ingress_t md, in ingress_intrinsic_metadata_t intrinsic,
                in ingress_intrinsic_metadata_from_parser_t parsed,
                inout ingress_intrinsic_metadata_for_deparser_t deparser,
                inout ingress_intrinsic_metadata_for_tm_t tm) {
    Hash<bit<16>>(HashAlgorithm_t.CRC16) next_hop_hash;
    ActionProfile(1024) next_hops;
    ActionSelector(next_hops, next_hop_hash, SelectorMode_t.FAIR, 16, 256) groups;

    Hash<flow_t>(HashAlgorithm_t.CRC32) flow_hash;
    Register<bit<32>, flow_t>(65536) packets;
    RegisterAction<bit<32>, flow_t, bit<16>>(packets) count = {
        void apply(inout bit<32> value, out bit<16> first) {
            first = 0;
            if (value == 0) {
                first = 1;
            }
            value = value |+| 1;
        }
    };

    action drop() { deparser.drop_ctl = 1; }

    action forward(mac_t next_hop, PortId_t port) {
        tm.ucast_egress_port = port;
        hdr.ethernet.src = hdr.ethernet.dst;
        hdr.ethernet.dst = next_hop;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    // The network writes its routes into this table.
    @route
    table routes {
        key = {
            hdr.ipv4.dst: lpm;
            hdr.ipv4.src: selector;
            hdr.ipv4.dst: selector;
            hdr.ipv4.protocol: selector;
            md.src_port: selector;
            md.dst_port: selector;
        }
        actions = { forward; drop; NoAction; }
        default_action = NoAction;
        implementation = groups;
        size = 1024;
    }

    apply {
        if (hdr.ipv4.isValid() && !md.is_damaged && hdr.ipv4.ttl > 1) {
            routes.apply();
            hdr.bridged.setValid();
            hdr.bridged.flow = flow_hash.get({hdr.ipv4.src, hdr.ipv4.dst, hdr.ipv4.protocol,
                                              md.src_port, md.dst_port});
            hdr.bridged.first = count.execute(hdr.bridged.flow);
        } else {
            drop();
        }
    }
}

control IngressDeparser(packet_out packet, inout headers_t hdr, in ingress_t md,
                        in ingress_intrinsic_metadata_for_deparser_t deparser) {
    Checksum() checksum;
    apply {
        if (hdr.ipv4.isValid()) {
            hdr.ipv4.checksum = checksum.update({
                hdr.ipv4.version, hdr.ipv4.ihl, hdr.ipv4.dscp_ecn, hdr.ipv4.total_length,
                hdr.ipv4.identification, hdr.ipv4.flags, hdr.ipv4.fragment_offset,
                hdr.ipv4.ttl, hdr.ipv4.protocol, hdr.ipv4.src, hdr.ipv4.dst });
        }
        packet.emit(hdr);
    }
}

parser EgressParser(packet_in packet, out headers_t hdr, out egress_t md,
                    out egress_intrinsic_metadata_t intrinsic) {
    state start {
        packet.extract(intrinsic);
        packet.extract(hdr.bridged);
        transition accept;
    }
}

control Egress(inout headers_t hdr, inout egress_t md, in egress_intrinsic_metadata_t intrinsic,
               in egress_intrinsic_metadata_from_parser_t parsed,
               inout egress_intrinsic_metadata_for_deparser_t deparser,
               inout egress_intrinsic_metadata_for_output_port_t port) {
    // For each port, the flows that have begun to leave through it.
    Counter<bit<32>, PortId_t>(512, CounterType_t.PACKETS) flows;

    apply {
        if (hdr.bridged.isValid() && hdr.bridged.first == 1) {
            flows.count(intrinsic.egress_port);
        }
        hdr.bridged.setInvalid();
    }
}

control EgressDeparser(packet_out packet, inout headers_t hdr, in egress_t md,
                       in egress_intrinsic_metadata_for_deparser_t deparser) {
    apply { packet.emit(hdr); }
}

Pipeline(IngressParser(), Ingress(), IngressDeparser(),
         EgressParser(), Egress(), EgressDeparser()) pipe;

Switch(pipe) main;
