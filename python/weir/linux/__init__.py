"""The Linux world: networks of namespaces, veth pairs and processes of ours (decision 39)."""
