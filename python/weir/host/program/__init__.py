"""Programs that run on hosts: their ports, connections and timers."""
