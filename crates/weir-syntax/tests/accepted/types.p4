const int WIDTH = 4;
typedef bit<(WIDTH * 2)> byte_t;
typedef int<(WIDTH + 1)> odd_t;
typedef varbit<(8)> eight_t;
typedef bit one_t;
typedef tuple<bit<8>, tuple<bool, int>> pair_t;
typedef list<tuple<byte_t, bool>> table_t;
typedef tuple<> nothing_t;
typedef struct inner_t { bool b; } outer_t;
typedef bit<8>[4][2] grid_t;
type .byte_t wrapped_t;

enum Colour { red, green, blue, }
enum bit<8> Kind { none = 0, some = 1 << 3, all = 0xFF, }
header empty_t { }
header generic_t<T> { T value; }
header_union either_t { empty_t a; generic_t<bit<8>> b; }
struct holder_t<T, U> { T first; U second; generic_t<T>[3] stack; }
struct kinds_t { error e; match_kind m; string s; list<int> l; }

extern Machine<T> {
    Machine(T first, @optional bool second);
    Machine();
    @pure T get<U>(in U index = 1);
    abstract void step(inout T value);
    void set(in T value);
}
extern T fold<T, U>(in tuple<T, U> both, out list<T> rest);
extern void go();
extern Machine<T> build<T>(T t);

bit<8> twice(in bit<8> value) {
    return value + value;
}
holder_t<bit<8>, tuple<bit<8>, bit<8>>> nest() {
    return ...;
}
Machine<bit<8>>(8w1, _) machine = {
    void step(inout bit<8> value) { value = value + 1; }
    Machine<bool>() inner;
};
Machine<_>() guessed;
package Whole(Machine<bit<8>> machine, bit<8> size = 4);
@name("it") Whole(machine = machine, size = _) main;
