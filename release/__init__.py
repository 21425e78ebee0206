"""Release checks: `python3 run.py release [CHECK ...]`.

A check is a module of this folder with `main(arguments) -> int`, its exit code, which ends by
calling `release.judging.record`: a line on the screen and a row in docs/release.md.
"""

CHECKS = {
    "packages": "the wheel and the sdist, installed in an empty environment",
    "extras": "every extra alone",
    "minimum": "the suite with the lowest versions that pyproject.toml admits",
    "pythons": "the suite on Python 3.12 and 3.13",
    "long": "the tests that take long: more fuzz, more kills",
    "nojit": "the suite with the kernels as plain Python",
    "bounds": "the suite with every index of the kernels checked",
    "mutation": "faults put into the code, which the tests must find",
    "coverage": "how often intervals of the expected running time hold the true one",
    "fresh": "a clean clone, and the two commands of the README",
}
"""Every check, by the module it lives in, and what it looks at."""
