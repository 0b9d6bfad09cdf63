"""The page as a widget: what is chosen in it are traits. Loaded only where anywidget is installed."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import anywidget
import traitlets

from graphoid.data.read import read
from graphoid.data.table import Table
from graphoid.errors import DataError, GraphoidError
from graphoid.logic.names import Names
from graphoid.report.evidence import fit_model, from_positions, is_cut, to_plain, to_positions
from graphoid.report.page import source
from graphoid.report.view import still_picture
from graphoid.structure.contexts import CanonicalModel
from graphoid.structure.learned import LearnedStructure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphoid.data.variables import Variable
    from graphoid.models.network import MarkovNetwork
    from graphoid.report.page import Page
    from graphoid.report.subject import Reportable


NO_TABLE = "evidence needs the table that was learned from, and a page that shows all variables."


class LiveView(anywidget.AnyWidget):  # type: ignore[misc] # anywidget is optional
    """A page that is shown in a notebook; see :func:`graphoid.view`.

    Traits with an underscore are what the page and Python say to each other, by position.
    """

    _esm = f"{source('frame.js')}\n{source('widget.js')}"
    _page = traitlets.Unicode().tag(sync=True)
    _key = traitlets.Unicode().tag(sync=True)
    _height = traitlets.Int().tag(sync=True)
    _selected = traitlets.List(traitlets.Int()).tag(sync=True)
    _evidence = traitlets.List(traitlets.List(traitlets.Any())).tag(sync=True)
    _marginals: traitlets.List[object] = traitlets.List().tag(sync=True)
    _note = traitlets.Unicode().tag(sync=True)
    _request = traitlets.Int().tag(sync=True)
    threshold = traitlets.Float(help="Edges whose effect size is less are not drawn.").tag(sync=True)
    selected = traitlets.Tuple(help="One name of a variable, or two of an edge or a pair.")
    evidence = traitlets.Dict(help="What is known: states by the names of variables.")
    marginals = traitlets.Dict(help="Given that, the distribution of every variable, by name.")

    def __init__(self, found: Reportable, page: Page, *, table: object, height: int) -> None:
        self._found, self._still = found, still_picture(page)
        self._model: MarkovNetwork | None = None
        self._names = Names(page.subject.keys)
        self._table = table_of(found, table) if page.data["whole"] else None
        super().__init__(_page=page.html(live=True), _key=secrets.token_hex(8), _height=height)

    def _ipython_display_(self) -> None:
        """Show the picture, which stays where no widget comes to hide it, and the page."""
        from IPython.display import display

        still = f'<div data-graphoid="{self._key}">{self._still}</div>'
        display({"text/html": still, "text/plain": repr(self)}, raw=True)
        data, _ = self._repr_mimebundle_()
        display({kind: shown for kind, shown in data.items() if kind != "text/html"}, raw=True)

    def _repr_mimebundle_(self, **_: object) -> tuple[dict[str, object], dict[str, object]]:
        """Return the widget, and the picture for what shows none."""
        data, more = super()._repr_mimebundle_() or ({}, {})
        return {**data, "text/html": self._still}, more

    def __repr__(self) -> str:
        return f"<LiveView of {len(self._names.all):,} variables>"

    @property
    def _variables(self) -> Sequence[Variable]:
        if self._table is None:
            raise DataError(NO_TABLE)
        return self._table.variables

    @property
    def model(self) -> MarkovNetwork:
        """The model that answers to evidence, fitted when it is first needed."""
        if self._model is None:
            if self._table is None or not isinstance(self._found, (LearnedStructure, CanonicalModel)):
                raise DataError(NO_TABLE)
            self._model = fit_model(self._found, self._table)
        return self._model

    @traitlets.validate("selected")
    def _check_selected(self, proposal: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
        names = tuple(self._names.all[self._names.position(name)] for name in proposal["value"])
        if len(names) > 2:
            raise DataError(f"{len(names)} variables cannot be selected; select one, or two.")
        return names

    @traitlets.validate("evidence")
    def _check_evidence(self, proposal: dict[str, Mapping[str, object]]) -> Mapping[str, object]:
        known = proposal["value"]
        return from_positions(self._variables, to_positions(self._variables, known)) if known else {}

    @traitlets.observe("selected")
    def _say_selected(self, change: object) -> None:
        del change
        self._selected = [self._names.position(name) for name in self.selected]

    @traitlets.observe("_selected")
    def _hear_selected(self, change: object) -> None:
        del change
        if self._selected != [self._names.position(name) for name in self.selected]:
            self.selected = tuple(self._names.all[v] for v in self._selected)

    @traitlets.observe("evidence")
    def _say_evidence(self, change: object) -> None:
        del change
        said = to_positions(self._variables, self.evidence) if self.evidence else []
        if said != [list(pair) for pair in self._evidence]:
            self._evidence = said
        self._answer()

    @traitlets.observe("_evidence")
    def _hear_evidence(self, change: object) -> None:
        del change
        known = from_positions(self._variables, self._evidence) if self._evidence else {}
        if known != self.evidence:
            self.evidence = dict(known)

    @traitlets.observe("_request")
    def _answer(self, change: object = None) -> None:
        """Work out the distributions; what stands in the way is said on the page."""
        del change
        try:
            answers = self.model.marginals(self.evidence or None)
        except GraphoidError as error:
            self._note = str(error)
        else:
            self.marginals, self._note = answers, ""
            self._marginals = [to_plain(answer) for answer in answers.values()]


def table_of(found: Reportable, table: object) -> Table | None:
    """Return the table that evidence is about, with the states that the page has, if there is one."""
    if not isinstance(found, (LearnedStructure, CanonicalModel)):
        return None
    known = found.table if table is None else table
    if known is None:
        return None
    if not isinstance(known, Table):
        known = read(known)
    if known.names != found.names:
        return None
    return known.discretized if is_cut(found) else known
