// An object lists the implementations of its methods for the architecture. The errors of core.p4 exist without it.
error { Strange }
extern Counted {
    Counted(bit<8> size);
    void run();
    abstract bit<16> next(in bit<16> index, out bool last);
}
parser Source(out bit<16> seed);
control Sink(inout bit<16> value);
package Toy(Source source, Sink sink);

parser S(out bit<16> seed) {
    state start {
        seed = 7;
        transition accept;
    }
}
control K(inout bit<16> value) {
    Counted(3) counted = {
        bit<16> next(in bit<16> index, out bool last) {
            last = index == 9;
            return index + 1;
        }
    };
    apply {
        error e = error.Strange;
        counted.run();
        bool last;
        value = counted.next(value, last);
    }
}
Toy(S(), K()) main;
