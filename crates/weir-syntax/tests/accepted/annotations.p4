@empty
@with()
@text("a" ++ "b")
@tokens(key = { 1 : exact }; if (x) <<>> >= != .. ... &&& |+| {#} @ ~ ? _ this 8w0xFF 'quote' $)
@list[1, 2 + 3, "x",]
@pairs[a = 1, b = "two", c = { 1 },]
@nothing[]
@key @type @list
const int x = 1;
@pragma stage 3
@pragma keep (a, (b)) "c"
@pragma alone
@name("y") const int y = 2;
control c(@in_annotation("p") in bit<8> p, @optional bool q) { apply { @block { } } }
enum E { a }
