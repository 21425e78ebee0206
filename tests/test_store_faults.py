"""Files of results that are none, damaged, newer, or may not be written."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from patience import PATIENCE
from stores import altered, filled, outcomes, rows_of, small

from genoku.errors import GenokuError, StoreError, StudyError
from genoku.lab.store import SCHEMA, Store

NO_CHECKSUM = "DELETE FROM meta WHERE name='study_checksum'"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "small.db"


@pytest.fixture
def full(path: Path) -> Iterator[Store]:
    with filled(path, small()) as store:
        yield store


def test_a_missing_file_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        Store.open(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(StoreError):
        Store.create(tmp_path / "no" / "folder.db", small())
    for use in (Store.open, lambda path: Store.create(path, small())):
        with pytest.raises(StoreError):
            use(tmp_path)


@pytest.mark.parametrize(
    "content", [b"[study]\n", b"SQLite format 3\0" + b"x" * 5000, b"\0" * 4096]
)
def test_another_file_is_no_store_and_stays_as_it_is(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for use in (Store.open, lambda path: Store.create(path, small())):
        with pytest.raises(StoreError):
            use(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "put",
    [
        "json_set(value, '$.instances[0].box', json('[2, 2]'))",
        "json_set(value, '$.instances[0].puzzle', 7)",
        "json_set(value, '$.arms[0].until', json('[]'))",
        "json_set(value, '$.seeds', json('[\"1\"]'))",
        "json_set(value, '$.record.fields', 5)",
        f"'{'[' * 100_000}'",
    ],
)
def test_a_study_that_makes_no_sense_is_refused(path: Path, put: str) -> None:
    filled(path, small()).close()
    altered(path, f"UPDATE meta SET value={put} WHERE name='study'", NO_CHECKSUM)
    with pytest.raises(GenokuError):
        Store.open(path)


def test_another_database_is_no_store_and_stays_as_it_is(path: Path) -> None:
    altered(path, "CREATE TABLE mine (what)")
    before = path.read_bytes()
    for use in (Store.open, lambda path: Store.create(path, small())):
        with pytest.raises(StoreError):
            use(path)
    assert path.read_bytes() == before


def test_an_empty_file_has_no_results_yet(path: Path) -> None:
    path.touch()
    with pytest.raises(StoreError):
        Store.open(path)


def test_a_store_of_a_newer_version_is_left_to_a_newer_genoku(path: Path) -> None:
    filled(path, small()).close()
    altered(
        path, f"PRAGMA user_version={SCHEMA + 1}", "UPDATE meta SET value='9.9' WHERE name='genoku'"
    )
    for use in (Store.open, lambda path: Store.create(path, small())):
        with pytest.raises(StoreError):
            use(path)


def test_a_study_with_other_results_is_read_and_not_mixed_with_ours(path: Path) -> None:
    filled(path, small()).close()
    altered(
        path,
        """UPDATE meta SET value=json_set(value, '$.results_version', 2) WHERE name='study'""",
        NO_CHECKSUM,
    )
    with Store.open(path) as store:
        assert list(store.rows()) == rows_of(outcomes(small()))
        old = store.study
    uses: list[Callable[[], Store]] = [
        lambda: Store.open(path, writing=True),
        lambda: Store.create(path, small()),
        lambda: Store.create(path, old),
    ]
    for use in uses:
        with pytest.raises(StudyError):
            use()


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM meta",
        "UPDATE meta SET value='{' WHERE name='study'",
        "UPDATE meta SET value='{}' WHERE name='study'",
        "UPDATE meta SET value='7' WHERE name='study'",
        "UPDATE arms SET digest=digest || 'x'",
        "DROP TABLE meta",
        "DROP TABLE instances",
    ],
)
def test_a_store_without_a_study_is_damaged(path: Path, damage: str) -> None:
    filled(path, small()).close()
    altered(path, "PRAGMA foreign_keys=OFF", damage)
    with pytest.raises(StoreError):
        Store.open(path)


@pytest.mark.parametrize(
    "damage",
    [
        *(
            f"UPDATE runs SET {name}={value} WHERE rowid=3"
            for name, value in {
                "key": "randomblob(16)",
                "arm": "3 - arm",
                "instance": "3 - instance",
                "seed": "seed + 1000",
                "solved": "1 - solved",
                "cost": "cost + 1",
                "final_cost": "final_cost + 1",
                "score": "score + 0.5",
                "loss": "loss + 0.001",
                "steps": "steps + 1",
                "evaluations": "evaluations + 1",
                "moves": "moves + 1",
                "seconds": "seconds * 1.001",
                "cpu_seconds": "cpu_seconds * 1.001",
                "stop_reason": "stop_reason || ' '",
            }.items()
        ),
        "UPDATE checksums SET run='00000000' WHERE key=(SELECT key FROM runs WHERE rowid=3)",
        "DROP TRIGGER forget_checksum; DELETE FROM runs WHERE rowid=3",
    ],
)
def test_no_figure_is_made_of_a_number_that_nobody_wrote(path: Path, damage: str) -> None:
    filled(path, small()).close()
    altered(path, *damage.split(";"))
    with Store.open(path) as store, pytest.raises(StoreError):
        store.results()


def test_a_damaged_board_is_not_shown(path: Path) -> None:
    filled(path, small()).close()
    altered(path, "UPDATE runs SET board=zeroblob(length(board)) WHERE rowid=3")
    with Store.open(path) as store, pytest.raises(StoreError):
        list(store.rows())


def test_a_study_of_other_names_than_were_written_is_damaged(path: Path) -> None:
    filled(path, small()).close()
    altered(path, "UPDATE meta SET value=replace(value, 'genetic', 'generic') WHERE name='study'")
    with pytest.raises(StoreError):
        Store.open(path)


def test_what_was_deleted_on_purpose_is_run_again(path: Path) -> None:
    filled(path, small()).close()
    altered(path, "DELETE FROM runs WHERE seed=1")
    with Store.open(path, writing=True) as store:
        assert len(store.results()) == 8
        store.add(each._replace(cpu_seconds=9.0) for each in rows_of(outcomes(small())))
        assert sorted(store.results().cpu_seconds.tolist())[-4:] == [9.0] * 4


def test_a_store_without_checksums_is_read_and_written_as_before(path: Path) -> None:
    study = small()
    Store.create(path, study).close()
    altered(path, "DROP TRIGGER forget_checksum", "DROP TABLE checksums", NO_CHECKSUM)
    with Store.open(path, writing=True) as store:
        store.add(outcomes(study))
        assert list(store.rows()) == rows_of(outcomes(study))
        assert len(store.results()) == 12


def test_a_damaged_history_is_named_by_its_run(path: Path) -> None:
    filled(path, small()).close()
    altered(path, "UPDATE runs SET history=x'00' WHERE rowid=3")
    with Store.open(path) as store:
        key = list(store.rows())[2].key.hex()
        with pytest.raises(StoreError, match=key):
            list(store.histories())


@pytest.mark.parametrize("page", range(1, 11))
def test_damaged_pages_are_said_in_one_line(path: Path, page: int) -> None:
    filled(path, small()).close()
    content = bytearray(path.read_bytes())
    assert len(content) >= (page + 1) * 4096
    content[page * 4096 : page * 4096 + 1500] = b"\xff" * 1500
    path.write_bytes(content)
    with pytest.raises((StoreError, StudyError)) as caught, Store.open(path) as store:  # noqa: PT012
        store.check()
        list(store.histories())
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == bytes(content)


def test_a_file_that_was_cut_short_is_damaged(path: Path) -> None:
    filled(path, small()).close()
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 2 * 4096)
    with pytest.raises(StoreError), Store.open(path) as store:
        store.check()


# -- what is in the way of writing --


def test_a_full_disk_loses_nothing(path: Path) -> None:
    study = small()
    kept = rows_of(outcomes(study))
    with Store.create(path, study) as store:
        store.add(kept[:3])
        (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
        store._connection.execute(f"PRAGMA max_page_count={pages}")
        big = [row._replace(history=os.urandom(60_000)) for row in kept[3:]]
        with pytest.raises(StoreError, match=f"{path.name}: .*full"):
            store.add(big)
        assert list(store.rows()) == kept[:3]
        store._connection.execute("PRAGMA max_page_count=1000000")
        store.add(kept)
        assert list(store.rows()) == kept


def as_nobody(program: str) -> str:
    """What a program prints that may write only what everybody may."""
    drop = "import os\nif os.getuid() == 0:\n    os.setgid(65534)\n    os.setuid(65534)\n"
    done = subprocess.run(
        [sys.executable, "-c", "import genoku.lab.store, urllib.parse\n" + drop + program],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


TRY = """
from pathlib import Path
from genoku.errors import StoreError
from genoku.lab.store import Store
path = Path({path!r})
try:
    with Store.open(path) as store:
        print(len(store.results()))
