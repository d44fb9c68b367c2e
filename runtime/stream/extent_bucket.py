"""Which bucket an extent has."""

from typing import Any

import pyarrow as pa

from inwindow.optimizer.plan import Pass
from inwindow.runtime.stream.bucket import Bucket
from inwindow.runtime.stream.extent_buckets import CountedExtentBucket, ExtentBucket, UpdatedExtentBucket
from inwindow.runtime.stream.filled_bucket import FilledExtentBucket
from inwindow.windows.spec import Hop


def extent_bucket(work: Pass, schema: pa.Schema, *, early: bool = False, **at: Any) -> Bucket:
    """The bucket of a pass over extents; ``early`` for results before they are final."""
    if isinstance(work.extent, Hop) and work.extent.rows:
        return CountedExtentBucket(work, schema, **at)
    if isinstance(work.extent, Hop) and work.extent.fill is not None:
        return FilledExtentBucket(work, schema, **at)
    return UpdatedExtentBucket(work, schema, **at) if early else ExtentBucket(work, schema, **at)
