"""Trajectories as tables of other packages: pandas and xarray, where these are installed."""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import Any

import numpy as np

from pluecker.articulated.model.model import Model
from pluecker.articulated.trajectory.csv_files import PREFIX, assign_columns, gather_columns
from pluecker.articulated.trajectory.samples import PARTS, Samples, TrajectoryError, names_of
from pluecker.articulated.trajectory.stored_model import MODEL, model_of, text_of
from pluecker.spatial.errors import ArgumentTypeError, shown
from pluecker.spatial.extras import require

__all__ = ["from_pandas", "to_pandas", "to_xarray"]

OWN = ("time", *PARTS, PREFIX[:-1])  # what stands before the colon of a column that is no name alone


def to_pandas(trajectory: Samples, model: Model) -> Any:
    """Convert a trajectory to a table, see :meth:`Trajectory.to_pandas`."""
    pandas = require("pandas", "tables", "tables of pandas")
    trajectory.check(model, "Trajectory.to_pandas")
    if trajectory.batch_shape:
        raise TrajectoryError(
            f"Trajectory.to_pandas: a table holds one motion, not a batch of shape {trajectory.batch_shape}; "
            "to_xarray takes batches"
        )
    columns = {}
    for part in PARTS:
        values = getattr(trajectory, part)
        if values is not None:
            columns.update({f"{part}:{name}": values[:, j] for j, name in enumerate(names_of(model, part))})
    for name, values in trajectory.columns.items():
        for place in np.ndindex(*values.shape[1:]):
            label = name + (f"[{','.join(map(str, place))}]" if place else "")
            label = f"{PREFIX}{label}" if label.partition(":")[0] in OWN else label
            columns[other_than(columns, label)] = values[(slice(None), *place)]
    time = trajectory.time
    index = pandas.RangeIndex(len(trajectory), name="sample") if time is None else pandas.Index(time, name="time")
    table = pandas.DataFrame(columns, index=index)
    table.attrs[MODEL] = text_of(model).tobytes().decode()
    return table


def from_pandas(table: Any, model: Model | None) -> Samples:
    """See :meth:`Trajectory.from_pandas`."""
    pandas = require("pandas", "tables", "tables of pandas")
    function = "Trajectory.from_pandas"
    if not isinstance(table, pandas.DataFrame):
        raise ArgumentTypeError(f"{function}: table is a {type(table).__name__}, expected a DataFrame of pandas")
    if model is None:
        stored = table.attrs.get(MODEL)
        if not isinstance(stored, str):
            raise TrajectoryError(f"{function}: the table has no model that names its columns; give one")
        model = model_of(Path(function), np.frombuffer(stored.encode("utf-8", "replace"), np.uint8))
    for name in table.columns:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"{function}: a column is called {shown(name)}, expected a string")
    names = [name if name.partition(":")[0] in OWN else PREFIX + name for name in table.columns]
    timed = table.index.name == "time"
    kinds = list(zip(table.columns, table.dtypes, strict=True))
    if timed:
        kinds.append(("time", table.index.dtype))
    for what, kind in kinds:
        if kind.kind not in "biufO":  # moments, for example, would become numbers of nanoseconds
            raise TrajectoryError(f"{function}: {shown(what)} holds {kind}, expected numbers; times in seconds")
    try:
        values = table.to_numpy(np.float64)
        time = table.index.to_numpy(np.float64) if timed else None
    except (TypeError, ValueError) as error:
        raise TrajectoryError(
            f"{function}: the table holds something else than numbers ({shown(str(error))})"
        ) from None
    where = Path(function)  # as errors begin
    parts: dict[str, Any] = {part: values[:, order] for part, order in assign_columns(where, names, model, "q").items()}
    if time is not None and "time" in parts:
        raise TrajectoryError(f"{function}: time is the index, and a column too")
    time = parts.pop("time")[:, 0] if "time" in parts else time
    found = Samples(time, **parts, model=model, columns=gather_columns(where, names, values))
    found.check(model, function)
    return found


def other_than(taken: Container[str], name: str) -> str:
    """Return a name for a column; with ``column:`` before it, as in files, if the name is taken."""
    while name in taken:
        name = f"{PREFIX}{name}"
    return name


def to_xarray(trajectory: Samples, model: Model) -> Any:
    """Convert a trajectory to a dataset, see :meth:`Trajectory.to_xarray`."""
    xarray = require("xarray", "tables", "datasets of xarray")
    trajectory.check(model, "Trajectory.to_xarray")
    batch = [f"motion_{k}" for k in range(len(trajectory.batch_shape))]
    samples = "sample" if trajectory.time is None else "time"
    labels = {} if trajectory.time is None else {"time": ("time", trajectory.time, {"units": "s"})}
    variables = {}
    for part in PARTS:
        values = getattr(trajectory, part)
        if values is not None:
            axis = "q_name" if part == "q" else "v_name"
            labels[axis] = (axis, np.array(names_of(model, part), dtype=object), {})
            variables[part] = ([*batch, samples, axis], values)
    taken = {*variables, *labels, *batch, samples}
    axes = {}
    for name, values in trajectory.columns.items():
        axes[name] = [other_than(taken, f"{name}_{k}") for k in range(values.ndim - len(batch) - 1)]
        taken.update(axes[name])
    for name, values in trajectory.columns.items():
        label = other_than(taken, name)
        taken.add(label)
        variables[label] = ([*batch, samples, *axes[name]], values)
    return xarray.Dataset(variables, coords=labels, attrs={"model": model.name})
