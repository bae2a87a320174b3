// Uses of what a program itself marks as deprecated.
#include <core.p4>

@deprecated("use ONE") const bit<8> OLD = 1;
@deprecated("use item_t") typedef bit<8> old_byte_t;
@deprecated("use kind_t") enum bit<8> old_kind_t { first = OLD }  // WARNING deprecated
@deprecated("use item_t") header old_t { bit<8> x; }
header item_t {
    @deprecated("use count") bit<8> old;
    bit<8> count;
}
struct headers_t {
    item_t item;
    old_t old;                                      // WARNING deprecated
}
@deprecated("use sum") bit<8> old_sum(in bit<8> a) { return a; }
bit<8> sum(in bit<8> a) { return a; }
bit<8> sum(in bit<8> a, in bit<8> b) { return a + b; }
@deprecated("use two arguments") bit<8> sum(in bit<8> a, in bit<8> b, in bit<8> c) { return sum(a) + b + c; }
extern box {
    box();
    @deprecated("use fill") void put(in bit<8> value);
    void fill(in bit<8> value);
}
@deprecated("use box") extern old_box { old_box(); }
@deprecated("write it yourself") action clear(inout headers_t hdr) { hdr.item.count = 0; }

parser Parse(packet_in packet, out headers_t hdr) {
    @deprecated("use kinds") value_set<bit<8>>(4) old_kinds;
    state start {
        packet.extract(hdr.item);
        transition select(hdr.item.count) {
            old_kinds: next;                        // WARNING deprecated
            5: next;
            default: old_next;                      // WARNING deprecated
        }
    }
    state next { transition old_next; }             // WARNING deprecated
    @deprecated("use next")
    state old_next {
        old_t old = packet.lookahead<old_t>();      // WARNING deprecated deprecated
        packet.advance(8);
        transition select(old.x) {
            0: old_next;
            default: accept;
        }
    }
}
@deprecated("use Work")
control Part(inout headers_t hdr)(@deprecated("use 1") bit<8> step) {
    apply { hdr.item.count = hdr.item.count + step; }  // WARNING deprecated
}
control Work(inout headers_t hdr, @deprecated("not needed") inout bit<8> extra) {
    Part(step = 1) part;                            // WARNING deprecated deprecated
    @deprecated("use holder") box() old_holder;
    box() holder;
    @noWarn("unused") old_box() other;              // WARNING deprecated
    @deprecated("use right") bit<8> left = OLD;     // WARNING deprecated
    bit<8> right = 0;
    @deprecated("use set") action old_set(bit<8> value) { right = value; }
    action set(@deprecated("use 5") bit<8> value, bit<8> more) {
        right = value + more;                       // WARNING deprecated
    }
    @deprecated("use t")
    table old_t1 {
        key = { hdr.item.old: exact; }              // WARNING deprecated
        actions = { set; }
        default_action = set(1, 2);
    }
    table t {
        key = { hdr.item.count: exact; }
        actions = { set; old_set; NoAction; }       // WARNING deprecated
        const entries = {
            1: old_set(3);                          // WARNING deprecated
        }
        default_action = NoAction();
    }
    apply {
        part.apply(hdr);
        hdr.item = { old = 1, count = right };      // WARNING deprecated
        clear(hdr);                                 // WARNING deprecated
        old_holder.put(left);                       // WARNING deprecated deprecated deprecated
        holder.fill(old_sum(sum(1)));               // WARNING deprecated
        right = sum(1, 2, 3) + extra;               // WARNING deprecated deprecated
        old_t1.apply();                             // WARNING deprecated
        switch (t.apply().action_run) {
            old_set: { right = (bit<8>)old_kind_t.first; }  // WARNING deprecated deprecated
            default: { }
        }
        @noWarn("deprecated") {
            old_byte_t x = OLD;
            right = right + x;
        }
        old_byte_t y = right;                       // WARNING deprecated
        hdr.item.count = y;
    }
}
