"""The lab's report, with a module for each experiment."""
