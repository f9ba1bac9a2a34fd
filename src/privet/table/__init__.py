"""Tables: where coded records live, and the three things that can be done with them."""

from privet.table.base import Batch, IntArrays, Table
from privet.table.memory import MemoryTable
from privet.table.parquet import ParquetTable

__all__ = ["Batch", "IntArrays", "MemoryTable", "ParquetTable", "Table"]
