/*
 * l2_switch.p4 - an Ethernet switch that learns where hosts are.
 *
 * The switch remembers at which port each source address was last seen. A frame to an address that
 * it knows leaves at that port; other frames, and those to group addresses, leave at all ports of
 * the spanning tree but the one they came from.
 *
 * Learning happens in the data plane: registers hold an address and a port for each of 4096 hash
 * values. Two addresses with the same hash displace each other; frames to the one that is missing
 * are flooded, so they arrive all the same.
 *
 * A network sets the multicast group that `flood` uses, because the action says `@flood`: the ports
 * of a spanning tree, so that frames do not circle in a topology with loops.
 */

#include <core.p4>
#include <v1model.p4>

typedef bit<48> mac_t;
typedef bit<9> port_t;

const bit<32> CELLS = 4096;

header ethernet_t {
    mac_t dst;
    mac_t src;
    bit<16> type;
}

struct headers_t {
    ethernet_t ethernet;
}

struct metadata_t { }

// Where a host is: its address, or 0, and the port. BMv2 has no registers of structs.
typedef bit<57> station_t;

parser SwitchParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    state start {
        packet.extract(hdr.ethernet);
        transition accept;
    }
}

control SwitchVerifyChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control SwitchIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    register<station_t>(CELLS) stations;

    action drop() {
        mark_to_drop(std);
    }

    @flood
    action flood(bit<16> group) {
        std.mcast_grp = group;
    }

    table flooding {
        actions = { flood; drop; }
        default_action = drop();
    }

    apply {
        if (std.parser_error != error.NoError) {
            drop();
            return;
        }

        // The least significant bit of the first byte marks group addresses.
        if (hdr.ethernet.src[40:40] == 0) {
            bit<32> own;
            hash(own, HashAlgorithm.crc32, 32w0, { hdr.ethernet.src }, CELLS);
            stations.write(own, hdr.ethernet.src ++ std.ingress_port);
        }

        bit<32> cell;
        station_t station;
        hash(cell, HashAlgorithm.crc32, 32w0, { hdr.ethernet.dst }, CELLS);
        stations.read(station, cell);
        mac_t mac = station[56:9];
        port_t port = station[8:0];
        if (hdr.ethernet.dst[40:40] == 0 && mac == hdr.ethernet.dst) {
            std.egress_spec = port;
            if (port == std.ingress_port) {
                drop();
            }
        } else {
            flooding.apply();
        }
    }
}

control SwitchEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t std) {
    apply {
        // A flooded frame does not return where it came from.
        if (std.mcast_grp != 0 && std.egress_port == std.ingress_port) {
            mark_to_drop(std);
        }
    }
}

control SwitchComputeChecksum(inout headers_t hdr, inout metadata_t meta) {
    apply { }
}

control SwitchDeparser(packet_out packet, in headers_t hdr) {
    apply {
        packet.emit(hdr.ethernet);
    }
}

V1Switch(SwitchParser(), SwitchVerifyChecksum(), SwitchIngress(), SwitchEgress(), SwitchComputeChecksum(),
         SwitchDeparser()) main;
