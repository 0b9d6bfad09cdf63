import csv
import io

import graphoid as gd
from graphoid.report.edges import edges_of
from graphoid.report.method import LEARNERS, SCORES, TESTS, bibtex, method_of
from graphoid.report.subject import subject_of
from graphoid.report.tables import as_csv, as_latex
from tests.support.hostile_names import hostile_table


def facts(table):
    subject = subject_of(gd.GSMN().fit(table).structure_)
    return subject.names, edges_of(subject)


def test_csv_has_a_row_for_every_edge_and_reads_back():
    names, edges = facts(gd.datasets.load("titanic"))
    rows = list(csv.DictReader(io.StringIO(as_csv(names, edges))))
    assert [(row["x"], row["y"]) for row in rows] == [(names[e.x], names[e.y]) for e in edges]
    assert all(abs(float(row["bits"]) - e.bits) < 1e-5 for row, e in zip(rows, edges, strict=True))


def test_latex_has_balanced_braces_and_one_row_an_edge():
    names, edges = facts(hostile_table())
    text = as_latex(names, edges, "a & b")
    plain = text.replace(r"\{", "").replace(r"\}", "")
    assert plain.count("{") == plain.count("}")
    body = text.split(r"\midrule")[1].split(r"\bottomrule")[0]
    assert body.count(r"\\") == len(edges)
    columns = {line.replace(r"\&", "").count("&") for line in body.strip().splitlines()}
    assert len(columns) == 1


def test_every_learner_test_and_score_is_described_and_what_it_cites_is_known():
    public = {name for name in dir(gd) if hasattr(getattr(gd, name), "structure_")}
    assert public <= set(LEARNERS)
    for method in [*LEARNERS.values(), *TESTS.values(), *SCORES.values()]:
        for key in method.cite:
            assert f"{{{key}," in bibtex([key])
    settings = gd.HillClimb(gd.BJP()).fit(gd.datasets.load("titanic")).structure_.settings
    assert [method.words.split()[1:3] for method in method_of(settings)] == [
        ["graph", "with"],
        ["score", "is"],
    ]
