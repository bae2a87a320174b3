/*
 * pace.p4 - an IPv4 router that tells TCP senders their share of its links.
 *
 * A host asks with an IPv4 option in its SYN. The switch notes the flow at the port where its data
 * leaves (flows.p4), and adds a trace to the option in the SYN-ACK: the link's capacity, and the
 * shares into which it is divided. When a flow joins or leaves, the hosts of all other flows at this
 * port get a notification, which has the same option with one trace:
 *
 *     Ethernet | IPv4 20, option 12 | UDP 8, from the flow's port to NOTICE_PORT
 *
 * A flow leaves with a FIN, an RST, or after a time without packets. The switch makes notifications
 * one after the other: a clone of the packet is recirculated, becomes the notification to the first
 * host, is cloned for the next one, and so on.
 */

#include <core.p4>
#include <v1model.p4>
#include "headers.p4"
#include "parser.p4"
#include "checksums.p4"
#include "router.p4"
#include "flows.p4"

const bit<32> INGRESS_CLONE = 1;        // instance_type
const bit<32> RECIRCULATED = 4;
const bit<32> CLONE_SESSION = 1;
const bit<16> NOTICE_PORT = 5300;
const bit<8> NOTICE_TTL = 64;
const bit<32> NOTICE_BYTES = 54;
const bit<4> TRACE_WORDS = 2;
const bit<16> TRACE_BYTES = 8;

flow_key_t key_of(in headers hdr) {
    return hdr.ipv4.srcAddr ++ hdr.ipv4.dstAddr ++ hdr.tcp.srcPort ++ hdr.tcp.dstPort;
}

flow_key_t reverse_key_of(in headers hdr) {
    return hdr.ipv4.dstAddr ++ hdr.ipv4.srcAddr ++ hdr.tcp.dstPort ++ hdr.tcp.srcPort;
}

// A share of a's link is larger than one of b's.
bool larger(in trace_t a, in trace_t b) {
    return (bit<48>) a.kbps * (bit<48>) b.shares > (bit<48>) b.kbps * (bit<48>) a.shares;
}

// Adds a trace to the option. If there is no room, only the smallest shares stay.
control AddTrace(inout headers hdr, in trace_t trace) {
    action grow() {
        hdr.ipv4.ihl = hdr.ipv4.ihl + TRACE_WORDS;
        hdr.ipv4.totalLen = hdr.ipv4.totalLen + TRACE_BYTES;
        hdr.pace.length_ = hdr.pace.length_ + (bit<8>) TRACE_BYTES;
    }

    apply {
        if (!hdr.traces[3].isValid() && hdr.ipv4.ihl <= 15 - TRACE_WORDS) {
            if (!hdr.traces[0].isValid()) {
                hdr.traces[0] = trace;
            } else if (!hdr.traces[1].isValid()) {
                hdr.traces[1] = trace;
            } else if (!hdr.traces[2].isValid()) {
                hdr.traces[2] = trace;
            } else {
                hdr.traces[3] = trace;
            }
            grow();
        } else {
            // The larger share of two goes on, and falls out at the end.
            trace_t new = trace;
            trace_t old;
            if (hdr.traces[0].isValid() && larger(hdr.traces[0], new)) {
                old = hdr.traces[0]; hdr.traces[0] = new; new = old;
            }
            if (hdr.traces[1].isValid() && larger(hdr.traces[1], new)) {
                old = hdr.traces[1]; hdr.traces[1] = new; new = old;
            }
            if (hdr.traces[2].isValid() && larger(hdr.traces[2], new)) {
                old = hdr.traces[2]; hdr.traces[2] = new; new = old;
            }
            if (hdr.traces[3].isValid() && larger(hdr.traces[3], new)) {
                hdr.traces[3] = new;
            }
        }
    }
}

