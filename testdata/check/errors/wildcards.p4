// `_` where nothing can determine the type.
#include <core.p4>

extern Cells<T, I> {
    Cells(bit<32> size);
    T read(in I at);
    void write(in I at, in T value);
    void load(in I at, out T value);
}

extern Chooser {
    Chooser(Cells<_, bit<8>> by);
}

struct box_t<T> { T inside; }

extern void show(_ value); // ERROR syntax-unexpected-token

control Inner(inout bit<32> x)(Cells<_, _> cells) {
    apply {
        x = cells.read(x); // ERROR cannot-infer
    }
}

control C(inout bit<32> x) {
    Cells<_, bit<8>>(4) open;
    Cells<bit<8>, bit<16>>(4) other;
    Cells<bit<8>, bit<8>, _>(4) long; // ERROR type-argument-count
    Chooser(other) c; // ERROR type-mismatch
    Chooser(5) number; // ERROR type-mismatch
    Chooser<_>(open) none; // ERROR type-argument-count
    box_t<_> box; // ERROR type-argument
    Inner(other) inner;
    apply {
        x = open.read(1); // ERROR cannot-infer
        open.write(1, x); // ERROR cannot-infer
        open.load(1, x); // ERROR cannot-infer
        other.write(1, 2);
        inner.apply(x);
    }
}

control CT(inout bit<32> x);
package Whole(CT c);
Whole(C()) main;
