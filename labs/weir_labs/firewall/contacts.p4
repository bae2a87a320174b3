/*
 * contacts.p4 - a new host may only answer hosts that have contacted it.
 *
 * Hosts have small numbers, so each pair has a cell of its own: no hash, and no collision that could
 * let a packet pass. A packet of A to B writes the time, and opens the way from B to A for a while.
 * Packets of a new host open nothing.
 */

const bit<32> PAIRS = 4096;
const bit<48> EXPIRY_US = 30000000;

control Contacts(in metadata meta,
                 in standard_metadata_t standard_metadata,
                 out bool refused) {
    // When a host last sent something to another one, in microseconds plus 1; 0 for never.
    register<bit<48>>(PAIRS) contacted;

    apply {
        refused = false;
        bit<48> now = standard_metadata.ingress_global_timestamp;
        if (meta.is_new == 0) {
            contacted.write((bit<32>)(meta.source ++ meta.target), now + 1);
        } else {
            bit<48> last;
            contacted.read(last, (bit<32>)(meta.target ++ meta.source));
            refused = last == 0 || now + 1 - last > EXPIRY_US;
        }
    }
}
