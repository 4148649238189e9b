"""A module that takes long to load in a worker, and then answers at once."""

import time
from multiprocessing import parent_process

if parent_process() is not None:
    time.sleep(1.5)


def answer() -> str:
    return "at last"
