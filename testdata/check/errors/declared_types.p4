// What externs, tuples and annotations may be made of.
#include <core.p4>

control Block();

extern Store<T> {
    Store();
    T get();
}

extern Chain {
    Chain();
    void append(Chain other); // ERROR bad-parameter
}

extern Wrap {
    Wrap(Block inner); // ERROR bad-parameter
}

Store<Store<bit<8>>>() nested; // ERROR type-argument

package Pair(tuple<Block, Block> both); // ERROR bad-field-type

struct ports_t {
    @match(ternary) bit<9> port;
    @match(almost) bit<9> other; // ERROR unknown-match-kind
}

@pkginfo // ERROR bad-annotation
const bit<8> LIMIT = 1;

@weight(3)
@weight[3] // ERROR bad-annotation
const bit<8> MOST = 2;
const int<8> LEAST = 0s0; // ERROR bad-width
const int WIDE = 8w3; // WARNING width-dropped

enum bit<4> Level {
    low = 1,
    middle = low + 1,
    high = middle + low + Level_max // ERROR unknown-name
}

match_kind {
    exact // ERROR duplicate-declaration
}
