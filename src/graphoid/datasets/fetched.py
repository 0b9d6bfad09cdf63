"""Tables that come with scikit-learn, or are fetched from OpenML and checked."""

from __future__ import annotations

import hashlib
import warnings
from typing import TYPE_CHECKING, NamedTuple

from graphoid.errors import DataError, missing_extra

if TYPE_CHECKING:
    import pandas as pd

    from graphoid.data.table import Table

SCIKIT_LEARN = ("breast-cancer", "digits", "iris", "wine")


class Pinned(NamedTuple):
    """A data set of OpenML, and what must be true of it."""

    data_id: int
    rows: int
    columns: int
    fingerprint: str
    """See :func:`fingerprint`."""


# Fingerprints were taken from independent copies of the UCI tables. OpenML's own checksum is of its file;
# scikit-learn checks it while it downloads.
OPENML = {
    "car": Pinned(21, 1_728, 7, "676fd14ef12b4975babcba1b085236f3ea1d43d81d4069f9c9a546bfaff42c74"),
    "cmc": Pinned(23, 1_473, 10, "c3491df9f6c9387d34c5742f57895ba25e36b33c8fca6f5439425f886212b3dc"),
    "mushroom": Pinned(24, 8_124, 23, "97df09fba7289d5d951da21988d1a62c2e747dff45bd57f30ebfec581b92d723"),
    "nursery": Pinned(26, 12_960, 9, "7c7a52fcd8288bbccfba502a0db532c754eba6eb70635c4e324eaacdb561331d"),
    "vote": Pinned(56, 435, 17, "efcbec4d75ac0d8ced0a54086d09d6612338ed93d97ca0fae93da8a9cb1d9a99"),
}


def from_scikit_learn(name: str) -> Table:
    """Return a table that comes with scikit-learn: its measurements cut into bins, and the class by name."""
    try:
        from sklearn import datasets
    except ImportError:
        raise missing_extra(f"the data set {name!r}", "sklearn") from None
    from graphoid.data.read import read

    loaders = (datasets.load_breast_cancer, datasets.load_digits, datasets.load_iris, datasets.load_wine)
    bunch = dict(zip(SCIKIT_LEARN, loaders, strict=True))[name]()
    columns = {str(feature): bunch.data[:, i] for i, feature in enumerate(bunch.feature_names)}
    columns["class"] = [str(bunch.target_names[code]) for code in bunch.target]
    return read(columns, discretize="scott", name=name)


def from_openml(name: str) -> Table:
    """Return a table from OpenML; scikit-learn keeps a copy, so only the first time needs a network.

    Missing values become a state of their own.
    """
    try:
        from sklearn.datasets import fetch_openml
    except ImportError:
        raise missing_extra(f"the data set {name!r}", "sklearn") from None
    pinned = OPENML[name]
    try:
        with warnings.catch_warnings():  # of trying twice; the error says what was wrong
            warnings.filterwarnings("ignore", "A network error occurred")
            bunch = fetch_openml(data_id=pinned.data_id, as_frame=True, parser="auto", n_retries=1, delay=0.1)
        frame = bunch.frame
    except ImportError:
        raise missing_extra(f"the data set {name!r}", "pandas") from None
    except OSError as error:  # no network, no such server
        raise DataError(
            f"{name!r} could not be fetched from OpenML (data set {pinned.data_id}): {error}. "
            f"It needs a network the first time; the data sets written down here do not: try 'titanic'."
        ) from error
    except ValueError as error:  # a damaged download
        raise DataError(
            f"{name!r} came from OpenML (data set {pinned.data_id}) and cannot be used: {error}."
        ) from error
    check(name, frame, pinned)
    from graphoid.data.read import read

    return read(frame, discretize="auto", missing="category", name=name)


def check(name: str, frame: pd.DataFrame, pinned: Pinned) -> None:
    """Raise unless a data frame is the one that was pinned."""
    found = (*frame.shape, fingerprint(frame))
    if found != (pinned.rows, pinned.columns, pinned.fingerprint):
        raise DataError(
            f"{name!r} is not the table expected of OpenML data set {pinned.data_id}: "
            f"it has {found[0]:,} rows, {found[1]:,} columns and fingerprint {found[2][:8]}, "
            f"where {pinned.rows:,}, {pinned.columns:,} and {pinned.fingerprint[:8]} are known. "
            f"Empty scikit-learn's data folder and fetch it again."
        )


def fingerprint(frame: pd.DataFrame) -> str:
    """Return a digest of how often each state occurs in each column of a data frame.

    The names of columns and states and the order of rows and columns do not matter, because copies of the
    same table differ in them. It tells other tables and lost or added rows; not a change that leaves all
    margins as they were.
    """
    margins = []
    for name in frame.columns:
        column = frame[name]
        counts = sorted(int(count) for count in column.value_counts() if count)
        margins.append((counts, int(column.isna().sum())))
    return hashlib.sha256(repr(sorted(margins)).encode()).hexdigest()
