/*
 * occupancy.p4 - the length of the queue that a packet met, if it counts as congestion.
 *
 * A flow alone on a path can have a long queue there: it is left over from a flow that has gone, and
 * stays as long as packets come as fast as they leave. Another path would not be faster. So there are
 * two rules: all queues count, or only those with packets of several flows.
 */

const bit<32> PORTS = 512;

control Occupancy(in flow_t flow, in standard_metadata_t standard_metadata, out bit<16> depth) {
    register<bit<32>>(PORTS) last_flow;         // to leave each port
    register<bit<16>>(PORTS) packets_before;    // that left before the last one, of the same flow in a row
    CellOfFlow() cell_of_flow;
    bool only_shared = false;
    bit<32> least_bytes = 0;

    action all_queues() {
        only_shared = false;
    }

    // Packets of fewer bytes count nothing and share nothing: acknowledgements.
    action shared_queues(bit<32> bytes) {
        only_shared = true;
        least_bytes = bytes;
    }

    table queues {
        actions = { all_queues; shared_queues; }
        default_action = all_queues();
    }

    apply {
        // enq_qdepth has 19 bits; a queue of more than 65535 packets counts as 65535.
        depth = standard_metadata.enq_qdepth > 0xffff ? 0xffff : (bit<16>) standard_metadata.enq_qdepth;
        queues.apply();
        if (!only_shared) {
            return;
        }
        if (standard_metadata.packet_length < least_bytes) {
            depth = 0;
            return;
        }
        // The packets that this one found in the queue are the last ones that have left it. If there
        // are at least as many of its own flow in a row, it found no others.
        bit<32> port = (bit<32>) standard_metadata.egress_port;
        bit<32> own;
        bit<32> last;
        bit<16> before;
        cell_of_flow.apply(flow, own);
        @atomic {
            last_flow.read(last, port);
            packets_before.read(before, port);
            if (last != own) {
                before = 0;
            } else if (before < 0xffff) {
                before = before + 1;
            }
            last_flow.write(port, own);
            packets_before.write(port, before);
        }
        if (before >= depth) {
            depth = 0;
        }
    }
}
