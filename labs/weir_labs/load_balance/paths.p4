/*
 * paths.p4 - which of several paths a packet takes: by the hash of an id.
 *
 * A path is a hash of addresses, protocol, ports and an id of the flow. There are three schemes:
 *
 *     by_hash         the id is 0: equal-cost multipath (ECMP)
 *     by_feedback     it is 0 until a feedback message about the flow comes; then, and with each
 *                     further one, it becomes a random number, and the flow is on another path, or by
 *                     chance on the same one
 *     by_flowlets     it becomes a random number whenever no packet of the flow came for a time
 *
 * loads.p4 has a fourth one, without a hash.
 */

const bit<32> FLOWS = 4096;

// The cell of a flow in registers; two flows may have the same.
control CellOfFlow(in flow_t flow, out bit<32> cell) {
    apply {
        hash(cell, HashAlgorithm.crc32, 32w0,
            { flow.srcAddr, flow.dstAddr, flow.protocol, flow.srcPort, flow.dstPort }, FLOWS);
    }
}

// The path, 0 to paths - 1, of a packet with this id.
control HashedPath(in flow_t flow, in bit<16> id, in bit<16> paths, out bit<16> path) {
    apply {
        hash(path, HashAlgorithm.crc32, 16w0,
            { flow.srcAddr, flow.dstAddr, flow.protocol, flow.srcPort, flow.dstPort, id }, paths);
    }
}

// Keeps the ids of flows. With feedback about a flow, the flow gets a new id, if new_ids is true.
control PathsById(in flow_t flow, in bit<16> paths, in bool feedback, in bool new_ids,
                  in bit<48> now, in bit<48> gap, out bit<16> path) {
    register<bit<16>>(FLOWS) ids;
    register<bit<48>>(FLOWS) last_packet;       // when it came, in us
    CellOfFlow() cell_of_flow;
    HashedPath() hashed_path;

    apply {
        bit<32> cell;
        bit<16> id;
        path = 0;
        cell_of_flow.apply(flow, cell);
        if (feedback) {
            if (new_ids) {
                random(id, 16w0, 16w0xffff);
                ids.write(cell, id);
            }
            return;
        }
        ids.read(id, cell);
        // A gap of 0 means that there are no flowlets.
        if (gap > 0) {
            bit<48> last;
            last_packet.read(last, cell);
            if (last > 0 && now - last > gap) {
                random(id, 16w0, 16w0xffff);
                ids.write(cell, id);
            }
            last_packet.write(cell, now);
        }
        hashed_path.apply(flow, id, paths, path);
    }
}
