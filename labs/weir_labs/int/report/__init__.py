"""The lab's report, a module for each experiment."""
