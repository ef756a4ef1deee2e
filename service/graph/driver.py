"""The connection to Neo4j: one `Graph` per process and event loop, units of work in, plain results out.

A unit of work is an async function of a transaction. It may run more than once (the driver retries what is
transient), so it must have no effect outside its transaction. Errors leave as those of service.errors; the
database's own messages, which can quote values, do not leave.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Final, TypeVar

from neo4j import (
    AsyncDriver,
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncSession,
    AsyncTransaction,
    Bookmarks,
    NotificationMinimumSeverity,
    unit_of_work,
)
from neo4j.exceptions import (
    AuthError,
    ConstraintError,
    DriverError,
    IncompleteCommit,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from service.errors import (
    ConstraintBroken,
    InvalidRequest,
    OutcomeUnknown,
    RuntimeGraphError,
    Unavailable,
)
from service.graph.begun_writes import note_begun
from service.graph.schema import constraint_named_in

Result = TypeVar("Result")
Transaction = AsyncManagedTransaction | AsyncTransaction
"""What a unit of work is given; outside this room nobody needs the driver's own names."""
Work = Callable[[Transaction], Awaitable[Result]]

ACQUISITION_TIMEOUT_S: Final = 5.0
CONNECTION_LIFETIME_S: Final = 300.0
LIVENESS_CHECK_S: Final = 60.0
RETRY_S: Final = 10.0
UNIT_TIMEOUT_S: Final = 30.0
BOOKMARKS_TIMEOUT_S: Final = 5.0
"""How long a unit may wait for the state that its bookmarks stand for, the connection included."""
FETCH_ROWS: Final = 5000
"""Rows per round trip of a result: an assembly's candidates come in one."""
POOL_CONNECTIONS_MAX: Final = 50
CLOSE_TIMEOUT_S: Final = 10.0
REST_SHARE: Final = 1.0
"""How long an unhurried unit rests, as a share of what it took."""
REST_MAX_S: Final = 1.0
SERVING_S: Final = 1.0
"""How long after their last unit others count as being served."""

STATE_NOT_REACHED: Final = (
    "The graph did not reach the state that the Consistency-Token stands for: try again, or leave it out."
)

_unhurried: ContextVar[bool] = ContextVar("unhurried", default=False)

_log = logging.getLogger(__name__)
logging.getLogger("neo4j").setLevel(
    logging.CRITICAL
)  # it logs the database's messages, which can quote values


