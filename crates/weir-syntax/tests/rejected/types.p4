const int w = 3;
const bit<w> a = 1;
const bit<32> b = bit<32>(0);
const bit<-1> c = 1;
const tuple d = { 1 };
const list<int d = 1;
typedef _ e;
bit<8> global;
bit<8> global_set = 1;
const bit<8> table = 1;
const bit<8> _ = 1;
struct s { bit<8> a, b; int x }
enum n { a b }
enum bit<8> m { a = 1 b = 2 }
enum bit<8> q { a }
type struct s2 { bit x; } t2;
header h { bit<8> ok; varbit x; bit<8> fine; }
extern E { F(); abstract G(); void ok(); }
extern void (in bit<8> x);
extern void f(in bit<8>, out bit<8> y);
void g(in bit<8> x,) { }
package p(int x, int);
Top(1, ) main;
const int last = 1;
