/*
 * codel.p4 - controlled delay (RFC 8289) in the queues of a switch's ports.
 *
 * A queue in which packets wait for more than a target, for longer than an interval, does not work
 * off a burst: it stands. CoDel then drops a packet, and further ones in shorter and shorter times,
 * until a packet has waited for less.
 *
 * The RFC's algorithm takes packets out of the queue until it has one that may leave. A pipeline has
 * only one packet. So what the algorithm does after a drop, it does here with the next packet, which
 * comes when the port's link could send it: `phase` remembers what is left to do.
 */

#define CODEL_PORTS 512

const bit<8> CALM = 0;          // does not drop
const bit<8> BEGUN = 1;         // has dropped the first packet; the next one leaves, however long it waited
const bit<8> WAITING = 2;       // drops the next packet after drop_next
const bit<8> DROPPED = 3;       // has dropped another packet: drop_next has to be set again

register<time_t>(CODEL_PORTS) codel_above;      // when packets may be dropped; 0: one waited less than the target
register<time_t>(CODEL_PORTS) codel_drop_next;
register<bit<16>>(CODEL_PORTS) codel_count;     // drops since CoDel began to drop
register<bit<16>>(CODEL_PORTS) codel_last_count; // what it began with
register<bit<8>>(CODEL_PORTS) codel_phase;
register<bit<32>>(CODEL_PORTS) codel_drops;     // all of them
register<bit<32>>(CODEL_PORTS) codel_marks;     // packets marked instead of dropped

// Decides about a packet that has come out of a port's queue.
// now: the time. waited: the packet's time in the queue, in us. behind: packets still in the queue.
control Codel(in port_t port, in time_t now, in bit<32> waited, in bit<19> behind, in bool can_be_marked,
              out bool drops, out bool marks) {
    bit<32> target = 0;
    time_t interval = 0;
    bool ecn = false;
    bit<16> count;
    time_t gap = 0;

    // target_us and interval_us: the RFC's TARGET and INTERVAL. use_ecn: whether packets of senders
    // that understand ECN are marked.
    action set_limits(bit<32> target_us, time_t interval_us, bit<1> use_ecn) {
        target = target_us;
        interval = interval_us;
        ecn = use_ecn == 1;
    }

    // Ports without an entry have a plain queue.
    table limits {
        key = { port: exact; }
        actions = { set_limits; NoAction; }
        size = CODEL_PORTS;
        default_action = NoAction();
    }

    // share: 65536 / sqrt(count)
    action set_gap(time_t share) {
        gap = interval * share >> 16;
    }

    // P4 has no roots: the control plane computes them (codel.py).
    table control_law {
        key = { count: lpm; }
        actions = { set_gap; NoAction; }
        size = 1024;
        default_action = NoAction();
    }

    apply {
        bit<32> place = (bit<32>) port;
        time_t above;
        time_t drop_next;
        bit<16> last_count;
        bit<8> phase;
        drops = false;
        marks = false;
        if (!limits.apply().hit) { return; }
        codel_above.read(above, place);
        codel_drop_next.read(drop_next, place);
        codel_count.read(count, place);
        codel_last_count.read(last_count, place);
        codel_phase.read(phase, place);

        // Has each packet of a whole interval waited for too long? If no more than one packet is
        // behind this one (the RFC: an MTU), the queue does not stand.
        bool may_drop = false;
        if (waited < target || behind <= 1) {
            above = 0;
        } else if (above == 0) {
            above = now + interval;
        } else {
            may_drop = now >= above;
        }

        bool begins = phase == CALM && may_drop;
        if (begins) {
            // If it dropped lately, it goes on about as fast as it had to then.
            bit<16> more = count - last_count;
            count = 1;
            if (more > 1 && now < drop_next + (interval << 4)) { count = more; }
            last_count = count;
            drop_next = now;
        }
        if (begins || (phase == DROPPED && may_drop)) {
            control_law.apply();
            drop_next = drop_next + gap;
        }

        bool strikes = begins;
        if (begins) {
            phase = ecn && can_be_marked ? WAITING : BEGUN;
        } else if (phase == BEGUN) {
            phase = WAITING;
        } else if (phase != CALM) {
            if (!may_drop) {
                phase = CALM;
            } else if (now >= drop_next) {
                strikes = true;
                count = count |+| 1;
                phase = DROPPED;
            } else {
                phase = WAITING;
            }
        }
        codel_above.write(place, above);
        codel_drop_next.write(place, drop_next);
        codel_count.write(place, count);
        codel_last_count.write(place, last_count);
        codel_phase.write(place, phase);

        if (strikes) {
            bit<32> number;
            if (ecn && can_be_marked) {
                marks = true;
                codel_marks.read(number, place);
                codel_marks.write(place, number + 1);
            } else {
                drops = true;
                codel_drops.read(number, place);
                codel_drops.write(place, number + 1);
            }
        }
    }
}
