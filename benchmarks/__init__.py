"""Speed beside peers: ``python -m benchmarks``, or ``python -m benchmarks grow substitute``.

Threads are pinned here, before any library that reads the numbers is imported.
"""

import os

THREADS = 2
for _name in (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
    "ARROW_NUM_THREADS",
    "ARROW_IO_THREADS",
    "LIGHTGBM_NUM_THREADS",
    "PRIVET_THREADS",
):
    os.environ[_name] = str(THREADS)
