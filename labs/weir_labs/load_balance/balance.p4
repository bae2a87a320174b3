/*
 * balance.p4 - an IPv4 router that moves congested flows to other paths.
 *
 * The first switch of a TCP packet puts a telemetry header between its Ethernet and IPv4 headers; it
 * and each further switch keep the maximum of the queues that the packet met (occupancy.p4). The last
 * switch removes the header:
 *
 *     Ethernet, type 0x7777 | telemetry, 4 bytes | IPv4 | TCP | ...
 *
 * If that maximum was above a threshold, the last switch sends feedback, at most once in a time-out
 * for each flow, and with a probability. Feedback is a clone of the packet, recirculated so that it
 * is routed: addresses and ports are swapped, and it ends with the TCP header:
 *
 *     Ethernet, type 0x7778 | telemetry, 4 bytes | IPv4 | TCP, 20 bytes
 *
 * The flow's first switch moves the flow to another path (paths.p4, loads.p4), and drops the feedback.
 */

#include <core.p4>
#include <v1model.p4>
#include "headers.p4"
#include "parser.p4"
#include "paths.p4"
#include "loads.p4"
#include "occupancy.p4"

const bit<32> EGRESS_CLONE = 2;         // instance_type
const bit<32> RECIRCULATED = 4;
const bit<8> KEPT_FOR_FEEDBACK = 1;
const bit<8> FEEDBACK_TTL = 64;
const bit<16> FEEDBACK_LENGTH = 40;     // IPv4 and TCP header
const bit<32> FEEDBACK_BYTES = 58;      // with Ethernet and telemetry header
const bit<32> FEEDBACK_SESSION = 1;

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    bool from_host = false;
    bit<16> group = 0;
    bit<16> paths = 0;
    bit<16> path = 0;
    bool labelled = false;
    bool by_loads = false;
    bool new_ids = false;
    bit<16> threshold = 0;
    bit<48> flowlet_gap = 0;
    bit<48> settling = 0;
    bit<48> age = 0;
    PathsById() paths_by_id;
    PathsByLoad() paths_by_load;

    action drop() {
        mark_to_drop(standard_metadata);
    }

    action forward(mac_t dstAddr, port_t port) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.srcAddr = hdr.ethernet.dstAddr;
        hdr.ethernet.dstAddr = dstAddr;
        hdr.ipv4.ttl = hdr.ipv4.ttl - 1;
    }

    // The destination is connected to this port.
    action to_host(mac_t dstAddr, port_t port) {
        forward(dstAddr, port);
        meta.to_host = 1;
    }

    // There are several paths; `next_hops` has the first switch of each.
    action to_paths(bit<16> paths_of_group, bit<16> number) {
        paths = number;
        group = paths_of_group;
    }

    // A switch before this one has chosen: it put a label in place of the destination MAC address.
    action follow_label() {
        labelled = true;
    }

    table labels {
        key = { hdr.ethernet.dstAddr: exact; }
        actions = { forward; drop; }
        size = 64;
        default_action = drop();
    }

    table ipv4_lpm {
        key = { hdr.ipv4.dstAddr: lpm; }
        actions = { to_host; to_paths; forward; follow_label; drop; }
        size = 1024;
        default_action = drop();
    }

    table next_hops {
        key = {
            group: exact;
            path: exact;
        }
        actions = { forward; drop; }
        size = 1024;
        default_action = drop();
    }

    action by_hash() {
        new_ids = false;
    }

    action by_feedback() {
        new_ids = true;
    }

    action by_flowlets(bit<48> gap_us) {
        flowlet_gap = gap_us;
    }

    // Reports are not believed for settling_us after a move; a path is idle age_us after the last one.
    action by_load(bit<16> above, bit<48> settling_us, bit<48> age_us) {
        by_loads = true;
        threshold = above;
        settling = settling_us;
        age = age_us;
    }

    // How a path is chosen where there are several.
    table scheme {
        actions = { by_hash; by_feedback; by_flowlets; by_load; }
        default_action = by_feedback();
    }

    action is_host() {
        from_host = true;
    }

    table host_ports {
        key = { standard_metadata.ingress_port: exact; }
        actions = { is_host; NoAction; }
        size = 512;
        default_action = NoAction();
    }

    apply {
        // Packets with options, a wrong checksum or an expired TTL are dropped.
        if (!hdr.ipv4.isValid() || hdr.ipv4.ihl != 5 || hdr.ipv4.ttl <= 1
                || standard_metadata.checksum_error == 1
                || standard_metadata.parser_error != error.NoError) {
            drop();
            return;
        }
        // Hosts may send neither telemetry nor feedback. A recirculated packet comes from no host.
        host_ports.apply();
        if (from_host && hdr.telemetry.isValid() && standard_metadata.instance_type != RECIRCULATED) {
            drop();
            return;
        }
        ipv4_lpm.apply();
        if (labelled) {
            labels.apply();
        }
        bool feedback = hdr.ethernet.etherType == TYPE_FEEDBACK;
        bool is_for_us = feedback && meta.to_host == 1;
        flow_t flow = meta.flow;
        bit<16> depth = 0;
        if (is_for_us && hdr.telemetry.isValid()) {
            // The flow that it is about has the opposite direction.
            flow = { meta.flow.dstAddr, meta.flow.srcAddr, meta.flow.protocol,
                     meta.flow.dstPort, meta.flow.srcPort };
            depth = hdr.telemetry.enq_qdepth;
            drop();
        } else if (paths == 0) {
            return;
        }
        bit<48> now = standard_metadata.ingress_global_timestamp;
        scheme.apply();
        // Nobody reports about other packets than TCP's, and feedback itself takes the path of its hash.
        if (by_loads && hdr.ipv4.protocol == PROTOCOL_TCP && (is_for_us || !feedback)) {
            paths_by_load.apply(flow, group, paths, is_for_us, depth, threshold, now, settling, age, path);
        } else {
            paths_by_id.apply(flow, paths, is_for_us, new_ids, now, flowlet_gap, path);
        }
        if (!is_for_us) {
            next_hops.apply();
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    register<bit<48>>(FLOWS) last_feedback;     // of each flow, in us
    CellOfFlow() cell_of_flow;
    Occupancy() occupancy;
    bool always = false;
    bit<16> threshold = 0xffff;
    bit<48> timeout = 0;
    bit<8> percent = 0;

    action send_feedback(bit<16> above, bit<48> timeout_us, bit<8> probability) {
        threshold = above;
        timeout = timeout_us;
        percent = probability;
    }

    // Reports about each flow in each interval, whatever its packets met.
    action send_reports(bit<48> interval_us) {
        always = true;
        timeout = interval_us;
        percent = 100;
    }

    // When the last switch of a packet sends feedback; without an entry, never.
    table feedback {
        actions = { send_feedback; send_reports; NoAction; }
        default_action = NoAction();
    }

    action make_feedback() {
        hdr.telemetry.setValid();
        hdr.telemetry.enq_qdepth = meta.worst_qdepth;
        hdr.telemetry.nextHeaderType = TYPE_IPV4;
        hdr.ethernet.etherType = TYPE_FEEDBACK;
        ipv4_address_t receiver = hdr.ipv4.dstAddr;
        hdr.ipv4.dstAddr = hdr.ipv4.srcAddr;
        hdr.ipv4.srcAddr = receiver;
        bit<16> port = hdr.ports.dstPort;
        hdr.ports.dstPort = hdr.ports.srcPort;
        hdr.ports.srcPort = port;
        hdr.ipv4.ttl = FEEDBACK_TTL;
        hdr.ipv4.totalLen = FEEDBACK_LENGTH;
    }

    apply {
        if (standard_metadata.instance_type == EGRESS_CLONE && hdr.ports.isValid()) {
            make_feedback();
            truncate(FEEDBACK_BYTES);
            recirculate_preserving_field_list(0);
            return;
        }
        if (hdr.ethernet.etherType == TYPE_FEEDBACK || !hdr.ports.isValid()
                || hdr.ipv4.protocol != PROTOCOL_TCP) {
            return;
        }
        if (meta.to_host == 0) {
            bit<16> depth;
            occupancy.apply(meta.flow, standard_metadata, depth);
            if (!hdr.telemetry.isValid()) {
                hdr.telemetry.setValid();
                hdr.telemetry.enq_qdepth = depth;
                hdr.telemetry.nextHeaderType = TYPE_IPV4;
                hdr.ethernet.etherType = TYPE_TELEMETRY;
            } else if (hdr.telemetry.enq_qdepth < depth) {
                hdr.telemetry.enq_qdepth = depth;
            }
        } else if (hdr.telemetry.isValid()) {
            // The queue in front of the receiver does not count: all paths lead to it.
            meta.worst_qdepth = hdr.telemetry.enq_qdepth;
            hdr.ethernet.etherType = hdr.telemetry.nextHeaderType;
            hdr.telemetry.setInvalid();
            feedback.apply();
            if (always || meta.worst_qdepth > threshold) {
                bit<32> cell;
                bit<48> last;
                bit<48> now = standard_metadata.egress_global_timestamp;
                cell_of_flow.apply(meta.flow, cell);
                last_feedback.read(last, cell);
                if (last == 0 || now - last >= timeout) {
                    bit<8> dice;
                    random(dice, 8w1, 8w100);
                    if (dice <= percent) {
                        last_feedback.write(cell, now);
                        clone_preserving_field_list(CloneType.E2E, FEEDBACK_SESSION, KEPT_FOR_FEEDBACK);
                    }
                }
            }
        }
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
