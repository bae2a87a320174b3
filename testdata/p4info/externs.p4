// Counters, meters, registers and action profiles, indexed and direct.
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
}

struct headers_t {
    h_t h;
}

struct meta_t {
    bit<2> colour;
}

#include "rest.p4"

control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    counter(8, CounterType.packets) packets;
    counter(9, CounterType.bytes) bytes;
    @unit("cells")
    counter(10, CounterType.packets_and_bytes) both;
    meter(11, MeterType.bytes) metered;
    @single_rate_two_color
    meter(12, MeterType.packets) two_colours;
    direct_counter(CounterType.packets_and_bytes) of_entries;
    @single_rate_three_color
    direct_meter<bit<2>>(MeterType.packets) limits;
    action_profile(64) shared_actions;
    @max_group_size(16)
    action_selector(HashAlgorithm.crc32, 128, 10) weighted;
    @max_group_size(4) @selector_size_semantics("sum_of_members") @max_member_weight(300)
    action_selector(HashAlgorithm.crc16, 32, 10) counted;
    @selector_size_semantics("SUM_OF_WEIGHTS") @mode("fair")
    action_selector(HashAlgorithm.crc16, 16, 10) fair;

    action to(bit<9> port) {
        sm.egress_spec = port;
    }

    action measured() {
        limits.read(meta.colour);
    }

    action counted_too() {
        of_entries.count();
    }

    table direct {
        key = { hdr.h.a : exact; }
        actions = { counted_too; NoAction; }
        counters = of_entries;
    }

    table limited {
        key = { hdr.h.a : exact; }
        actions = { measured; NoAction; }
        meters = limits;
    }

    table first {
        key = { hdr.h.a : exact; }
        actions = { to; NoAction; }
        implementation = shared_actions;
    }

    table second {
        key = { hdr.h.b : exact; }
        actions = { to; NoAction; }
        implementation = shared_actions;
    }

    table chosen {
        key = { hdr.h.a : exact; hdr.h.b : selector; }
        actions = { to; NoAction; }
        implementation = weighted;
    }

    table chosen_too {
        key = { hdr.h.a : exact; hdr.h.b : selector; }
        actions = { to; NoAction; }
        implementation = counted;
    }

    table chosen_fairly {
        key = { hdr.h.a : exact; hdr.h.b : selector; }
        actions = { to; NoAction; }
        implementation = fair;
    }

    apply {
        packets.count(1);
        bytes.count(1);
        both.count(1);
        metered.execute_meter((bit<32>)1, meta.colour);
        two_colours.execute_meter((bit<32>)1, meta.colour);
        direct.apply();
        limited.apply();
        first.apply();
        second.apply();
        chosen.apply();
        chosen_too.apply();
        chosen_fairly.apply();
    }
}

V1Switch(TheParser(), NoSums(), MyIngress(), Nothing(), NoSums(), Emit()) main;
