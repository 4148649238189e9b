"""Write the weighted mean of two networks that lie on one way of training; it plays better than either.

python benchmarks/mix_networks.py LATER.npz EARLIER.npz SHARE_OF_EARLIER OUT.npz
"""

import json
import sys

import numpy as np


def main(later, earlier, share, out):
    late, early = np.load(later), np.load(earlier)
    rows, first, last = ((1 - share) * late[part].astype(np.float64) + share * early[part] for part in ("rows", "first", "last"))
    notes = {**json.loads(str(late["notes"])), "share of an earlier network": share}
    del notes["won"]
    np.savez_compressed(
        out, rows=rows.astype(np.float16), first=first.astype(np.float32), last=last.astype(np.float32), notes=json.dumps(notes)
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4])
