"""Processes to kill: each is forked from one that has loaded all that any of them needs."""

import multiprocessing

__all__ = ["processes"]

processes = multiprocessing.get_context("forkserver")
# All in one list: it is the last one set that counts.
processes.set_forkserver_preload(
    ["tests.store.writer", "tests.release.writer", "tests.web.victim", "pyarrow.parquet"]
)
