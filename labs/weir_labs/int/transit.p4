/* transit.p4 - a switch between source and sink follows the instructions of a packet. */

control Transit(inout packet_t packet, inout metadata meta) {
    Push() push;

    apply {
        if (packet.md.isValid()) {
            if (packet.md.remaining_hops == 0) {
                packet.md.hops_exceeded = 1;
            } else {
                push.apply(packet, meta);
            }
        } else if (packet.mx.isValid()) {
            meta.report = 1;
            meta.report_bits = packet.mx.instructions;
        }
    }
}
