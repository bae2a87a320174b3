// Extern functions may be declared again with the same parameters: some programs declare those that
// their architecture file once lacked.
#include <core.p4>

extern void note(in bit<8> value);
extern bit<8> note(in bit<8> value, in bit<8> more);
extern void note(in bit<8> value);
extern bit<8> note(in bit<8> value, in bit<8> more);

control Work(inout bit<8> x) {
    apply {
        note(x);
        x = note(x, 1);
    }
}

control Stage(inout bit<8> x);
package Pipe(Stage stage);

Pipe(Work()) main;
