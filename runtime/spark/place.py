"""Which place a Spark DataFrame is: one of rows that are all there, or a stream."""

from typing import Any

from inwindow.runtime.query import Place
from inwindow.runtime.reserved import check_names
from inwindow.runtime.spark.frame import Frame
from inwindow.runtime.spark.session import Session
from inwindow.runtime.spark.stream_frame import StreamFrame


def place_of_frame(df: Any, where: str) -> Place:
    schema = df.schema
    check_names([field.name for field in schema.fields], where)
    kind = StreamFrame if df.isStreaming else Frame
    return kind(df, Session.of(df), schema)