control MyIngress(inout headers hdr,
                  inout metadata meta,
                  inout standard_metadata_t standard_metadata) {
    Route() route;
    Find() find;
    Find() find_reverse;
    Take() take;
    Join() join;
    Leave() leave;
    Leave() leave_reverse;
    Leave() leave_silent;
    Sweep() sweep;
    IsActive() is_active;
    Count() count;
    AddTrace() add_trace;
    bit<8> switch_id = 0;
    time_t silence = 0;
    time_t refresh = 0;

    // silence_us: how long a flow may send nothing. refresh_us: each flow's host gets its share
    // again after this time; 0 for never.
    action set_scheme(bit<8> id, time_t silence_us, time_t refresh_us) {
        switch_id = id;
        silence = silence_us;
        refresh = refresh_us;
    }

    // Without an entry the switch is a router.
    table scheme {
        actions = { set_scheme; NoAction; }
        default_action = NoAction();
    }

    action read_trace(in port_t port, inout trace_t trace) {
        trace.setValid();
        trace.switch_id = switch_id;
        trace.port = port[7:0];
        port_shares.read(trace.shares, (bit<32>) port);
        capacity.read(trace.kbps, (bit<32>) port);
    }

    // Makes the packet a notification to the flow of a slot.
    action make_notice(in slot_t slot, in port_t port) {
        flow_key_t key;
        bit<8> weight;
        flow_key.read(key, (bit<32>) slot);
        flow_weight.read(weight, (bit<32>) slot);
        hdr.pace.setValid();
        hdr.pace = { OPTION_PACE, 12, 1, weight };
        read_trace(port, hdr.traces[0]);
        hdr.traces[1].setInvalid();
        hdr.traces[2].setInvalid();
        hdr.traces[3].setInvalid();
        hdr.others[0].setInvalid();
        hdr.others[1].setInvalid();
        hdr.others[2].setInvalid();
        hdr.others[3].setInvalid();
        hdr.rest.setInvalid();
        hdr.tcp.setInvalid();
        hdr.ipv4 = { 4, 8, 0, 40, 0, 2, 0, NOTICE_TTL, PROTOCOL_UDP, 0, key[63:32], key[95:64] };
        hdr.udp.setValid();
        hdr.udp = { key[31:16], NOTICE_PORT, 8, 0 };
        meta.is_notice = 1;
    }

    apply {
        time_t now = standard_metadata.ingress_global_timestamp;
        bool active;
        if (!hdr.ipv4.isValid() || !can_be_routed(hdr, standard_metadata)) {
            mark_to_drop(standard_metadata);
            return;
        }
        scheme.apply();
        bool walks = standard_metadata.instance_type == RECIRCULATED;
        slot_t walked = meta.walk_slot;
        if (walks) {
            bit<16> its_port;
            flow_port.read(its_port, (bit<32>) walked);
            is_active.apply(walked, its_port[8:0], active);
            if (!active || (meta.walk_port != 0 && its_port[8:0] != meta.walk_port)) {
                // It has left meanwhile, and its leaving has begun again.
                mark_to_drop(standard_metadata);
                return;
            }
            make_notice(walked, its_port[8:0]);
            flow_told.write((bit<32>) walked, meta.walk_time);
            count.apply(EVENT_NOTICE);
        } else {
            meta.walk_time = now;
        }
        route.apply(hdr, standard_metadata);
        if (walks) {
            slot_t next = 0;
            if (meta.walk_port != 0) { flow_next.read(next, (bit<32>) walked); }
            meta.walk_slot = next;
            if (next != 0) {
                clone_preserving_field_list(CloneType.I2E, CLONE_SESSION, 1);
            }
            return;
        }
        if (silence == 0 || !hdr.tcp.isValid()) { return; }
        port_t port = standard_metadata.egress_spec;
        bit<32> kbps;
        slot_t slot = 0;
        bit<8> state = NEVER;
        bool asks = hdr.tcp.flags & (SYN | ACK) == SYN && hdr.pace.isValid() && hdr.pace.weight != 0;
        capacity.read(kbps, (bit<32>) port);
        if (kbps != 0) {
            find.apply(key_of(hdr), slot);
            if (slot == 0 && asks) {
                take.apply(key_of(hdr), slot);
            } else if (slot != 0) {
                flow_state.read(state, (bit<32>) slot);
            }
            if (slot != 0) {
                bit<32> place = (bit<32>) slot;
                is_active.apply(slot, port, active);
                if (state == ACTIVE && !active) {
                    // Its route has changed: its next packet joins the new port.
                    leave.apply(slot, SILENT, meta.walk_port);
                    port_first.read(meta.walk_slot, (bit<32>) meta.walk_port);
                } else if (hdr.tcp.flags & (FIN | RST) != 0) {
                    if (state == ACTIVE) {
                        leave.apply(slot, ENDED, meta.walk_port);
                        port_first.read(meta.walk_slot, (bit<32>) port);
                    }
                } else if (state != ACTIVE && asks) {
                    flow_weight.write(place, hdr.pace.weight);
                    // The new flow gets its share with its SYN-ACK: the walk begins after it.
                    port_first.read(meta.walk_slot, (bit<32>) port);
                    meta.walk_port = port;
                    join.apply(slot, port, now);
                } else if (state == SILENT) {
                    join.apply(slot, port, now);
                    meta.walk_slot = slot;
                    meta.walk_port = port;
                } else if (state == ACTIVE) {
                    time_t told;
                    flow_seen.write(place, now);
                    flow_told.read(told, place);
                    if (refresh != 0 && now - told > refresh) {
                        flow_told.write(place, now);
                        meta.walk_slot = slot;
                        count.apply(EVENT_REFRESH);
                    }
                }
            }
            slot_t silent;
            sweep.apply(port, now, silence, silent);
            if (silent != 0) {
                leave_silent.apply(silent, SILENT, meta.walk_port);
                port_first.read(meta.walk_slot, (bit<32>) port);
            }
        }
        // In the other direction: the answer to a SYN, and a receiver that wants no more.
        bool answers = hdr.tcp.flags & (SYN | ACK) == (SYN | ACK) && hdr.pace.isValid();
        if (answers || hdr.tcp.flags & RST != 0) {
            slot_t of_reverse;
            find_reverse.apply(reverse_key_of(hdr), of_reverse);
            bit<16> its_port;
            flow_port.read(its_port, (bit<32>) of_reverse);
            is_active.apply(of_reverse, its_port[8:0], active);
            if (active && answers) {
                trace_t trace;
                read_trace(its_port[8:0], trace);
                add_trace.apply(hdr, trace);
            } else if (active) {
                leave_reverse.apply(of_reverse, ENDED, meta.walk_port);
                port_first.read(meta.walk_slot, (bit<32>) its_port);
            }
        }
        if (meta.walk_slot != 0) {
            clone_preserving_field_list(CloneType.I2E, CLONE_SESSION, 1);
        }
    }
}

control MyEgress(inout headers hdr,
                 inout metadata meta,
                 inout standard_metadata_t standard_metadata) {
    apply {
        if (standard_metadata.instance_type == INGRESS_CLONE) {
            recirculate_preserving_field_list(1);
        } else if (meta.is_notice == 1) {
            truncate(NOTICE_BYTES);
        }
    }
}

V1Switch(MyParser(), MyVerifyChecksum(), MyIngress(), MyEgress(), MyComputeChecksum(), MyDeparser()) main;
