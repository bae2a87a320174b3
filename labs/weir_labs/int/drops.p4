/* drops.p4 - packets that this switch drops, and reports of them. */

// Drop reasons, those of p4lang/switch.
const bit<8> DROP_UNKNOWN = 0;
const bit<8> DROP_NO_ROUTE = 29;
const bit<8> DROP_TTL = 31;
const bit<8> DROP_QUEUE_FULL = 51;

// The packets in each port's queue: those left when the last one went to egress, and all since.
register<bit<32>>(512) in_queue;

// v1model does not tell a program that a queue was full. So the program drops before that happens.
control QueueLimit(inout metadata meta, inout standard_metadata_t standard_metadata) {
    bit<32> limit = 0;

    // Fewer than the queue holds: reports of this switch join it, too, and packets on their way to it
    // are not counted for a moment.
    action limit_queue(bit<32> packets) {
        limit = packets;
    }

    table queue_limits {
        key = { standard_metadata.egress_spec: exact; }
        actions = { limit_queue; NoAction; }
        size = 512;
        default_action = NoAction();
    }

    apply {
        bit<32> place = (bit<32>) standard_metadata.egress_spec;
        queue_limits.apply();
        if (limit != 0) {
            @atomic {
                bit<32> packets;
                in_queue.read(packets, place);
                if (packets >= limit) {
                    meta.drop_reason = DROP_QUEUE_FULL;
                    meta.drops = 1;
                    mark_to_drop(standard_metadata);
                } else {
                    in_queue.write(place, packets + 1);
                }
            }
        }
    }
}

control ReportDrop(in headers hdr, inout metadata meta, in standard_metadata_t standard_metadata) {
    register<bit<48>>(FLOWS) last_reports;          // by flow, time in us + 1
    FlowSlot() flow_slot;

    bit<32> session = 0;
    bit<48> period = 0;

    // Report the first packet of a flow that is dropped, and another one after reset_us.
    action report_drops(bit<32> clone_session, bit<48> reset_us) {
        session = clone_session;
        period = reset_us;
    }

    table drop_watchlist {
        key = {
            hdr.packet.ipv4.srcAddr: ternary;
            hdr.packet.ipv4.dstAddr: ternary;
            hdr.packet.ipv4.protocol: ternary;
        }
        actions = { report_drops; NoAction; }
        size = 1024;
        default_action = NoAction();
    }

    apply {
        drop_watchlist.apply();
        if (session != 0) {
            bit<32> slot;
            bit<32> print;
            bit<48> last;
            bit<48> now = standard_metadata.ingress_global_timestamp;
            flow_slot.apply(hdr.packet, slot, print);
            bool due;
            @atomic {
                last_reports.read(last, slot);
                due = last == 0 || now + 1 - last >= period;
                if (due) {
                    last_reports.write(slot, now + 1);
                }
            }
            if (due) {
                meta.drop_ingress = (bit<16>) standard_metadata.ingress_port;
                meta.drop_time = now;
                clone_preserving_field_list(CloneType.I2E, session, FIELDS_OF_DROP);
            }
        }
    }
}

// A report's own headers, for the clone of a packet that was dropped in ingress.
control PrepareDrop(inout headers hdr, in metadata meta) {
    apply {
        hdr.received = hdr.packet;
        hdr.received_words = hdr.words;
        hdr.received_rest = hdr.rest;
        hdr.prepared.individual.setValid();
        hdr.prepared.individual.kind = REPORT_INT;
        hdr.prepared.individual.inner = INNER_IPV4;
        hdr.prepared.individual.length_ = 0;          // known when the report is made
        hdr.prepared.individual.dropped = 1;
        hdr.prepared.individual.congested = meta.drop_reason == DROP_QUEUE_FULL ? 1w1 : 0;
        hdr.prepared.individual.tracked = meta.drop_tracked;
        hdr.prepared.individual.intermediate = 0;
        hdr.prepared.individual.reserved = 0;
        hdr.prepared.individual.bits = BIT_INTERFACES | BIT_INGRESS_TIME | BIT_DROP;
        hdr.prepared.individual.metadata_length = words_of(BIT_INTERFACES | BIT_INGRESS_TIME | BIT_DROP);
        hdr.prepared.individual.domain = 0;
        hdr.prepared.individual.ds_bits = 0;
        hdr.prepared.individual.ds_status = 0;
        hdr.prepared.hop.interfaces.setValid();
        hdr.prepared.hop.interfaces.ingress = meta.drop_ingress;
        hdr.prepared.hop.interfaces.egress = meta.drop_egress;
        hdr.prepared.hop.ingress_time.setValid();
        hdr.prepared.hop.ingress_time.us = (bit<64>) meta.drop_time;
        hdr.prepared.drop.setValid();
        hdr.prepared.drop.queue = 0;
        hdr.prepared.drop.reason = meta.drop_reason;
        hdr.prepared.drop.padding = 0;
    }
}
