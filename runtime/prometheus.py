"""``prometheus``: the numbers of a Spark session's streaming queries, where Prometheus finds them.

Spark's own sinks (``PrometheusServlet``) know rates, durations and rows of state, but no observed metrics: so neither late nor
waiting tuples. A listener sees them in the progress of each micro-batch.
"""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from inwindow.runtime.query_metrics import Numbers
from inwindow.udaf.calls import says_what_it_takes
from inwindow.udaf.errors import UsageError, shown

_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Exporter:
    """What listens to the queries of a session; its numbers are in a file, on a port, or both."""

    def __init__(self, spark: Any, path: Path | None, port: int | None) -> None:
        self._path, self._numbers, self._lock = path, Numbers(), threading.Lock()
        self._server = None if port is None else _serve(self, port)
        self._write()
        self._spark, self._listener = spark, _listener(self)
        spark.streams.addListener(self._listener)

    @property
    def port(self) -> int | None:
        """The port where the numbers are; None if there is none."""
        return None if self._server is None else int(self._server.server_address[1])

    def text(self) -> str:
        """The numbers now, as Prometheus reads them."""
        with self._lock:
            return self._numbers.text()

    def note(self, what: str, *args: Any, **keywords: Any) -> None:
        """Spark's listener has an event: a method of :class:`Numbers`."""
        with self._lock:
            getattr(self._numbers, what)(*args, **keywords)
        self._write()

    def _write(self) -> None:
        if self._path is not None:
            # A reader sees the file before or after, never a part of it.
            hidden = self._path.with_name(f".{self._path.name}.{os.getpid()}")
            hidden.write_text(self.text(), encoding="utf-8")
            hidden.replace(self._path)

    def stop(self) -> None:
        """Listen no longer, and close the port. The file stays."""
        self._spark.streams.removeListener(self._listener)
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()


@says_what_it_takes
def prometheus(spark: Any, *, path: str | os.PathLike[str] | None = None, port: int | None = None) -> Exporter:
    """Write the numbers of all streaming queries of a session for Prometheus, after each micro-batch, until ``.stop()``.

    ``path`` is a file ``*.prom`` in the folder of the node exporter's textfile collector; ``port`` serves ``/metrics`` over HTTP (0
    takes a free port, which is then the exporter's ``.port``). Call it before the queries start. The names of the numbers, and what
    to alarm on: ``docs/operating.md``.

    >>> exporter = iw.prometheus(spark, port=9108)  # doctest: +SKIP
    >>> query = averages.writeStream.queryName("averages").start()  # doctest: +SKIP
    >>> print(exporter.text())  # what Prometheus reads at http://...:9108/metrics  # doctest: +SKIP
    # HELP inwindow_query_running 1 while the query runs, 0 after it has ended.
    # TYPE inwindow_query_running gauge
    inwindow_query_running{query="averages"} 1
    ...
    """
    if not hasattr(spark, "streams"):
        raise UsageError(f"prometheus({shown(type(spark).__name__)}): give the Spark session that runs the queries")
    if path is None and port is None:
        raise UsageError(
            "prometheus(): say where Prometheus finds the numbers: path='/var/lib/node_exporter/inwindow.prom', or port=9108"
        )
    if path is not None and Path(path).suffix != ".prom":
        raise UsageError(
            f"prometheus(path={shown(os.fspath(path))}): the node exporter reads files that end in .prom: name it such"
        )
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise UsageError(f"prometheus(path={shown(os.fspath(path))}): there is no such folder: make it first")
    if port is not None and (isinstance(port, bool) or not isinstance(port, int) or not 0 <= port < 1 << 16):
        raise UsageError(f"prometheus(port={shown(port)}): a port is a number from 0 (any that is free) to 65535")
    return Exporter(spark, None if path is None else Path(path), port)


def _serve(exporter: Exporter, port: int) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.path.partition("?")[0] in ("/metrics", "/")
            content = exporter.text().encode() if known else b""
            self.send_response(200 if known else 404)
            self.send_header("Content-Type", _TYPE)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: Prometheus asks every few seconds."""

    try:
        server = ThreadingHTTPServer(("", port), Handler)
    except OSError as error:
        raise UsageError(f"prometheus(port={port}): {error.strerror}: take another port, or 0 for any") from None
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, name="inwindow prometheus", daemon=True).start()
    return server


def _listener(exporter: Exporter) -> Any:
    from pyspark.sql.streaming.listener import StreamingQueryListener

    class Listener(StreamingQueryListener):
        def onQueryStarted(self, event: Any) -> None:
            exporter.note("started", str(event.runId), event.name, str(event.id))

        def onQueryProgress(self, event: Any) -> None:
            exporter.note("progressed", event.progress)

        def onQueryIdle(self, event: Any) -> None:
            """Nothing has changed."""

        def onQueryTerminated(self, event: Any) -> None:
            exporter.note("ended", str(event.runId), failed=event.exception is not None)

    return Listener()
