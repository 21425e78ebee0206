"""Imports written for version 0.1.0 fail with one line that names the new place."""

from __future__ import annotations

from importlib import import_module

import pytest

from genoku.runtime.moved import RENAMED, ROOMS


@pytest.mark.parametrize("old", RENAMED)
def test_a_renamed_name_fails_with_its_new_name(old: str) -> None:
    package, _, name = old.rpartition(".")
    with pytest.raises(ImportError) as raised:
        exec(f"from {package} import {name}")
    assert str(raised.value) == f"{old} is now {RENAMED[old]}"


@pytest.mark.parametrize("new", RENAMED.values())
def test_every_new_name_is_exported(new: str) -> None:
    package, _, name = new.rpartition(".")
    assert name in import_module(package).__all__
    assert hasattr(import_module(package), name)


@pytest.mark.parametrize(
    ("package", "old"), [(room, old) for room, olds in ROOMS.items() for old in olds.split()]
)
def test_an_old_module_fails_with_its_new_package(package: str, old: str) -> None:
    with pytest.raises(ModuleNotFoundError) as raised:
        import_module(f"genoku.{old}")
    assert raised.value.name == f"genoku.{old}"
    assert package in str(raised.value)
    import_module(package)


def test_other_unknown_names_fail_as_usual() -> None:
    with pytest.raises(ModuleNotFoundError) as raised:
        import_module("genoku.nothing")
    assert not any(package in str(raised.value) for package in ROOMS)
    with pytest.raises(AttributeError):
        import_module("genoku").nothing  # noqa: B018
