// Whether anything is to be atomic is a fact about the whole program. A name may be that word of the text form all the same.
control Sink(inout bit<16> value);
package Toy(Sink sink);

control K(inout bit<16> value) {
    bit<16> atomic = value;
    apply {
        if (value > 3) {
            @atomic {
                value = atomic;
                atomic = 7;
                value = value + atomic;
            }
        }
    }
}
Toy(K()) main;
