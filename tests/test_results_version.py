"""The number that says which runs may be mixed is raised when runs change, and only then."""

from __future__ import annotations

import pytest
from recorded_results import current, recorded

from genoku.runtime.jit import JIT_IS_ON


@pytest.mark.skipif(not JIT_IS_ON, reason="whole runs take minutes where nothing is compiled")
def test_runs_are_those_that_were_recorded_for_this_results_version() -> None:
    assert current() == recorded(), (
        "Runs have changed. If that is wanted, raise genoku.RESULTS_VERSION, and record them anew: "
        "python tests/recorded_results.py --write"
    )
