/*
 * flows.p4 - which flows are active at each port, in registers.
 *
 * A flow is in one of four slots that the hash of its addresses and ports names. The flows of a port
 * are a list, so that a switch finds all of them: `next` and `previous` are slots, 0 at the ends.
 */

#define WAYS 4
#define WAY_SLOTS 1024
#define SLOTS 4097              // slot 0 is not a flow
#define PORTS 512

const bit<8> NEVER = 0;
const bit<8> ACTIVE = 1;
const bit<8> SILENT = 2;        // sent nothing for long; its next packet makes it active
const bit<8> ENDED = 3;         // FIN or RST; only a SYN makes it active

register<flow_key_t>(SLOTS) flow_key;
register<bit<8>>(SLOTS) flow_state;
register<bit<16>>(SLOTS) flow_port;
register<bit<8>>(SLOTS) flow_weight;
register<time_t>(SLOTS) flow_seen;      // its last packet
register<time_t>(SLOTS) flow_told;      // the last notification to its host
register<slot_t>(SLOTS) flow_next;
register<slot_t>(SLOTS) flow_previous;

register<bit<32>>(PORTS) capacity;      // of the link, in kbit/s; 0: the port is not managed
register<bit<16>>(PORTS) port_flows;    // active flows
register<bit<16>>(PORTS) port_shares;   // the sum of their weights
register<slot_t>(PORTS) port_first;     // where their list begins
register<slot_t>(PORTS) port_sweep;     // the flow whose silence is looked for next

register<bit<32>>(1) without_slot;      // SYNs of flows that found their four slots taken

// Of this switch, to be seen with `register_read`: joins, leaves, notifications, refreshes.
#define EVENT_JOIN 0
#define EVENT_LEAVE 1
#define EVENT_SILENT 2
#define EVENT_NOTICE 3
#define EVENT_REFRESH 4
register<bit<32>>(5) events;

control Count(in bit<32> event) {
    apply {
        bit<32> number;
        events.read(number, event);
        events.write(event, number + 1);
    }
}

slot_t slot_of(in bit<32> hashed, in bit<16> way) {
    return 1 + way * WAY_SLOTS + hashed[15:0];
}

// The slot of a flow; 0 if it has none.
control Find(in flow_key_t key, out slot_t slot) {
    apply {
        bit<32> hashed;
        flow_key_t found;
        hash(hashed, HashAlgorithm.crc32, 32w0, { key }, 32w1024);
        slot = slot_of(hashed, 0);
        flow_key.read(found, (bit<32>) slot);
        if (found == key) { return; }
        slot = slot_of(hashed, 1);
        flow_key.read(found, (bit<32>) slot);
        if (found == key) { return; }
        slot = slot_of(hashed, 2);
        flow_key.read(found, (bit<32>) slot);
        if (found == key) { return; }
        slot = slot_of(hashed, 3);
        flow_key.read(found, (bit<32>) slot);
        if (found == key) { return; }
        slot = 0;
    }
}

// A slot for a flow that has none; 0 if active flows have all four.
control Take(in flow_key_t key, out slot_t slot) {
    apply {
        bit<32> hashed;
        bit<8> state;
        hash(hashed, HashAlgorithm.crc32, 32w0, { key }, 32w1024);
        slot = slot_of(hashed, 0);
        flow_state.read(state, (bit<32>) slot);
        if (state == ACTIVE) {
            slot = slot_of(hashed, 1);
            flow_state.read(state, (bit<32>) slot);
        }
        if (state == ACTIVE) {
            slot = slot_of(hashed, 2);
            flow_state.read(state, (bit<32>) slot);
        }
        if (state == ACTIVE) {
            slot = slot_of(hashed, 3);
            flow_state.read(state, (bit<32>) slot);
        }
        if (state == ACTIVE) {
            slot = 0;
            bit<32> number;
            without_slot.read(number, 0);
            without_slot.write(0, number + 1);
        } else {
            flow_key.write((bit<32>) slot, key);
        }
    }
}

// Puts a flow in front of its port's list.
control Join(in slot_t slot, in port_t port, in time_t now) {
    Count() count;

    apply {
        bit<32> place = (bit<32>) slot;
        bit<32> of_port = (bit<32>) port;
        slot_t first;
        bit<16> flows;
        bit<16> shares;
        bit<8> weight;
        flow_state.write(place, ACTIVE);
        flow_port.write(place, (bit<16>) port);
        flow_seen.write(place, now);
        flow_told.write(place, now);
        port_first.read(first, of_port);
        flow_next.write(place, first);
        flow_previous.write(place, 0);
        if (first != 0) { flow_previous.write((bit<32>) first, slot); }
        port_first.write(of_port, slot);
        flow_weight.read(weight, place);
        port_flows.read(flows, of_port);
        port_flows.write(of_port, flows + 1);
        port_shares.read(shares, of_port);
        port_shares.write(of_port, shares + (bit<16>) weight);
        count.apply(EVENT_JOIN);
    }
}

// Takes a flow out of its port's list.
control Leave(in slot_t slot, in bit<8> new_state, out port_t port) {
    Count() count;

    apply {
        bit<32> place = (bit<32>) slot;
        bit<16> of_port;
        slot_t next;
        slot_t previous;
        bit<16> flows;
        bit<16> shares;
        bit<8> weight;
        flow_state.write(place, new_state);
        flow_port.read(of_port, place);
        port = of_port[8:0];
        flow_next.read(next, place);
        flow_previous.read(previous, place);
        if (previous != 0) {
            flow_next.write((bit<32>) previous, next);
        } else {
            port_first.write((bit<32>) port, next);
        }
        if (next != 0) { flow_previous.write((bit<32>) next, previous); }
        flow_weight.read(weight, place);
        port_flows.read(flows, (bit<32>) port);
        port_flows.write((bit<32>) port, flows - 1);
        port_shares.read(shares, (bit<32>) port);
        port_shares.write((bit<32>) port, shares - (bit<16>) weight);
        if (new_state == SILENT) { count.apply(EVENT_SILENT); } else { count.apply(EVENT_LEAVE); }
    }
}

// Whether a slot's flow is active at a port.
control IsActive(in slot_t slot, in port_t port, out bool active) {
    apply {
        bit<8> state;
        bit<16> its_port;
        flow_state.read(state, (bit<32>) slot);
        flow_port.read(its_port, (bit<32>) slot);
        active = slot != 0 && state == ACTIVE && its_port[8:0] == port;
    }
}

// Looks at one flow of a port with each packet that leaves there: has it been silent for too long?
control Sweep(in port_t port, in time_t now, in time_t silence, out slot_t silent) {
    IsActive() is_active;

    apply {
        slot_t slot;
        slot_t next;
        time_t seen;
        bool active;
        silent = 0;
        port_sweep.read(slot, (bit<32>) port);
        is_active.apply(slot, port, active);
        if (!active) {
            port_first.read(next, (bit<32>) port);
        } else {
            flow_next.read(next, (bit<32>) slot);
            flow_seen.read(seen, (bit<32>) slot);
            if (now - seen > silence) { silent = slot; }
        }
        port_sweep.write((bit<32>) port, next);
    }
}
