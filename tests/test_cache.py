"""Files are whole or not there."""

import errno
import os
from pathlib import Path

import pytest

from meldlab.cache import replace_file
from meldlab.errors import NotPossible


def test_what_was_there_stays_until_the_new_file_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "answer"
    path.write_bytes(b"old")

    def half() -> None:
        with replace_file(path) as file:
            file.write(b"ne")
            assert path.read_bytes() == b"old"
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert path.read_bytes() == b"old"
    with replace_file(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert [each.name for each in tmp_path.iterdir()] == ["answer"]


def test_others_may_read_what_the_mask_allows(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        with replace_file(tmp_path / "shared") as file:
            file.write(b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "shared").stat().st_mode & 0o777 == 0o640


def test_a_link_still_points_where_it_did(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with replace_file(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with replace_file(pipe) as file:
        file.write(b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert pipe.is_fifo()


def test_a_pipe_without_a_name_is_written_to() -> None:
    reader, writer = os.pipe()
    # Such as /dev/stdout of a command whose output another one reads.
    with replace_file(Path(f"/dev/fd/{writer}")) as file:
        file.write(b"through")
    os.close(writer)
    assert os.read(reader, 100) == b"through"
    os.close(reader)


@pytest.mark.parametrize("name", ["no/such/folder", "file/below", "folder"])
def test_what_cannot_be_written_is_named_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    with pytest.raises(NotPossible, match=rf"{name} cannot be written: \w+"), replace_file(tmp_path / name) as file:
        file.write(b"x")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]


def test_only_what_cannot_be_written_is_called_so(tmp_path: Path) -> None:
    def stumble() -> None:
        with replace_file(tmp_path / "answer"):
            (tmp_path / "missing").read_bytes()

    with pytest.raises(FileNotFoundError, match="missing"):
        stumble()
    assert not list(tmp_path.iterdir())

    def fill() -> None:
        with replace_file(tmp_path / "answer"):
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(NotPossible, match="answer cannot be written: No space left"):
        fill()
