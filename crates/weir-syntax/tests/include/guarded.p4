#ifndef GUARDED
#define GUARDED
const int guarded = __LINE__;
const string guarded_file = __FILE__;
#endif
