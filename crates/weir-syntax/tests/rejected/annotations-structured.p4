@mixed[a = 1, 2]
const int b = 1;
@pragma unbalanced )
const int c = 2;
@name("x")
