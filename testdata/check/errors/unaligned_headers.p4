// Headers that do not end with a byte.
enum bit<4> color_t { RED = 1, BLUE = 2 }
struct pair_t { bit<4> a; bit<4> b; }

header odd_t { // WARNING unaligned-header
    bit<7> x;
}
header with_parts_t { // WARNING unaligned-header
    pair_t pair;
    bool flag;
    color_t color;
}
@noWarn("unaligned-header")
header silenced_t {
    bit<3> x;
}
header even_t {
    pair_t pair;
    color_t color;
    bit<4> rest;
}
header variable_t {
    bit<4> length;
    varbit<28> options;
}
header empty_t { }
struct marked_t { @flexible bit<9> port; }
header flexible_t {
    bit<8> kind;
    marked_t marked;
}
struct headers_t {
    odd_t odd;
    with_parts_t parts;
    silenced_t silenced;
    even_t even;
    variable_t variable;
    empty_t empty;
    flexible_t flexible;
}
