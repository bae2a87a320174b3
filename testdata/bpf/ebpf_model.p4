// Every extern of the packet filter of p4c's eBPF target.
#include <ebpf_model.p4>

header order_t {
    bit<8> what;
    bit<8> index;
    bit<16> value;
}

struct headers_t {
    order_t order;
}

parser P(packet_in packet, out headers_t headers) {
    state start {
        packet.extract(headers.order);
        transition select(headers.order.what) {
            0xff: reject;
            default: accept;
        }
    }
}

control F(inout headers_t headers, out bool accept) {
    CounterArray(8, false) seen;
    CounterArray(8, false) values;

    action block(bit<8> what) {
        // No deparser writes this.
        headers.order.what = what;
        accept = false;
    }
    table blocked {
        key = { headers.order.value: exact; }
        actions = { block; NoAction; }
        implementation = hash_table(64);
    }
    table ranges {
        key = { headers.order.value: lpm; headers.order.index: exact; }
        actions = { block; NoAction; }
        implementation = array_table(64);
        default_action = NoAction();
    }

    apply {
        seen.increment((bit<32>) headers.order.index);
        values.add((bit<32>) headers.order.index, (bit<32>) headers.order.value);
        if (headers.order.what == 1) {
            accept = true;
            if (blocked.apply().miss) {
                ranges.apply();
            }
        } else {
            accept = false;
        }
    }
}

ebpfFilter(P(), F()) main;
