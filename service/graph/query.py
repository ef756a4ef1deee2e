"""Named queries: one file each under `cypher/`, loaded once, checked against its header, run by a gateway.

    read_link = query("event/read_link")
    row = await read_link.one(tx, tenant_id=…, branch_ref=…, seq=…)

The folder stands beside the package: the service runs from a checkout, where both lie.

Many rows travel as one record. The driver spends more than 0.1 ms on every record it receives and a tenth of
that on the same row inside a list, so the last RETURN of such a query is sent as WITH … RETURN collect([…]).
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from neo4j import AsyncResult
from neo4j.time import DateTime

from service.graph.driver import Transaction
from service.graph.header import Header, HeaderError, Rows, body, check_text, in_one_record, parse_header

CYPHER_FOLDER: Final = Path(__file__).resolve().parents[2] / "cypher"

Row = dict[str, Any]
ROWS_MAX: Final = 1_000_000
"""More rows than any query of the house may answer; each has a LIMIT of its own, far below."""


class Query:
    """One query of the house. Parameters are exactly the declared ones; a TypeError says which are not.

    Columns declared `datetime` come back as aware UTC datetimes; everything else as the driver has it.
    """

    __slots__ = ("_columns", "_packed", "_params", "_times", "header", "name", "statement", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        try:
            self.header: Header = parse_header(text)
            check_text(self.header, text)
        except HeaderError as error:
            raise HeaderError(f"cypher/{name}.cypher: {error}") from None
        self._params = frozenset(self.header.params)
        self._columns = tuple(self.header.returns)
        sent = body(text)
        self.statement = in_one_record(sent, self._columns) if self.header.rows == "many" else sent
        """What is sent: the text without its header."""
        self._packed = self.statement != sent
        self._times = {
            column: _utc_list if kind.startswith("list") else _utc
            for column, kind in self.header.returns.items()
            if "datetime" in kind
        }

    async def many(self, tx: Transaction, **params: Any) -> list[Row]:
        """Every row, in the query's order."""
        return await (await self.start(tx, **params)).rows()

    async def start(self, tx: Transaction, **params: Any) -> Started:
        """Ask for every row and do not wait for them: the database answers the next query meanwhile."""
        return Started(self, await self._run(tx, "many", params))

    async def one(self, tx: Transaction, **params: Any) -> Row | None:
        """The row, or None; a second row breaks the query's promise and raises a RuntimeError."""
        result = await self._run(tx, "one", params)
        rows = self._rows(await result.fetch(2))
        if len(rows) > 1:
            raise RuntimeError(f"{self.name} promised one row and gave more")
        return rows[0] if rows else None

    async def sole(self, tx: Transaction, **params: Any) -> Row:
        """The row of a query that answers one whatever there is."""
        row = await self.one(tx, **params)
        assert row is not None, f"{self.name} answers one row whatever there is"
        return row

    async def none(self, tx: Transaction, **params: Any) -> None:
        """Run for the effect."""
        result = await self._run(tx, "none", params)
        await result.consume()

    async def _run(self, tx: Transaction, rows: Rows, params: dict[str, Any]) -> AsyncResult:
        if params.keys() != self._params:
            odd = ", ".join(sorted(params.keys() ^ self._params))
            raise TypeError(f"{self.name}: parameters missing or not declared: {odd}")
        if rows != self.header.rows:
            raise TypeError(f"{self.name} answers with ({self.header.rows}), not ({rows})")
        return await tx.run(self.statement, params)

    async def _fetched(self, result: AsyncResult) -> list[Row]:
        records = await result.fetch(ROWS_MAX)
        return self._rows(records[0][0] if self._packed else records)

    def _rows(self, records: Iterable[Iterable[Any]]) -> list[Row]:
        columns = self._columns
        rows = [dict(zip(columns, record, strict=True)) for record in records]
        for column, convert in self._times.items():
            for row in rows:
                row[column] = convert(row[column])
        return rows


class Started:
    """A query that was sent, within its transaction."""

    __slots__ = ("_query", "_result")

    def __init__(self, query: Query, result: AsyncResult) -> None:
        self._query = query
        self._result = result

    async def rows(self) -> list[Row]:
        """Every row, in the query's order."""
        return await self._query._fetched(self._result)


@cache
def query(name: str) -> Query:
    """The query `cypher/<name>.cypher`, where name is `<noun>/<verb>_<what>`."""
    return Query(name, (CYPHER_FOLDER / f"{name}.cypher").read_text(encoding="utf-8"))


def _utc(value: DateTime | None) -> datetime | None:
    return None if value is None else value.to_native().astimezone(UTC)


def _utc_list(values: list[DateTime | None] | None) -> list[datetime | None] | None:
    return None if values is None else [_utc(value) for value in values]
