// `@route` has an effect only on a table: it is reported at every other place.
#include <core.p4>

@route error { Broken }                            // WARNING ignored-annotation
@route match_kind { near }                         // WARNING ignored-annotation
@route const bit<8> ONE = 1;                       // WARNING ignored-annotation
@route typedef bit<8> byte_t;                      // WARNING ignored-annotation
@route type bit<9> port_t;                         // WARNING ignored-annotation
@route enum colour_t { red, green }                // WARNING ignored-annotation
@route enum bit<8> kind_t { first = 1 }            // WARNING ignored-annotation
@route header item_t {                             // WARNING ignored-annotation
    @route bit<8> kind;                            // WARNING ignored-annotation
    bit<8> count;
}
@route header_union any_t {                        // WARNING ignored-annotation
    @route item_t item;                            // WARNING ignored-annotation
}
@route struct headers_t {                          // WARNING ignored-annotation
    @route item_t item;                            // WARNING ignored-annotation
    any_t any;
}
@route extern box {                                // WARNING ignored-annotation
    @route box();                                  // WARNING ignored-annotation
    @route void fill(@route in bit<8> value);      // WARNING ignored-annotation ignored-annotation
    abstract bit<8> twice(in bit<8> value);
}
extern bin { bin(); }
@route extern bit<8> measure(in bit<8> value);     // WARNING ignored-annotation
@route bit<8> same(@route in bit<8> value) {       // WARNING ignored-annotation ignored-annotation
    return value;
}
@route action clear(@route inout headers_t hdr) {  // WARNING ignored-annotation ignored-annotation
    hdr.item.count = 0;
}
@route parser parse_t(@route packet_in packet, out headers_t hdr);  // WARNING ignored-annotation ignored-annotation
@route control work_t(inout headers_t hdr);        // WARNING ignored-annotation
@route package switch_t(@route parse_t p, work_t w);  // WARNING ignored-annotation ignored-annotation
@route value_set<bit<8>>(4) kinds;                 // WARNING ignored-annotation

@route                                             // WARNING ignored-annotation
parser Parse(@route packet_in packet, out headers_t hdr) {  // WARNING ignored-annotation
    @route bit<8> seen = 0;                        // WARNING ignored-annotation
    @route const bit<8> TWO = 2;                   // WARNING ignored-annotation
    @route                                         // WARNING ignored-annotation
    state start {
        packet.extract(hdr.item);
        @route {                                   // WARNING ignored-annotation
            seen = hdr.item.kind + TWO;
        }
        transition select(seen) {
            kinds: again;
            default: accept;
        }
    }
    @route                                         // WARNING ignored-annotation
    state again { transition accept; }
}
control Part(inout headers_t hdr)(@route bit<8> step) {  // WARNING ignored-annotation
    apply { hdr.item.count = hdr.item.count + step; }
}
@route                                             // WARNING ignored-annotation
control Work(inout headers_t hdr) {
    @route Part(1) part;                           // WARNING ignored-annotation
    @route                                         // WARNING ignored-annotation
    box() holder = {
        @route bit<8> twice(in bit<8> value) {     // WARNING ignored-annotation
            return value + value;
        }
    };
    @route bit<8> left = ONE;                      // WARNING ignored-annotation
    @route                                         // WARNING ignored-annotation
    action set(@route bit<8> value) {              // WARNING ignored-annotation
        @route bit<8> half = value;                // WARNING ignored-annotation
        hdr.item.count = half;
    }
    @route
    table t {
        @route key = {                             // WARNING ignored-annotation
            hdr.item.kind: exact @route;           // WARNING ignored-annotation
        }
        @route actions = {                         // WARNING ignored-annotation
            @route set;                            // WARNING ignored-annotation
            NoAction;
        }
        @route default_action = NoAction();        // WARNING ignored-annotation
        @route size = 16;                          // WARNING ignored-annotation
        @route entries = {                         // WARNING ignored-annotation
            1: set(2) @route;                      // WARNING ignored-annotation
        }
        @route holders = bin();                    // WARNING ignored-annotation
    }
    apply @route {                                 // WARNING ignored-annotation
        part.apply(hdr);
        clear(hdr);
        if (t.apply().hit) @route {                // WARNING ignored-annotation
            holder.fill(same(left));
        } else @route {                            // WARNING ignored-annotation
            left = measure(left);
        }
        switch (left) {
            1: @route { left = 3; }                // WARNING ignored-annotation
            default: { }
        }
        @route                                     // WARNING ignored-annotation
        for (@route bit<8> at in 1 .. 3) {         // WARNING ignored-annotation
            hdr.item.count = hdr.item.count + at;
        }
        @route                                     // WARNING ignored-annotation
        for (bit<8> at = 0; at < 3; at = at + 1) {
            hdr.item.kind = hdr.item.kind + at;
        }
    }
}
@route                                             // WARNING ignored-annotation
switch_t(Parse(), Work()) main;