class Graph:
    """One database of one Neo4j server or cluster. Close it, or use it as an async context manager."""

    def __init__(self, uri: str, user: str, password: str, database: str = "neo4j") -> None:
        """`uri` is bolt://host:port for one server, neo4j:// (or neo4j+s://) for a cluster or Aura."""
        self._driver: AsyncDriver = AsyncGraphDatabase.driver(
            uri,
            auth=(user, password),
            connection_acquisition_timeout=ACQUISITION_TIMEOUT_S,
            max_connection_lifetime=CONNECTION_LIFETIME_S,
            max_connection_pool_size=POOL_CONNECTIONS_MAX,
            liveness_check_timeout=LIVENESS_CHECK_S,
            max_transaction_retry_time=RETRY_S,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
            telemetry_disabled=True,
        )
        self._database = database
        self._writes: set[asyncio.Task[object]] = set()
        self.used_at = -math.inf
        """When the last unit began that somebody waits for, by the event loop's time."""

    async def __aenter__(self) -> Graph:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let writes that are under way finish (bounded), then give back the connections."""
        if self._writes:
            await asyncio.wait(self._writes, timeout=CLOSE_TIMEOUT_S)
        await self._driver.close()

    async def ping(self) -> None:
        """Ask for a sign of life. Raises Unavailable."""
        try:
            async with asyncio.timeout(ACQUISITION_TIMEOUT_S):
                await self._driver.execute_query("RETURN 1", database_=self._database)
        except (TimeoutError, DriverError, Neo4jError):
            raise Unavailable from None

    async def read(
        self,
        work: Work[Result],
        bookmarks: Sequence[str] | None = None,
        timeout_s: float = UNIT_TIMEOUT_S,
    ) -> Result:
        """Run a reading unit of work on a state that has all that `bookmarks` stand for.

        Raises Unavailable when the graph does not answer in time, or does not reach that state within
        BOOKMARKS_TIMEOUT_S.
        """
        waiting = bool(bookmarks)
        self._note_use()
        end = asyncio.get_running_loop().time() + timeout_s

        @unit_of_work(timeout=timeout_s)
        async def attempt(tx: Transaction) -> Result:
            nonlocal waiting
            waiting = False
            limit.reschedule(end)
            return await work(tx)

        try:
            first_s = min(timeout_s, BOOKMARKS_TIMEOUT_S) if waiting else timeout_s
            async with asyncio.timeout(first_s) as limit, self._session(bookmarks) as session:
                return await session.execute_read(attempt)
        except TimeoutError:
            raise Unavailable(STATE_NOT_REACHED if waiting else "") from None
        except (DriverError, Neo4jError) as error:
            raise _ours(error) from None

    async def write(
        self,
        work: Work[Result],
        bookmarks: Sequence[str] | None = None,
        timeout_s: float = UNIT_TIMEOUT_S,
    ) -> tuple[Result, list[str]]:
        """Run a writing unit of work to its end, also when the caller is cancelled meanwhile.

        Answers the result, and the bookmarks with which a later read sees it. Raises ConstraintBroken,
        Unavailable (nothing was written) or OutcomeUnknown (connection or time ended during the commit).
        """
        self._note_use()
        unit = asyncio.create_task(self._write(work, bookmarks, timeout_s))
        self._writes.add(unit)
        note_begun(unit)
        unit.add_done_callback(self._settled)
        return await asyncio.shield(unit)

    async def _write(
        self, work: Work[Result], bookmarks: Sequence[str] | None, timeout_s: float
    ) -> tuple[Result, list[str]]:
        committing = False

        @unit_of_work(timeout=timeout_s)
        async def attempt(tx: Transaction) -> Result:
            nonlocal committing
            committing = False
            result = await work(tx)
            committing = True
            return result

        try:
            async with asyncio.timeout(timeout_s), self._session(bookmarks) as session:
                result = await session.execute_write(attempt)
                return result, sorted((await session.last_bookmarks()).raw_values)
        except TimeoutError:
            raise (OutcomeUnknown if committing else Unavailable) from None
        except (DriverError, Neo4jError) as error:
            raise _ours(error) from None

    def _note_use(self) -> None:
        if not _unhurried.get():
            self.used_at = asyncio.get_running_loop().time()

    def _session(self, bookmarks: Sequence[str] | None) -> AsyncSession:
        return self._driver.session(
            database=self._database,
            bookmarks=Bookmarks.from_raw_values(bookmarks) if bookmarks else None,
            fetch_size=FETCH_ROWS,
        )

    def _settled(self, unit: asyncio.Task[object]) -> None:
        """Forget a finished write; its error, if nobody waits for it any more, is noted by its code."""
        self._writes.discard(unit)
        error = None if unit.cancelled() else unit.exception()
        if error is not None:
            _log.debug("a write ended with %s", type(error).__name__)


class UnhurriedGraph(Graph):
    """The same database, for what nobody waits for: after each unit it rests, while others are served."""

    def __init__(self, others: Graph) -> None:
        """Over the graph by which this process serves others, who closes it."""
        self._others = others

    async def read(
        self,
        work: Work[Result],
        bookmarks: Sequence[str] | None = None,
        timeout_s: float = UNIT_TIMEOUT_S,
    ) -> Result:
        """As ever, then rest."""
        async with self._resting():
            return await self._others.read(work, bookmarks, timeout_s)

    async def write(
        self,
        work: Work[Result],
        bookmarks: Sequence[str] | None = None,
        timeout_s: float = UNIT_TIMEOUT_S,
    ) -> tuple[Result, list[str]]:
        """As ever, then rest."""
        async with self._resting():
            return await self._others.write(work, bookmarks, timeout_s)

    async def ping(self) -> None:
        """Ask for a sign of life. Raises Unavailable."""
        await self._others.ping()

    async def close(self) -> None:
        """Nothing: the connections are not its own."""

    @asynccontextmanager
    async def _resting(self) -> AsyncIterator[None]:
        now = asyncio.get_running_loop().time
        began, token = now(), _unhurried.set(True)
        try:
            yield
        finally:
            _unhurried.reset(token)
        ended = now()
        if ended - self._others.used_at < SERVING_S:
            await self._rest(min(REST_MAX_S, REST_SHARE * (ended - began)))

    async def _rest(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def _ours(error: DriverError | Neo4jError) -> RuntimeGraphError:
    """What a driver's error means for a caller, without its message."""
    match error:
        case IncompleteCommit():
            return OutcomeUnknown()
        case ConstraintError():
            return ConstraintBroken(constraint_named_in(error.message or ""))
        case ServiceUnavailable() | SessionExpired() | TransientError():
            return Unavailable()
        case Neo4jError() if (error.code or "").endswith(".EntityNotFound"):
            return Unavailable("Something that was read was deleted meanwhile.")
        case AuthError():
            return Unavailable("The graph refused the service's own credentials.")
        case Neo4jError() if "Bookmark" in (error.code or ""):
            return InvalidRequest([{"location": "Consistency-Token", "problem": "is not known here"}])
        case Neo4jError():
            return RuntimeGraphError(f"The graph refused a statement: {error.code}.")
        case _:
            return Unavailable(f"The graph could not be used: {type(error).__name__}.")
