"""A report says everything that a result holds, in its order, and names what was not released."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ppaurora.parties.reports.model import Bullets, Facts, Page, Paragraph, Section, Sheet
from ppaurora.parties.reports.names import label
from ppaurora.parties.reports.page import page_of
from ppaurora.parties.reports.saved import SavedResult
from ppaurora.protocols.release.values import WITHHELD, Interval, Scalar, Table
from ppaurora.protocols.statistics.auroc import Auroc
from ppaurora.protocols.statistics.registry import statistics
from ppaurora.protocols.statistics.statistic import Topic
from tests.parties.reports.documents import document

SAVED = SavedResult.of(document())
ONLY = replace(SAVED, values={"auroc": Scalar("0.8250")})


def page(saved: SavedResult = SAVED, **more: object) -> Page:
    return page_of(saved, "ef" * 32, **more)  # type: ignore[arg-type]


def section(of: Page, key: str) -> Section:
    return next(one for one in of.sections if one.key == key)


def sheet(of: Page, name: str) -> list[dict[str, str]]:
    """The rows of a table, each by the names of its columns."""
    found = next(one for one in of.sheets if one.name == name)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def words(of: Section) -> str:
    """All the words of a section but those of tables."""
    found = []
    for piece in of.pieces:
        match piece:
            case Paragraph(text=text):
                found.append(text)
            case Bullets(items=items, lead=lead):
                found += [lead, *items]
            case Facts(pairs=pairs):
                found += [f"{name}: {text}" for name, text in pairs]
    return "\n".join(found)


def test_the_sections_are_in_their_order() -> None:
    assert [one.key for one in page().sections] == [
        "warnings", "statistics", "curves", "calibration", "owners", "methods", "computed",
        "ledger", "origin", "guidelines",
    ]  # fmt: skip


def test_every_number_stands_with_its_interval_and_how_it_is_computed() -> None:
    rows = {row["Statistic"]: row for row in sheet(page(), "statistics")}
    # tables have their own place, but for a few given rates and ranks
    numbers = {name: one for name, one in SAVED.values.items() if not isinstance(one, Table)}
    of_ranks = ["Precision at the top 10", "Precision at the top 20"]
    assert list(rows) == [*(label(name, one) for name, one in numbers.items()), *of_ranks]
    assert rows[of_ranks[1]]["Value"] == "0.85"
    assert (rows["AUROC"]["Value"], rows["AUROC"]["Interval"]) == ("0.8250", "-")
    assert rows["AUROC (95% CI)"]["Interval"] == "0.7901 to 0.8599"
    assert rows["AUROC (95% CI, method=delong)"]["Interval"] == "1.0000 to 1.0000, no width"
    assert "Intervals without a width\nAUROC (95% CI, method=delong): take newcombe" in words(
        section(page(), "statistics")
    )
    assert rows["compared"]["z"] == "2.209"
    assert rows["compared"]["p"] == "0.02717"
    # what a statistic does not have was not kept back
    assert rows["AUROC (95% CI)"]["z"] == rows["AUROC (95% CI)"]["p"] == "-"
    assert rows["Mean AUROC over folds (95% CI, empty=skip)"]["Folds left out"] == "1"
    assert rows["AUROC (95% CI)"]["Folds left out"] == "-"
    above = "Test of whether the AUROC is above a value (than=0.7)"
    assert rows[above]["Value"] == "rejected"
    assert rows["Average precision"]["Value"] == "undefined: there are no positives"
    told = {row["Asked for as"]: row for row in sheet(page(), "estimators")}
    assert told["auroc"]["Estimator and parameters"] == "AUROC, ties counted half"
    assert "roc_auc_score" in told["auroc"]["Known elsewhere as"]
    assert "level 0.95" in told["auroc_ci"]["Estimator and parameters"]
    assert "not known to this version" in told["compared"]["Estimator and parameters"]


def test_direction_classes_ties_and_rounding_are_told() -> None:
    told = words(section(page(), "computed"))
    assert "lower scores speak for the positive class" in told
    assert "positive: label ill; negative: label well" in told
    assert "Scores: 0 to 1, resolution full" in told
    assert "tied if and only if they are the same number" in told
    assert "Rounding: to 4 decimals, halves up" in told


def test_curves_and_calibration_are_found_by_their_columns() -> None:
    found = page()
    drawn = {one.name for piece in (section(found, "curves"),) for one in charts(piece)}
    assert drawn == {"roc_curve:points=2", "pr_curve", "rates", "decision_curve"}
    assert [one.name for one in charts(section(found, "calibration"))] == ["calibration"]
    assert sheet(found, "pr_curve")[2] == {"recall": "0.0", "precision": "undefined"}
    minimum = "Least cell: 5 of each class, in every owner's eyes."
    # of every curve of the study, whichever statistic asks for it
    assert words(section(found, "curves")).count(minimum) == 4
    assert "not released" not in words(section(found, "curves"))


def test_cells_that_the_least_cell_keeps_back_are_told_and_left_out_of_the_curve() -> None:
    asked = document()
    why = "fewer than 5 of a class between this cut and another"
    rows = (("0.25", WITHHELD), ("0.5", "0.2112"), ("0.75", None))
    columns, undefined = ("threshold", "net_benefit"), "nobody is called positive"
    table = Table(columns, rows, undefined=undefined, withheld=why)
    asked["values"]["net_benefit:at=0.25/0.5/0.75"] = table.to_json()
    found = page(SavedResult.of(asked))
    shown = [row["net_benefit"] for row in sheet(found, "net_benefit:at=0.25/0.5/0.75")]
    assert shown == ["withheld", "0.2112", "undefined"]
    told = words(section(found, "curves"))
    assert f"undefined: {undefined}; withheld: {why}." in told
    [chart] = [one for one in found.charts if one.name == "net_benefit:at=0.25/0.5/0.75"]
    assert [track.points for track in chart.tracks] == [((0.5, 0.2112),)]


def charts(of: Section) -> list[object]:
    return Page("", "", (of,)).charts  # type: ignore[return-value]


def test_what_was_not_released_is_named() -> None:
    alone = page(ONLY)
    assert "precision-recall curve: not released" in words(section(alone, "curves"))
    assert "Brier score" in words(section(alone, "calibration"))
    assert words(section(alone, "calibration")).count("not released") == 2
    guidelines = {row["Item"]: row["This report says"] for row in sheet(alone, "tripod-ai")}
    assert guidelines["20a"].endswith("with and without the outcome: not released")
    assert guidelines["23a"] == "estimates: AUROC; intervals: not released; curves: not released"
    stard = {row["Item"]: row["This report says"] for row in sheet(alone, "stard-ai")}
    assert stard["30 (23)"] == "not released"
    assert stard["21 (17)"].startswith("not released: all lists were computed together")
    assert stard["40b"].endswith("which can be made again from it")


def test_items_of_stard_ai_have_its_numbers_and_those_of_stard_2015() -> None:
    told = {row["Item"]: row["Asks for"] for row in sheet(page(), "stard-ai")}
    assert told["31 (24)"] == "accuracy and its precision"
    assert told["24 (19)"] == "flow of participants"
    assert "that of the same item of STARD 2015" in words(section(page(), "guidelines"))


def test_a_statistic_of_calibration_is_among_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Auroc, "topic", Topic.CALIBRATION)
    assert sheet(page(), "calibration-numbers") == [
        {"Statistic": "AUROC", "Value": "0.8250", "Interval": "-"}
    ]


def test_the_warnings_name_who_is_missing_and_what_is_undefined() -> None:
    told = words(section(page(), "warnings"))
    assert "not in it, though in the study: cleo" in told
    assert "refused: the list of dora" in told
    assert "Receivers can work out much." in told
    assert "few samples tell much" in words(section(page(), "ledger"))
    assert "average_precision is undefined: there are no positives" in told
    assert section(page(), "warnings").alarming
    calm = replace(ONLY, missing=(), refused=(), summary="")
    assert words(section(page(calm), "warnings")) == "None."
    assert not section(page(calm), "warnings").alarming


def test_every_owner_stands_with_its_list() -> None:
    rows = {row["Owner"]: row for row in sheet(page(), "owners")}
    assert rows["ann"] == {
        "Owner": "ann", "Samples": "30", "Part of all": "60.0 %", "In the result": "yes",
    }  # fmt: skip
    assert rows["dora"]["In the result"] == "no: the list was unsound"
    assert rows["cleo"]["In the result"] == "no: nothing was uploaded, or it was refused before"
    assert "50 samples of 2 owners: ann, ben" in words(section(page(), "owners"))


def test_the_ledger_tells_of_everybody_also_of_those_who_learnt_nothing() -> None:
    told = words(section(page(), "ledger"))
    assert "P0, one of the two proxies\nthe number of samples of each list" in told
    assert "The helper\nnothing" in told
    assert "This holds where all follow the protocol." in told


def test_hashes_versions_and_cost_are_told_if_they_may_be() -> None:
    told = words(section(page(), "origin"))
    for part in ("ab" * 32, "cd" * 16, "ef" * 32, "ppaurora 0.1.0", "1.5 MB, 5 hops, 0.50 s"):
        assert part in told
    assert sheet(page(), "phases") == [
        {"Server": "P0", "Phase": "sort", "Seconds": "0.250", "Hops": "4"}
    ]
    secret = page(replace(SAVED, cost=None))
    assert "not told: they depend on the data" in words(section(secret, "origin"))
    assert "phases" not in [one.name for one in secret.sheets]


def test_a_simulation_stands_beside_the_pooled_values() -> None:
    same = page(ONLY, pooled={"auroc": Scalar("0.8250")})
    assert sheet(same, "statistics")[0]["Equal"] == "yes"
    assert "this is a bug" not in words(section(same, "warnings"))
    other = page(ONLY, pooled={"auroc": Scalar("0.8251")})
    assert sheet(other, "statistics")[0] == {
        "Statistic": "AUROC", "Value": "0.8250", "Interval": "-", "Pooled": "0.8251",
        "Equal": "NO",
    }  # fmt: skip
    assert "the private values differ from the pooled ones" in words(section(other, "warnings"))


def test_the_first_column_of_every_table_is_never_empty() -> None:
    assert all(row[0] for one in page().sheets for row in one.rows)
    assert all(isinstance(one, Sheet) and one.caption for one in page().sheets)


def test_a_grid_and_other_models_are_told() -> None:
    given = document()
    options = given["options"]
    options["protocol"] = {"assurance": "semi-honest"}
    options["scores"]["resolution"] = "bins:4096"
    options["scores"]["against"] = ["old_risk"]
    given["values"]["compared"]["z"] = "at most -100"
    told = page(SavedResult.of(given))
    assert "in the same of 4096 bins" in words(section(told, "computed"))
    assert "Other models: column old_risk" in words(section(told, "computed"))
    assert {row["Option"]: row["Choice"] for row in sheet(told, "options")}[
        "scores.resolution"
    ] == "bins:4096"
    assert {row["Statistic"]: row for row in sheet(told, "statistics")}["compared"]["z"] == (
        "at most -100"
    )


def test_what_tells_of_calibration_says_so() -> None:
    """The report says "not released" of calibration unless a statistic has that topic."""
    of_calibration = ("brier", "calibration", "log loss", "log_loss")
    wrong = [
        name
        for name, one in statistics().items()
        if any(word in f"{name} {one.title}".lower() for word in of_calibration)
        and one.topic is not Topic.CALIBRATION
    ]
    assert wrong == []


def test_names_are_those_that_a_reader_writes() -> None:
    interval = Interval("0.8", "0.7", "0.9")
    assert label("auroc_ci:level=0.9", interval) == "AUROC (90% CI)"
    assert label("net_benefit:at=0.1/0.2") == "Net benefit"
    assert label("unheard_of:k=1") == "unheard_of:k=1"
    # no two statistics of one name, but for the ways of computing one
    called = [label(name) for name in statistics() if not one_of_several(name)]
    assert len({*called}) == len(called)


def one_of_several(name: str) -> bool:
    """Return whether it is another way of a statistic with a plainer name."""
    return name.endswith(("_ci", "_bootstrap", "_refined", "_no_ties")) or "samples" in (
        statistics()[name].usage()
    )


def with_tables(**tables: Table) -> Page:
    """The report of a result with these tables, whose AUROC has an interval."""
    given = document()
    given["options"]["scores"]["direction"] = "higher"
    given["values"] = {
        "auroc_ci": Interval("0.8614", "0.8305", "0.8869").to_json(),
        **{name: table.to_json() for name, table in tables.items()},
    }
    return page(SavedResult.of(given))


COUNTS = Table(("positives", "negatives", "prevalence"), (("30", "70", "0.3000"),))


def test_a_roc_curve_begins_and_ends_in_its_corners_and_carries_its_area() -> None:
    table = Table(("threshold", "fpr", "tpr"), (("0.2", "0.5", "0.9"), ("0.6", "0.1", "0.5")))
    [chart] = with_tables(roc_curve=table).charts
    assert chart.title == "ROC curve: AUROC (95% CI) 0.8614, 0.8305 to 0.8869"
    assert chart.tracks[0].points == ((0.1, 0.5), (0.5, 0.9))
    assert chart.tracks[0].ends == ((0.0, 0.0), (1.0, 1.0))
    assert [one.means for one in chart.references] == ["chance"]


def test_lines_that_follow_from_the_prevalence_are_drawn_where_it_is_released() -> None:
    curve = Table(("threshold", "recall", "precision"), (("0.2", "0.9", "0.4"),))
    benefit = Table(("threshold", "net_benefit"), (("0.1", "0.25"), ("0.3", "0.1")))
    tables = {"pr_curve": curve, "net_benefit:at=0.1/0.3": benefit}
    bare, drawn = with_tables(**tables), with_tables(class_counts=COUNTS, **tables)
    assert [len(one.references) for one in bare.charts] == [0, 1]
    level, lowest = drawn.charts[0].references
    assert level.points == ((0.0, 0.3), (1.0, 0.3))
    assert lowest.points[-1] == (1.0, pytest.approx(0.3))
    assert lowest.points[30][1] == pytest.approx(0.3 * 0.5 / (0.7 + 0.3 * 0.5))
    treat_all = drawn.charts[1].references[1]
    assert treat_all.means == "treat all"
    assert treat_all.points[0] == (0.0, pytest.approx(0.3))
    for t, benefit_of_all in treat_all.points:
        assert benefit_of_all == pytest.approx(0.3 - 0.7 * t / (1 - t))
    assert drawn.charts[1].x.most == 0.3
    rows = {row["Statistic"]: row["Value"] for row in sheet(drawn, "statistics")}
    assert rows["Samples: positives"] == "30"
    guidelines = {row["Item"]: row["This report says"] for row in sheet(drawn, "tripod-ai")}
    assert guidelines["21"].endswith("with and without the outcome: 30 and 70")


def test_scores_between_released_points_are_drawn_below_the_calibration() -> None:
    roc = Table(
        ("threshold", "fpr", "tpr"), (("0.5", "0.1", "0.5"), ("0.75", "withheld", "withheld"))
    )
    calibration = Table(
        ("from", "to", "predicted", "observed"),
        (("0", "0.5", "0.2", "0.1"), ("0.5", "1", "0.7", "0.8")),
    )
    slope = Table(
        ("slope", "intercept", "slope_se", "intercept_se"), (("1.1", "-0.2", "0.05", "0.1"),)
    )
    found = with_tables(
        class_counts=COUNTS, roc_curve=roc, calibration=calibration, calibration_slope=slope
    )
    chart = next(one for one in found.charts if one.name == "calibration")
    assert chart.title == "Calibration: slope 1.1 (SE 0.05), intercept -0.2 (SE 0.1)"
    # 15 of 30 positives and 7 of 70 negatives have a score of a half or more
    assert chart.bars == ((0.0, 0.5, pytest.approx(78)), (0.5, 1.0, pytest.approx(22)))


def test_the_methods_name_what_was_computed_with_its_references() -> None:
    told = words(section(page(), "methods"))
    assert "50 samples of 2 owners together, by secure three-party computation [1]" in told
    assert "AUROC (95% CI) [2]" in told
    assert "[2] Newcombe, Statistics in Medicine 2006, method 5" in told
    assert "withheld where fewer than 5 samples of a class" in told
    assert "To cite: ppAURORA 0.1.0, study sepsis-1" in told


def test_the_counts_of_a_part_or_with_noise_are_not_taken_for_those_of_all() -> None:
    parts = Table(("threshold", "positives", "negatives"), (("0.5", "3", "4"), ("0", "5", "6")))
    curve = Table(("threshold", "recall", "precision"), (("0.2", "0.9", "0.4"),))
    found = with_tables(histogram_dp=parts, pr_curve=curve)
    assert next(one for one in found.charts if one.name == "pr_curve").references == ()
    guidelines = {row["Item"]: row["This report says"] for row in sheet(found, "tripod-ai")}
    assert guidelines["21"].endswith("with and without the outcome: not released")


def test_a_few_given_rates_and_ranks_are_among_the_results() -> None:
    name = "sensitivity:at_specificity=0.9/0.95"
    rates = Table(("specificity", "sensitivity"), (("0.9", "0.81"), ("0.95", None)), undefined="x")
    many = Table(("k", "precision"), tuple((str(k), "0.5") for k in range(1, 8)))
    found = with_tables(**{name: rates, "precision_at_top:k=1": many})
    rows = {row["Statistic"]: row["Value"] for row in sheet(found, "statistics")}
    assert rows["Sensitivity at a specificity of 0.9"] == "0.81"
    assert rows["Sensitivity at a specificity of 0.95"] == "undefined"
    assert not any("the top" in called for called in rows)
    assert len(sheet(found, "precision_at_top:k=1")) == 7


def test_a_test_of_calibration_is_among_the_results_with_its_p() -> None:
    found = with_tables(spiegelhalter_z=Table(("z", "p"), (("-1.960", "0.05000"),)))
    rows = {row["Statistic"]: row["Value"] for row in sheet(found, "statistics")}
    assert rows["Spiegelhalter test: z"] == "-1.960"
    assert rows["Spiegelhalter test: p"] == "0.05000"
    assert "Spiegelhalter, Statistics in Medicine 1986" in words(section(found, "methods"))


def test_a_standard_error_stands_beside_its_number() -> None:
    slope = Table(
        ("slope", "intercept", "slope_se", "intercept_se"), (("1.1", "-0.2", "0.05", "0.1"),)
    )
    large = Table(("intercept", "intercept_se"), (("0.3", "0.07"),))
    rows = sheet(with_tables(calibration_slope=slope, calibration_in_the_large=large), "statistics")
    found = {row["Statistic"]: (row["Value"], row["Interval"]) for row in rows}
    assert found["Calibration-in-the-large: intercept"] == ("0.3", "SE 0.07")
    assert found["Calibration: slope"] == ("1.1", "SE 0.05")
    assert found["Calibration: intercept"] == ("-0.2", "SE 0.1")
    assert not any("_se" in called for called in found)


def test_limits_stand_beside_their_number_at_thresholds_and_among_the_results() -> None:
    name = "ppv:at=0.5/0.9/0.99,level=0.9"
    rows = (
        ("0.5", "0.75", "0.61", "0.85"),
        ("0.9", None, None, None),
        ("0.99", "withheld", "withheld", "withheld"),
    )
    ppv = Table(("threshold", "ppv", "ppv_lower", "ppv_upper"), rows, undefined="x", withheld="few")
    counts = Table(
        ("positives", "negatives", "prevalence", "prevalence_lower", "prevalence_upper"),
        (("30", "70", "0.3", "0.22", "0.4"),),
    )
    found = with_tables(**{name: ppv, "class_counts:level=0.95": counts})
    called = "ppv (90% CI)"
    told = [row[called] for row in sheet(found, name)]
    assert told == ["0.75 (0.61 to 0.85)", "undefined", "withheld"]
    among = {
        row["Statistic"]: (row["Value"], row["Interval"]) for row in sheet(found, "statistics")
    }
    assert among["Samples: prevalence"] == ("0.3", "0.22 to 0.4")
    assert not any("lower" in one for one in among)
