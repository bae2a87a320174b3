// Annotations in places and with arguments where they mean nothing.
#include <v1model.p4>

header item_t { bit<8> kind; bit<8> count; }
struct headers_t { item_t item; }
@field_list(1)                                          // WARNING ignored-annotation
struct meta_t {
    @field_list(1) bit<8> kept;
    @field_list(a = 1) bit<8> keyed;                    // WARNING annotation-number
}

@p4runtime_translation_mappings({{"one", 1}})           // WARNING ignored-annotation
type bit<9> port_t;
@priority(1)                                            // WARNING ignored-annotation
const bit<8> ONE = 1;
@optional                                               // WARNING ignored-annotation
bit<8> same(in bit<8> value) { return value; }

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    @hidden                                             // WARNING ignored-annotation
    state start {
        packet.extract(hdr.item);
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    @max_group_size("four")                             // WARNING ignored-annotation
    action_selector(HashAlgorithm.crc16, 8, 16) texts;
    @max_group_size(-1)                                 // WARNING ignored-annotation
    action_selector(HashAlgorithm.crc16, 8, 16) negative;
    @max_group_size(2147483648)                         // WARNING ignored-annotation
    action_selector(HashAlgorithm.crc16, 8, 16) large;
    @selector_size_semantics("sum_of_members", "x")     // WARNING ignored-annotation
    action_selector(HashAlgorithm.crc16, 8, 16) words;
    @selector_size_semantics(5)                         // WARNING misspelt-annotation
    action_selector(HashAlgorithm.crc16, 8, 16) number;
    @defaultonly                                        // WARNING ignored-annotation
    action send(bit<9> port) { standard.egress_spec = port; }
    @noWarn("unusd")                                    // WARNING misspelt-annotation
    action one() { standard.egress_spec = 1; }
    @noWarn("")                                         // WARNING misspelt-annotation
    action two() { standard.egress_spec = 2; }
    @noWarn("unused") @noWarn("unused")                 // WARNING ignored-annotation
    action three() { standard.egress_spec = 3; }
    @noWarn("uninitialized-use") @noWarn("shadow")
    action four() { standard.egress_spec = 4; }
    @hidden @hidden                                     // WARNING ignored-annotation
    action five(@hidden bit<9> port) {                  // WARNING ignored-annotation
        standard.egress_spec = port;
    }
    @tableonly                                          // WARNING ignored-annotation
    @nam("tables")                                      // WARNING misspelt-annotation
    @brief(5)                                           // WARNING ignored-annotation
    @name("first") @name("second")                      // WARNING ignored-annotation
    @max_group_size(4)                                  // WARNING ignored-annotation
    table t {
        key = {
            hdr.item.kind: exact @match(ternary);       // WARNING ignored-annotation
            hdr.item.count: exact @hidden;              // WARNING ignored-annotation
        }
        actions = {
            send; one; two; three; four;
            @groupaction(1) five;                       // WARNING ignored-annotation
            @tableonly @defaultonly NoAction;           // WARNING ignored-annotation
        }
        default_action = one();
    }
    @route("all")                                       // WARNING ignored-annotation
    table balanced {
        key = { hdr.item.kind: exact; hdr.item.count: selector; }
        actions = { send; NoAction; }
        implementation = texts;
    }
    table rest {
        key = { hdr.item.kind: exact; hdr.item.count: selector; }
        actions = { send; NoAction; }
        implementation = negative;
    }
    table last {
        key = { hdr.item.kind: exact; hdr.item.count: selector; }
        actions = { send; NoAction; }
        implementation = number;
    }
    table with_large {
        key = { hdr.item.kind: exact; hdr.item.count: selector; }
        actions = { send; NoAction; }
        implementation = large;
    }
    table with_words {
        key = { hdr.item.kind: exact; hdr.item.count: selector; }
        actions = { send; NoAction; }
        implementation = words;
    }
    apply {
        with_large.apply();
        with_words.apply();
        if (hdr.item.count == 1) @likely @unlikely {    // WARNING ignored-annotation
            meta.kept = 1;
        }
        t.apply();
        balanced.apply();
        rest.apply();
        last.apply();
        meta.kept = same(ONE);
        meta.kept = (bit<8>)(bit<9>)(port_t)standard.ingress_port;
        clone_preserving_field_list(CloneType.I2E, 1, 1);
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply { hdr.item.count = meta.kept; }
}
control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

@pkginfo(nmae = "sorter")                               // WARNING ignored-annotation
@pkginfo(version = 5)                                   // WARNING ignored-annotation
@platform_property(multicast_group_table_size = "many") // WARNING ignored-annotation
@platform_property(multicast_group_table_size = 5)      // WARNING ignored-annotation
@platform_property(multicast_group_table_total_replicas = -5) // WARNING ignored-annotation
@brief("")                                              // WARNING ignored-annotation
V1Switch(P(), V(), I(), E(), C(), D()) main;
