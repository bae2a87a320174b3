// Annotations whose bodies say nothing, and whose P4Info is that of a program without them.
#include <v1model.p4>

header h_t {
    bit<8> a;
    bit<16> b;
}

@controller_header("packet_in", "x")
header two_words_t {
    bit<8> a;
}

@controller_header(packet_in)
header no_text_t {
    bit<8> a;
}

@controller_header("packet_in")
@hidden
header unseen_t {
    bit<8> a;
}

struct headers_t {
    h_t h;
}

struct meta_t {
    bit<2> colour;
}

#include "rest.p4"

control MyIngress(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t sm) {
    @single_rate_two_color
    @single_rate_three_color
    meter(12, MeterType.packets) first_counts;
    @max_group_size(-5)
    @selector_size_semantics("sum_of_members", "x")
    action_selector(HashAlgorithm.crc32, 128, 10) negative;
    @max_group_size(5, 6)
    @selector_size_semantics(sum_of_members)
    action_selector(HashAlgorithm.crc32, 128, 10) two_numbers;
    @max_group_size(size = 5)
    action_selector(HashAlgorithm.crc32, 128, 10) keyed;

    @brief("one", "two")
    @description(text)
    action to(bit<9> port) {
        sm.egress_spec = port;
    }
    @brief()
    table t {
        key = {
            hdr.h.a: exact;
            hdr.h.b: selector;
        }
        actions = {
            to;
            NoAction;
        }
        implementation = negative;
    }
    apply {
        first_counts.execute_meter(1, meta.colour);
        t.apply();
    }
}

@platform_property(multicast_group_table_size = -1)
V1Switch(TheParser(), NoSums(), MyIngress(), Nothing(), NoSums(), Emit()) main;
