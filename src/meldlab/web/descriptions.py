"""Descriptions that an address can name: games of the library by their names, others by a digest of their text, in the store."""

import hashlib
import time
from dataclasses import dataclass
from functools import cache

import sqlalchemy as sa

from meldlab.errors import NoSuchThing
from meldlab.recycle import library
from meldlab.recycle.language.header import Header
from meldlab.runs.store import Store
from meldlab.web.repository import TABLES

LONGEST = 65_536  # characters of a text that is taken at all; the language has its own bound below
MOST = 2_000  # stored texts; beyond them the one unused for longest is deleted
DIGITS = 20
BEGINNING = "new"  # what an address calls a small game to begin with
TEXTS = sa.Table(
    "texts",
    TABLES,
    sa.Column("id", sa.String(DIGITS), primary_key=True),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("used", sa.Double, nullable=False, index=True),
)


@dataclass(frozen=True)
class Description:
    """A text with what an address calls it."""

    id: str
    text: str

    @property
    def title(self) -> str:
        """Return the name for people: that of its first comment."""
        return Header.parse(self.text[:2000]).title[:80] or "A game without a name"


def read_text(text: str) -> str:
    """Return a text as it came from a form, with the ends of lines of this house and without what no store can hold.

    >>> read_text("(game\\r\\n)")
    '(game\\n)'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", " ").encode("utf-8", "replace").decode()


@cache
def _own() -> dict[str, str]:
    """Return the names of the texts that need not be stored."""
    return {library.template("My game"): BEGINNING, **{library.entry(name).text: name for name in library.names()}}


class Texts:
    """The texts of a store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def keep(self, text: str) -> Description:
        """Keep a text, and return it with its name; the same text has the same name."""
        if text in _own():
            return Description(_own()[text], text)
        stored = Description(hashlib.sha256(text.encode()).hexdigest()[:DIGITS], text)
        with self.store.writing() as connection:
            touched = connection.execute(TEXTS.update().where(TEXTS.c.id == stored.id).values(used=time.time()))
            if not touched.rowcount:
                connection.execute(TEXTS.insert().values(id=stored.id, text=text, used=time.time()))
                count = connection.execute(sa.select(sa.func.count()).select_from(TEXTS)).scalar_one()
                if count > MOST:
                    oldest = sa.select(TEXTS.c.id).order_by(TEXTS.c.used).limit(count - MOST)
                    connection.execute(TEXTS.delete().where(TEXTS.c.id.in_(oldest)))
        return stored

    def find(self, id: str) -> Description:
        """Return the text of a name."""
        if id == BEGINNING or id in library.names():
            return Description(id, library.entry(id).text if id != BEGINNING else library.template("My game"))
        with self.store.reading() as connection:
            row = connection.execute(sa.select(TEXTS.c.text).where(TEXTS.c.id == id)).one_or_none()
        if row is None:
            raise NoSuchThing("text", id[:40], [])
        return Description(id, row.text)
