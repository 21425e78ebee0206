"""The runs of a store as files for other programs.

CSV, JSON lines and Parquet have a row per run, or per recorded step; IOHprofiler's own format is
a folder that its analyzer and `iohinspector` read.
"""

from genoku.lab.export.iohprofiler import write_ioh
from genoku.lab.export.tables import write_csv, write_jsonl, write_parquet

__all__ = ["write_csv", "write_ioh", "write_jsonl", "write_parquet"]
