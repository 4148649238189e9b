"""Long work of the studio: analyses and comparisons, whose games are stored as they are played."""

from collections.abc import Mapping
from typing import Any

from meldlab.analysis.comparison import Comparison
from meldlab.analysis.page import analysis_page
from meldlab.analysis.playing import Forecast
from meldlab.analysis.study import Analysis, StudyConfig
from meldlab.analysis.study import analyse as study
from meldlab.analysis.variant import Variant
from meldlab.errors import NotLegalHere
from meldlab.formatting import time_text
from meldlab.parallel import Progress
from meldlab.recycle.game import RecycleGame
from meldlab.runs.store import Run, Store
from meldlab.web.descriptions import Texts

INSIDE = "inside.html.jinja"  # the house's page without its head


def analyse(run: Run, settings: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return the picture of a game: findings, and the page to stand inside another."""
    (analysis,) = _studied(run.store, settings, progress)
    return {
        "findings": analysis.as_json(),
        "title": analysis.variant.title,
        "inside": analysis_page(analysis, INSIDE, without=("code", "data")),
        "tables": analysis.tables,
    }


def compare(run: Run, settings: Mapping[str, Any], progress: Progress) -> dict[str, Any]:
    """Return games side by side."""
    comparison = Comparison(_studied(run.store, settings, progress))
    title = " and ".join(comparison.names)
    return {"findings": comparison.as_json(), "title": title, "inside": comparison.page(INSIDE)}


def _studied(store: Store, settings: Mapping[str, Any], progress: Progress) -> list[Analysis]:
    subjects = settings["subjects"]
    config = StudyConfig.from_options(quick=True, **{name: value for name, value in settings.items() if name != "subjects"})
    texts = Texts(store)
    result = []
    for number, subject_settings in enumerate(subjects):
        description = texts.find(subject_settings["text"])
        variant = Variant(RecycleGame(description.id, description.text), subject_settings["settings"])
        study_progress = _StudyProgress(progress, variant.title, number, len(subjects))
        progress(number, len(subjects), f"{variant.title}: random games first")
        result.append(study(variant, config, store, jobs=1, progress=study_progress, on_forecast=study_progress.on_forecast))
    progress(len(subjects), len(subjects), "drawing")
    return result


class _StudyProgress:
    """Tells how far one of several studies is."""

    def __init__(self, progress: Progress, title: str, before: int, all: int) -> None:
        self.progress, self.title, self.before, self.all = progress, title, before, all
        self.expected = ""

    def __call__(self, done: float, whole: float, message: str) -> None:
        part = done / max(1, whole)
        self.progress(self.before + part, self.all, f"{self.title}: {done:.0f} of {whole:.0f} games of searching players{self.expected}")

    def on_forecast(self, forecast: Forecast) -> None:
        """Say how long it will take; where none of the random games went by its rules, stop."""
        random = forecast.random
        if random.failed == random.games:
            why = next(iter(random.reasons), "none came to an end")
            raise NotLegalHere(f"every random game failed: {why}")
        if forecast.seconds > 1:
            self.expected = f"; all of them take about {time_text(forecast.seconds)}"
