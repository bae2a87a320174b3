// Annotations that mean nothing because of the rest of the program.
#include <v1model.p4>

@controller_header("packet_foo")                            // WARNING ignored-annotation
header foo_t { @id(5) bit<8> kind; }
@controller_header("packet_in")
header in_t { @id(5) @hidden bit<8> kind; }
@hidden                                                     // WARNING ignored-annotation
header near_t { bit<8> kind; }
@controller_header("packet_out") @hidden
header unseen_t { bit<8> kind; }
extern box {
    @optional box();                                        // WARNING ignored-annotation
    @optional void fill(@optional in bit<8> value);         // WARNING ignored-annotation
    @optional abstract bit<8> twice(in bit<8> value);
}
@controller_header("packet_out")                            // WARNING ignored-annotation
struct out_t { bit<8> kind; }
@id(7) @alias("item")                                       // WARNING ignored-annotation ignored-annotation
header item_t {
    @id(5) bit<8> kind;                                     // WARNING ignored-annotation
    @field_list(1) bit<8> count;                            // WARNING ignored-annotation
    @match(exact) bit<8> last;                              // WARNING ignored-annotation
}
@brief("marks") @controller_header("packet_out")
header sent_t { @brief("mark") bit<8> mark; }                // WARNING ignored-annotation
@brief("marks")                                             // WARNING ignored-annotation
header kept_t { @field_list(1 + 1) bit<8> mark; }
struct headers_t { item_t item; foo_t foo; in_t first; sent_t sent; }
struct part_t { @field_list(1) bit<8> mark; }
struct meta_t {
    bit<2> colour;
    @field_list(1) bit<8> kept;
    @brief("nobody reads it") bit<8> noted;                 // WARNING ignored-annotation
    part_t part;
    kept_t head;
}
struct other_t { @field_list(1) bit<8> mark; }              // WARNING ignored-annotation
struct range_t { @match(ternary) @id(4) bit<8> kind; }
struct same_t { @match(exact) bit<8> kind; }                // WARNING ignored-annotation

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    value_set<range_t>(4) kinds;
    state start {
        packet.extract(hdr.item);
        transition select(hdr.item.kind) {
            kinds: more;
            default: accept;
        }
    }
    state more {
        meta.head.setValid();
        meta.head.mark = 1;
        packet.extract(hdr.foo);
        packet.extract(hdr.first);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    @max_group_size(4)                                      // WARNING ignored-annotation
    action_profile(8) profile;
    @single_rate_three_color                                // WARNING ignored-annotation
    counter(8, CounterType.bytes) bytes;
    @single_rate_three_color @single_rate_two_color         // WARNING ignored-annotation
    meter(8, MeterType.bytes) rates;
    @single_rate_two_color
    direct_meter<bit<2>>(MeterType.bytes) entry_rates;
    @id(5) @alias("sums") @noWarn("deprecated")             // WARNING ignored-annotation ignored-annotation
    Checksum16() sums;
    @max_member_weight(4)                                   // WARNING ignored-annotation
    action_selector(HashAlgorithm.crc16, 8, 16) weights;
    @max_member_weight(4) @selector_size_semantics("sum_of_members")
    action_selector(HashAlgorithm.crc16, 8, 16) members;
    @max_group_size(4) @selector_size_semantics("sum_of_members")
    action_selector(HashAlgorithm.crc16, 8, 16) selector_8;
    @selector_size_semantics("foo")                         // WARNING ignored-annotation
    action_selector(HashAlgorithm.crc16, 8, 16) odd;
    @name("")                                               // WARNING ignored-annotation
    action send(bit<9> port) { standard.egress_spec = port; entry_rates.read(meta.colour); }
    @hidden @brief("inner") @alias("inner") @id(5)          // WARNING ignored-annotation ignored-annotation
    table unseen {
        key = { hdr.item.kind: exact @id(3); }              // WARNING ignored-annotation
        actions = { send; NoAction; }
        meters = entry_rates;
    }
    table exact {
        key = { hdr.item.kind: exact @name(""); }           // WARNING ignored-annotation
        actions = { send; NoAction; }
        const entries = { 1: send(1) @priority(5); }        // WARNING ignored-annotation
    }
    table masked {
        key = { hdr.item.kind: ternary; }
        actions = { send; NoAction; }
        const entries = { 1: send(1) @priority(5); 2 &&& 2: send(2) @priority(3); }
    }
    table by_profile {
        key = { hdr.item.kind: exact; }
        actions = { send; NoAction; }
        implementation = profile;
    }
    table by_selector {
        key = { hdr.item.kind: exact; hdr.item.count: selector; }
        actions = { send; NoAction; }
        implementation = selector_8;
    }
    table by_odd {
        key = { hdr.item.kind: exact @id(1); hdr.item.count: selector @id(2); }  // WARNING ignored-annotation
        actions = { send; NoAction; }
        implementation = odd;
    }
    table by_weights {
        key = { hdr.item.kind: exact; hdr.item.count: selector; }
        actions = { send; NoAction; }
        implementation = weights;
    }
    table by_members {
        key = { hdr.item.kind: exact; hdr.item.count: selector; }
        actions = { send; NoAction; }
        implementation = members;
    }
    table made {
        key = { hdr.item.kind: exact; }
        actions = { send; NoAction; }
        @max_group_size(4)                                  // WARNING ignored-annotation
        implementation = action_profile(8);
    }
    apply {
        @field_list(1) bit<8> local = meta.kept;            // WARNING ignored-annotation
        bytes.count(1);
        bit<2> colour;
        rates.execute_meter(1, colour);
        meta.kept = (bit<8>)sums.get({ meta.kept, colour });
        unseen.apply();
        exact.apply();
        masked.apply();
        by_profile.apply();
        by_selector.apply();
        by_odd.apply();
        made.apply();
        by_weights.apply();
        by_members.apply();
        meta.kept = hdr.item.kind + local;
        meta.part.mark = meta.kept;
        other_t other = { 1 };
        same_t same = { other.mark };
        out_t out_one = { same.kind };
        meta.noted = out_one.kind;
        clone_preserving_field_list(CloneType.I2E, 1, 1);
        clone_preserving_field_list(CloneType.I2E, 2, 2);
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply { hdr.item.last = meta.kept + meta.part.mark + meta.noted; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply { } }
control C(inout headers_t hdr, inout meta_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
