"""The commands: of each its `ARGUMENTS`, its `EXAMPLES` and, unless its parts have functions of their own, `run`."""
