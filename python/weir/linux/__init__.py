"""The Linux world: networks of namespaces, veth pairs and Weir's own processes (decision 39)."""