except StoreError as error:
    print(error)
try:
    with Store.open(path, writing=True) as store:
        rows = list(store.rows())
        store.add([rows[0]._replace(key=b"new")])
        print("written")
except StoreError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of another kind")
@pytest.mark.parametrize(("file", "folder"), [(0o444, 0o755), (0o444, 0o777), (0o666, 0o555)])
def test_what_may_not_be_written_is_read_all_the_same(file: int, folder: int) -> None:
    with TemporaryDirectory() as name:  # pytest's own is closed to others
        inside, path = Path(name), Path(name) / "small.db"
        filled(path, small()).close()
        path.chmod(file)
        inside.chmod(folder)
        read, written = as_nobody(TRY.format(path=str(path))).splitlines()
        inside.chmod(0o755)
        assert read == str(len(small()))
        assert written.startswith(f"{path}: ")
        with Store.open(path) as store:
            assert len(store.done()) == len(small())


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of another kind")
def test_a_folder_that_may_not_be_entered_is_said_in_one_line() -> None:
    with TemporaryDirectory() as name:
        Path(name).chmod(0o700)
        closed = Path(name) if os.getuid() == 0 else Path("/root")
        path = closed / "small.db"
        read, written = as_nobody(TRY.format(path=str(path))).splitlines()
        assert read == written == f"{path}: Permission denied"
