const int W = 4;
const bit<W> a = 1;
const bit<2 + 2> b = 5;
typedef int<W < 3 ? 5 : W * (W > 2 ? 2 : 1)> c;
struct s { tuple<bit<W>, bit<(W)>, varbit<(W) + 1>> f; }
bit<8> f(in bit<8> x) { bit<W + 4> y = (bit<W + 4>)x; return y; }
