"""Sail of our own, in this process, or what to install for it."""

import os
from typing import Any

from inwindow.udaf.errors import UsageError

# The client accepts gzip by default, and then Sail packs all rows with it: five times the cost of sending them on one machine.
PLAIN = ("grpc.compression_enabled_algorithms_bitset", 1)


def local_sail(command: str) -> tuple[Any, Any]:
    """The server, and a session of it."""
    os.environ.setdefault("RUST_LOG", "error")  # or the server tells on the screen of every start and session
    try:
        from pysail.spark import SparkConnectServer
        from pyspark.sql.connect.client import DefaultChannelBuilder
        from pyspark.sql.connect.session import SparkSession
    except ImportError:
        raise UsageError(
            f"{command} --engine sail runs on Sail, which is not installed: pip install 'inwindow[sail]', in an environment of its "
            f"own (it takes an older PySpark than Spark 4.3); or leave --engine out: tables need neither"
        ) from None
    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    channel = DefaultChannelBuilder("sc://{}:{}".format(*server.listening_address))
    channel.setChannelOption(*PLAIN)
    session = SparkSession.builder.channelBuilder(channel).getOrCreate()
    try:
        session.conf.set("spark.sql.session.timeZone", "UTC")
    except Exception as error:  # the server refuses clients of other versions
        raise UsageError(
            f"{command}: Sail does not answer ({str(error).splitlines()[0]}): pip install 'inwindow[sail]'"
        ) from None
    return server, session
