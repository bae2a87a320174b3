// A program that brings its own architecture: generic packages within packages, `_`, optional and default parameters,
// extern objects with type arguments, constructors, overloads and abstract methods, sub-parsers and sub-controls.
#include <core.p4>

parser ParserT<H>(packet_in packet, out H hdr);
control PipeT<H, M>(inout H hdr, inout M meta);
package Stage<H, M>(ParserT<H> p, PipeT<H, M> c, @optional PipeT<H, M> extra);
package Chip<H>(Stage<H, _> first, @optional Stage<_, _> second);

extern Table<K, V> {
    Table(bit<32> size);
    Table(bit<32> size, V initial);
    V get(in K key);
    void put(in K key, in V value);
    void put(in K key);
}

extern Chooser<T> {
    Chooser();
    bit<8> last();
    abstract T choose(in T from, in bool flip);
}

extern bit<16> sum<D>(in D data, @optional in bit<16> start);
extern void note(in bit<8> value, in bit<8> level = 3);

header eth_t { bit<48> dst; bit<48> src; bit<16> kind; }
header opt_t { bit<8> length; varbit<320> body; }
header small_t { bit<8> v; }
header large_t { bit<16> v; }
header_union either_t { small_t small; large_t large; }

struct hdr_t { eth_t eth; opt_t opt; small_t[4] stack; either_t either; }
struct meta_t { bit<8> n; bit<16> s; }

const bit<16> KIND = 0x88b5;

parser OptParser(packet_in packet, out opt_t opt)(bit<32> limit) {
    state start {
        opt_t front;
        front = { packet.lookahead<bit<8>>(), ... };
        verify((bit<32>)front.length <= limit, error.HeaderTooShort);
        packet.extract(opt, (bit<32>)(bit<16>)front.length << 3);
        transition accept;
    }
}

parser P(packet_in packet, out hdr_t hdr) {
    OptParser(40) options;
    value_set<bit<16>>(8) kinds;
    bit<8> count = 0;

    state start {
        packet.extract(hdr.eth);
        transition select(hdr.eth.kind, hdr.eth.dst[40:40]) {
            (KIND, _): options_next;
            (0x100 &&& 0xff00, 1): stack;
            (kinds, 0): union;
            (0x600 .. 0x700, _): accept;
            default: reject;
        }
    }
    state options_next {
        options.apply(packet, hdr.opt);
        transition accept;
    }
    state stack {
        packet.extract(hdr.stack.next);
        count = count + 1;
        transition select(hdr.stack.last.v, count) {
            (0, _): accept;
            (_, 4): accept;
            _: stack;
        }
    }
    state union {
        bit<8> tag = packet.lookahead<bit<8>>();
        if (tag == 1) {
            packet.extract(hdr.either.small);
        } else {
            packet.extract(hdr.either.large);
        }
        packet.advance(8);
        transition accept;
    }
}

control Bump(inout bit<8> v)(bit<8> by) {
    apply { v = v + by; }
}

control Once(inout bit<8> v) {
    apply { v = v ^ 1; }
}

control Pipe(inout hdr_t hdr, inout meta_t meta) {
    Bump(2) bump_two;
    Bump(by = 3) bump_three;
    Table<bit<8>, bit<16>>(64, 5) table_of_sums;
    Chooser<bit<8>>() chooser = {
        bit<8> choose(in bit<8> from, in bool flip) {
            if (flip) {
                return ~from + this.last();
            }
            return from;
        }
    };

    action set(inout bit<8> target, bit<8> value) {
        target = value;
    }
    action stop() {
        exit;
    }
    table t {
        key = {
            hdr.eth.dst: ternary;
            hdr.stack[0].v: exact @name("first");
            hdr.either.isValid(): exact;
        }
        actions = {
            set(meta.n);
            @defaultonly stop;
        }
        default_action = stop;
        largest_priority_wins = false;
        entries = {
            const priority = 5: (0x1 &&& 0x1, 2, true): set(3);
            (_, 3, false): set(4);
        }
    }
    apply {
        bump_two.apply(meta.n);
        bump_three.apply(meta.n);
        Once.apply(meta.n);
        Once.apply(meta.n);
        table_of_sums.put(meta.n, sum({ hdr.eth.dst, 8w0, meta }));
        table_of_sums.put(meta.n);
        meta.s = table_of_sums.get(meta.n) + sum(hdr.eth, 7) + sum(data = hdr.eth);
        meta.n = chooser.last();
        note(meta.n);
        note(level = 1, value = meta.n);
        hdr.stack.push_front(1);
        hdr.stack[0].setValid();
        hdr.stack[meta.n].v = (bit<8>)(hdr.stack.size - 1);
        switch (t.apply().action_run) {
            set: { meta.n = 1; }
            default: { meta.n = t.apply().hit ? 8w1 : 2; }
        }
    }
}

Stage(P(), Pipe()) stage;
Chip(stage) main;
