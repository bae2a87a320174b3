// Parsers and controls with a body may be generic: their type arguments are written or inferred where they are made.
#include <core.p4>

header word_t {
    bit<32> value;
}

struct headers_t {
    word_t word;
}

parser Reader<H>(packet_in packet, out H made)(bit<8> unused_bytes) {
    state start {
        transition accept;
    }
}

control Keep<T>(inout T value, in T other) {
    T saved;
    action keep() {
        saved = other;
    }
    apply {
        keep();
        value = saved;
    }
}

control Empty<H, M>(inout H headers, inout M meta)() {
    apply {
    }
}

parser Source<H>(packet_in packet, out H made);
control Stage<H, M>(inout H headers, inout M meta);
package Pipe<H, M>(Source<H> source, Stage<H, M> first, Stage<H, M> second);

control Work(inout headers_t headers, inout bit<8> meta) {
    Keep<bit<32>>() words;
    Keep<bit<8>>() bytes;
    apply {
        words.apply(headers.word.value, 7);
        bytes.apply(meta, 7);
        Keep<bit<8>>.apply(meta, 8);
    }
}

Pipe(Reader<headers_t>(4), Work(), Empty<headers_t, bit<8>>()) main;
