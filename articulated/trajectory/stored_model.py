"""The model of a trajectory, and its motions that failed, as text beside its numbers: JSON, from which nothing is executed.

It has the fields of a model, arrays by their bytes, so that the model that is read is equal to the one that was written.
:class:`Model` checks fields that come from anywhere. Of a URDF file, from which pictures take shapes, it has the path, which
is forgotten where no such file is.
"""

from __future__ import annotations

import base64
import json
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pluecker.articulated.model.model import Joint, Model
from pluecker.articulated.model.urdf import is_text
from pluecker.articulated.trajectory.samples import MotionFailure, TrajectoryError
from pluecker.spatial.errors import ArgumentValueError
from pluecker.spatial.files import reason_of

__all__ = ["FAILURES", "MODEL", "failures_of", "model_of", "text_of", "text_of_failures"]

MODEL = "pluecker_model"  # what the array is called
FAILURES = "pluecker_failures"  # that of motions of a batch that failed
MARK = b'{"format": 1,'  # how the text begins
FLOAT = "<f8"


def text_of(model: Model) -> NDArray[np.uint8]:
    """The text of a model, as bytes, ``(n,)``."""
    found: dict[str, Any] = {"format": 1}
    for field in fields(model):
        value = getattr(model, field.name)
        if field.name == "joints":
            value = [vars(joint) for joint in value]
        elif isinstance(value, np.ndarray):
            value = [list(value.shape), base64.b64encode(value.astype(FLOAT).tobytes()).decode()]
        found[field.name] = value
    return np.frombuffer(json.dumps(found, default=lambda number: number.item()).encode(), np.uint8)


def model_of(path: Path, values: Any) -> Model:
    """The model of such a text, as an array of a file.

    Raises:
        TrajectoryError: it is none.
    """
    try:
        text = values.tobytes()
        if values.dtype != np.uint8 or not text.startswith(MARK):
            raise ArgumentValueError("it is no text of format 1")
        found = json.loads(text)
        given = {field.name: found[field.name] for field in fields(Model)}
        for field in fields(Model):
            if field.type == "Array":
                shape, content = given[field.name]
                given[field.name] = np.frombuffer(base64.b64decode(content, validate=True), FLOAT).reshape(shape)
        given["joints"] = tuple(Joint(**{**joint, "mimic": as_tuple(joint["mimic"])}) for joint in given["joints"])
        given["body_names"] = tuple(given["body_names"])
        given["frames"] = tuple(map(as_tuple, given["frames"]))
        source = given["urdf"]
        if isinstance(source, str) and not is_text(source) and not Path(source).is_file():
            given["urdf"] = None
        return Model(**given)
    except Exception as error:  # of any type: it depends on what somebody has written there
        raise TrajectoryError(f"{path}: its model cannot be used ({reason_of(error)[:300]}); give one") from None


def text_of_failures(failures: tuple[MotionFailure, ...]) -> NDArray[np.uint8]:
    """The text of motions that failed, as bytes, ``(n,)``."""
    return np.frombuffer(json.dumps([each._asdict() for each in failures]).encode(), np.uint8)


def failures_of(path: Path, values: Any) -> tuple[MotionFailure, ...]:
    """The motions that failed of such a text, as an array of a file.

    Raises:
        TrajectoryError: it is none.
    """
    try:
        if values.dtype != np.uint8:
            raise ArgumentValueError("it is no text")
        found = []
        for each in json.loads(values.tobytes()):
            state, time, reason = tuple(each["state"]), each["time"], each["reason"]
            if not all(type(k) is int for k in state) or type(time) is not float or type(reason) is not str:
                raise ArgumentValueError("it names no state, time and reason")
            found.append(MotionFailure(state, time, reason))
        return tuple(found)
    except Exception as error:  # of any type: it depends on what somebody has written there
        raise TrajectoryError(f"{path}: its failures cannot be used ({reason_of(error)[:300]})") from None


def as_tuple(value: Any) -> Any:
    """A list as a tuple."""
    return tuple(value) if isinstance(value, list) else value
