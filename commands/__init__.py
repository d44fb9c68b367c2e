"""The command line, ``inwindow``: one file for each subcommand.

A file here has ``NAME``, ``HELP``, ``arguments(parser)`` and ``run(options) -> exit code``, and is listed in ``main.py``.
Nothing imports this room.
"""
