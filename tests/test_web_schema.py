"""Whatever is asked of the API, it answers as its own description says, and never with a 5xx.

Requests are made up from the description by schemathesis: right ones, and wrong ones of all kinds.
`GENOKU_REQUESTS` is how many, about (`python3 run.py bench web fuzz`).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, Phase, given, settings, strategies as st
from patience import PATIENCE
from slow_imports import Lazy
from web_server import EASY, HARD, Served, served

from genoku.web.app import create_app
from genoku.web.limits import Limits

schemathesis = Lazy("schemathesis")
checks = Lazy("schemathesis.checks")
result = Lazy("schemathesis.core.result")
REQUESTS = int(os.environ.get("GENOKU_REQUESTS", "400"))
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)
SMALL = Limits(
    live_workers=1,
    job_workers=1,
    sessions=20,
    run_seconds=0.2,
    answer_seconds=10.0,
    population_cells=20_000,
    grace=5.0,
    study_runs=4,
)
"""So that no request starts heavy work."""


LONG = "POST /api/reports/{number}/reproduction"


@cache
def description() -> dict[str, Any]:
    return create_app(Path("nowhere"), SMALL).openapi()


def labels() -> list[str]:
    """Everything that can be asked, but for streams, which do not end.

    Reproductions, which go on for hours, are not begun.
    """
    paths = description()["paths"].items()
    found = [f"{method.upper()} {path}" for path, methods in paths for method in methods]
    skipped = ("GET /api/runs/{id}/events", "GET /api/races/{id}/events", LONG)
    return [label for label in found if label not in skipped]


@cache
def operations() -> dict[str, Any]:
    """Everything that can be asked, as schemathesis reads it."""
    every = schemathesis.openapi.from_dict(description()).get_all_operations()
    return {each.ok().label: each.ok() for each in every if isinstance(each, result.Ok)}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("schema"), SMALL) as running:
        yield running


RIGHT: dict[str, Any] = {
    "puzzle": EASY,
    "text": EASY,
    "preset": "simon",
    "recipe": None,
    "settings": {"population": 20},
    "until": "seconds=0.1",
    "lanes": [{"preset": "simon"}, {"preset": "champion"}],
}
"""What a generator does not come upon by itself."""


@contextmanager
def something(server: Served, path: str) -> Iterator[str]:
    """What there is to ask about, where a path asks for it; it is all gone after a test."""
    plan: dict[str, Any] = {"puzzle": HARD, "preset": "simon", "paused": True}
    race: dict[str, Any] = {"puzzle": HARD, "lanes": RIGHT["lanes"]}
    found = "simon" if path.startswith("/api/presets/{") else ""
    for kind, asked in (("runs", plan), ("races", race)):
        if path.startswith(f"/api/{kind}/{{"):
            answer = requests.post(f"{server.url}/api/{kind}", json=asked, timeout=PATIENCE)
            assert answer.status_code == 200, answer.text
            found = answer.json()["id"]
    yield found
    for kind in ("runs", "races"):
        for identity in list(server.app.state.services.sessions._sessions):
            requests.delete(f"{server.url}/api/{kind}/{identity}", timeout=PATIENCE)


def made_right(case: Any, name: str, chosen: set[str]) -> None:
    """Put what there is in the place of some of what was made up."""
    if name and "path" in chosen:
        case.path_parameters["name" if name == "simon" else "id"] = name
    if isinstance(case.body, dict):
        case.body.update({key: RIGHT[key] for key in chosen & RIGHT.keys() & case.body.keys()})


@pytest.mark.parametrize("label", labels())
def test_any_request_is_answered_as_described(server: Served, label: str) -> None:
    operation = operations()[label]
    seen: Counter[int] = Counter()
    right = operation.as_strategy(generation_mode=schemathesis.GenerationMode.POSITIVE)
    wrong = operation.as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE)
    session = requests.Session()

    @settings(
        max_examples=max(5, REQUESTS // len(labels())),
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(case=right | wrong, chosen=st.sets(st.sampled_from([*RIGHT, "path"])))
    def answered(case: Any, chosen: set[str]) -> None:
        made_right(case, name, chosen)
        response = case.call(base_url=server.url, session=session, timeout=PATIENCE)
        seen[response.status_code] += 1
        case.validate_response(response, checks=[getattr(checks, name) for name in CHECKS])

    with session, something(server, operation.path) as name:
        answered()
    print(label, dict(sorted(seen.items())))


def test_the_description_says_what_everything_is() -> None:
    described = create_app(Path("nowhere"), SMALL).openapi()
    names = []
    for path, each in described["paths"].items():
        for operation in each.values():
            assert operation["summary"], path
            assert operation["description"], path
            assert {"4XX", "5XX"} <= set(operation["responses"])
            names.append(operation["operationId"])
    assert len(names) == len(set(names))
    assert all(name.replace("_", "").isalpha() for name in names)


def numbers(schema: Any, tables: dict[str, Any], place: str) -> Iterator[tuple[str, Any]]:
    """Every number that a schema lets in, and where it stands."""
    if "$ref" in schema:
        schema = tables[schema["$ref"].rpartition("/")[2]]
    if schema.get("type") in ("number", "integer"):
        yield place, schema
    for each in (*schema.get("anyOf", ()), *filter(None, [schema.get("items")])):
        yield from numbers(each, tables, place)
    for name, each in schema.get("properties", {}).items():
        yield from numbers(each, tables, f"{place}.{name}")


def test_every_number_of_a_request_has_its_limits_in_the_description() -> None:
    described = create_app(Path("nowhere"), SMALL).openapi()
    tables = described["components"]["schemas"]
    found: list[tuple[str, Any]] = []
    for path, each in described["paths"].items():
        for method, operation in each.items():
            place = f"{method} {path}"
            for asked in operation.get("parameters", []):
                found += numbers(asked["schema"], tables, f"{place} {asked['name']}")
            for body in operation.get("requestBody", {}).get("content", {}).values():
                found += numbers(body["schema"], tables, place)
    assert len(found) > 15
    unbounded = [
        place
        for place, each in found
        if not ("minimum" in each and {"maximum", "exclusiveMaximum"} & each.keys())
    ]
    assert not unbounded
