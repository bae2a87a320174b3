header_type tag_t {
    fields {
        kind : 8;
    }
}
header tag_t tag;
parser start {
    extract(tag);
    return ingress;
}
