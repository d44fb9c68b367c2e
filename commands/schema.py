"""The columns of a file and their types, without its data: from a Parquet footer, an Arrow header, a CSV's first block."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from inwindow.udaf.errors import UsageError

_KINDS = ".parquet, .csv, .tsv (or .csv.gz), .arrow, .feather, or a folder of Parquet files"


def schema_of(path: str) -> pa.Schema:
    """The schema of a file, or of a folder of Parquet files.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "trades.csv").write_text("ts,price\\n2026-05-01 12:00:00,1.5\\n")
    ...     print(schema_of(f"{folder}/trades.csv").types)
    [TimestampType(timestamp[s]), DataType(double)]
    """
    file = Path(path)
    if not file.exists():
        raise UsageError(f"explain {path}: there is no such file")
    if file.is_dir():
        return _of_folder(path)
    plain = file.with_suffix("") if file.suffix in (".gz", ".bz2", ".zst") else file
    readers: dict[str, Callable[[str], pa.Schema]] = {
        ".parquet": _of_parquet, ".pq": _of_parquet, ".csv": _of_csv, ".tsv": _of_tsv, ".arrow": _of_arrow,
        ".feather": _of_arrow, ".ipc": _of_arrow,
    }  # fmt: skip
    reader = readers.get(plain.suffix.lower())
    if reader is None:
        raise UsageError(f"explain {path}: what kind of file is it? By its name it is none of {_KINDS}")
    try:
        return reader(path)
    except (pa.ArrowInvalid, pa.ArrowKeyError, OSError) as error:
        said = str(error).splitlines()[0]
        raise UsageError(f"explain {path}: it cannot be read as {plain.suffix.lower()}: {said}") from None


def _of_parquet(path: str) -> pa.Schema:
    from pyarrow import parquet

    return parquet.read_schema(path)


def _of_csv(path: str) -> pa.Schema:
    from pyarrow import csv

    with csv.open_csv(path) as reader:  # the types are those of the first megabyte
        return reader.schema


def _of_tsv(path: str) -> pa.Schema:
    from pyarrow import csv

    with csv.open_csv(path, parse_options=csv.ParseOptions(delimiter="\t")) as reader:
        return reader.schema


def _of_arrow(path: str) -> pa.Schema:
    try:
        with pa.ipc.open_file(path) as reader:
            return reader.schema
    except pa.ArrowInvalid:
        with pa.ipc.open_stream(path) as reader:
            return reader.schema


def _of_folder(path: str) -> pa.Schema:
    from pyarrow import dataset

    files = dataset.dataset(path, format="parquet", partitioning="hive")
    if not files.files:
        raise UsageError(f"explain {path}: the folder has no file; a folder is one of Parquet files")
    return files.schema
