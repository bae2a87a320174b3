#define BROKEN(name) const int name 1
const int broken = ;
BROKEN(f);
