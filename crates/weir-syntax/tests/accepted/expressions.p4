typedef bit<8> T;
struct S<A> { A a; }
extern R f<A>(in A a, in A b);
extern E<A> { E(A a); }
error { Bad }

const int a = 1 + 2 * 3 - 4 / 5 % 6;
const int b = (1 + 2) * (3 - 4) << 2 >> 1;
const bool c = a < b && b >= a || !(a == b) && a != b;
const bit<8> d = 8w1 & 8w2 | 8w3 ^ ~8w4 |+| 8w5 |-| 8w6;
const bit<16> e = 8w1 ++ 8w2;
const int g = a < b ? a > b ? 1 : 2 : 3;
const int h = - -a + + +b - (-a);
const bit<8> cast1 = (T) 1 + (T)(a) + (T) -1 + (bit<8>) (int<8>) b;
const bit<8> cast2 = (unknown) a + (unknown) { a, b } + (unknown) !c;
const int not_cast = (a) - 1 + (a)[3:0] + (b) * 2;
const bit<4> slice = d[7:4] ++ d[0+:2] ++ d[a + 1 : b];
const S<T> s = { a = 1, };
const S<T> s1 = (S<T>) { a = 1, ... };
const S<T> s2 = { ... };
const list<int> l = { 1, 2, { 3 }, };
const list<int> none = {};
const S<T> invalid = {#};
const T call = f<T>(1, 2) + f<bit<8>>(b = 1, a = 2).x + f(_, 1) + .f(1, 2);
const T chain = x.y.z[1].w(2)(3).last.apply;
const T deep = f<S<S<T>>>(1);
const bool shift = a < b >> 1 && a >> b > (c);
const bool compare = (a < b) == (b < a);
const tuple<bool, bool> pair = { a < b, b > (a) };
const E<T> made = E<T>(1);
const error bad = error.Bad;
const string text = "one \" two" ++ "three
four";
const int bases = 0xFF + 0b1010_1010 + 0o17 + 0d99 + 007 + 32s0xF_F + 8w0B11 + 1_000;
const T named = T.member + key + state + actions + apply + entries + type + priority + S.list;
