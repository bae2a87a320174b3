// Annotations, numbers of field lists and keys that mean nothing; annotations of other targets cause no warning.
#include <core.p4>
#include <v1model.p4>

const bit<8> LIST = 3;

@pa_container_size("ingress", "hdr.item.kind", 8)
@controler_header("packet_in")                                  // WARNING misspelt-annotation
header item_h { bit<8> kind; bit<8> count; }

@controller_header("packet_inn")                                // WARNING misspelt-annotation
header in_h { bit<8> kind; }
@controller_header                                              // WARNING misspelt-annotation
header no_text_h { bit<8> kind; }
@controller_header(5)                                           // WARNING misspelt-annotation
header number_h { bit<8> kind; }
@controller_header("packet_out")
header out_h { bit<8> kind; }
@controller_header("of_another_kind")                           // WARNING ignored-annotation
header report_h { bit<8> kind; }

@noWarn("misspelt-annotation")
struct quiet_t {
    @field_lists(1) bit<8> first;
    @fieldlist(1) bit<8> last;
}
struct loud_t {
    @noWarn("misspelt-annotation") @field_lists(1) bit<8> first;
    @fieldlist(1) bit<8> last;                                  // WARNING misspelt-annotation
}

struct headers_t { item_h item; }
struct meta_t {
    @field_list(1, 2) bit<8> both;
    @field_list bit<8> none;                                    // WARNING annotation-number
    @field_list() bit<8> empty;                                 // WARNING annotation-number
    @field_lists(1) bit<8> plural;                              // WARNING misspelt-annotation
    @fieldlist(1) bit<8> joined;                                // WARNING misspelt-annotation
    @Field_list(1) bit<8> capital;                              // WARNING misspelt-annotation
    @field_list(LIST) bit<8> named;
    @flexible bit<8> other;
    @not_ours bit<8> foreign;
    @noWarn("misspelt-annotation") @hiden bit<8> known_slip;
}

parser P(packet_in packet, out headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    state start {
        packet.extract(hdr.item);
        meta = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
        transition accept;
    }
}

control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    @selector_size_semantics("sum_of_member")                   // WARNING misspelt-annotation
    @max_grop_size(3)                                           // WARNING misspelt-annotation
    action_selector(HashAlgorithm.crc16, 8, 8) paths;
    @selector_size_semantics("SUM_OF_WEIGHTS")
    @noWarn("unused") action_selector(HashAlgorithm.crc16, 8, 8) more_paths;

    @nane("forward")                                            // WARNING misspelt-annotation
    action to(bit<9> port) { standard.egress_spec = port; }

    @routes                                                     // WARNING misspelt-annotation
    @stage(3) @hidden
    table routes {
        key = {
            hdr.item.kind: exact @names("kind");                // WARNING misspelt-annotation
            hdr.item.count: selector;
            LIST: exact;                                        // WARNING constant-key
            8w5 + 1: ternary @name("six");                      // WARNING constant-key
        }
        implementation = paths;
        actions = {
            @table_only to;                                     // WARNING misspelt-annotation
            @default_only NoAction;                             // WARNING misspelt-annotation
        }
        default_action = NoAction;
    }

    apply {
        routes.apply();
        if (hdr.item.count == 0) {
            resubmit_preserving_field_list(0);
        } else if (hdr.item.count == 1) {
            resubmit_preserving_field_list(LIST);
        } else if (hdr.item.count == 2) {
            resubmit_preserving_field_list(LIST + 1);           // WARNING annotation-number
        }
        clone_preserving_field_list(CloneType.I2E, 1, 2);
        clone_preserving_field_list(CloneType.I2E, 1, 9);       // WARNING annotation-number
    }
}

control E(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.item.kind = meta.both + meta.none + meta.empty + meta.plural + meta.joined + meta.capital + meta.named
            + meta.other + meta.foreign + meta.known_slip;
    }
}

control V(inout headers_t hdr, inout meta_t meta) { apply {} }
control C(inout headers_t hdr, inout meta_t meta) { apply {} }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }

V1Switch(P(), V(), I(), E(), C(), D()) main;
