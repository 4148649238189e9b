"""``meldlab runs export``: every evaluation of a run as CSV or Parquet."""

import sys
from pathlib import Path
from typing import Annotated, Any, BinaryIO

import typer

from meldlab.cli.options import JsonOption, StoreOption, print_json
from meldlab.cli.outputs import out_file
from meldlab.cli.runs.look import RunArgument

FORMATS = (".csv", ".parquet")


def export(
    run: RunArgument,
    out: Annotated[Path | None, out_file("FILE.csv or FILE.parquet; without it, CSV on the terminal.")] = None,
    payload: Annotated[bool, typer.Option("--payload", help="Add the column payload: all other counts of the worker, as JSON.")] = False,
    store: StoreOption = None,
    json: JsonOption = False,
) -> None:
    """Write every evaluation of a run as a row of CSV or Parquet.

    Example: meldlab runs export 1 --out run.csv
    """
    from meldlab.cache import replace_file
    from meldlab.errors import NoSuchThing
    from meldlab.reports.rows import csv_text
    from meldlab.runs.store import EVALUATIONS, Store

    if out is not None and out.suffix.lower() not in FORMATS:
        raise NoSuchThing("format", out.suffix or out.name, FORMATS)
    names = [column.name for column in EVALUATIONS.columns if payload or column.name != "payload"]
    rows = [tuple(row._mapping[name] for name in names) for row in Store.open_read_only(store).find(run).evaluations()]
    if out is None:
        if json:
            print_json({"run": run, "rows": [dict(zip(names, row, strict=True)) for row in rows]})
        else:
            print(csv_text([names, *rows]), end="")
        return
    with replace_file(out) as file:
        if out.suffix.lower() == ".parquet":
            write_parquet(names, rows, file)
        else:
            file.write(csv_text([names, *rows]).encode())
    if json:
        print_json({"run": run, "out": str(out), "rows": len(rows)})
    else:
        print(f"{len(rows):,} rows in {out}", file=sys.stderr)


def write_parquet(names: list[str], rows: list[tuple[Any, ...]], file: BinaryIO) -> None:
    """Write rows as Parquet, the types of its columns those of the store."""
    import pyarrow as pa
    from pyarrow import parquet

    from meldlab.runs.store import EVALUATIONS

    columns_by_name = {column.name: column for column in EVALUATIONS.columns}
    kinds = {int: pa.int64(), float: pa.float64(), str: pa.string()}
    # A run without wins, or without rows, still has every column with its type.
    schema = pa.schema([(name, kinds[columns_by_name[name].type.python_type]) for name in names])
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    table = pa.table([pa.array(values, field.type) for values, field in zip(columns, schema, strict=True)], schema=schema)
    parquet.write_table(table, file)
