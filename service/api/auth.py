"""Who is asking: a bearer key, recognised once per request, with the scope that an endpoint needs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from service.api.services import Services
from service.errors import Forbidden, Unauthorized, Unavailable
from service.model.caller import Caller, Scope
from service.usecases.erasure.equip import Privacy

_bearer = HTTPBearer(auto_error=False, description="An API key: `Authorization: Bearer rg_…`")


async def services(request: Request) -> Services:
    """The use cases of this process."""
    found: Services = request.app.state.services
    return found


def _needs(scope: Scope) -> Callable[..., Awaitable[Caller]]:
    async def caller(
        credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
        found: Annotated[Services, Depends(services)],
    ) -> Caller:
        if credentials is None:
            raise Unauthorized
        known = await found.keys.recognise(credentials.credentials)
        if scope not in known.scopes:
            raise Forbidden(scope.value)
        return known

    return caller


async def rights(found: Annotated[Services, Depends(services)]) -> Privacy:
    """The use cases of people's rights."""
    if found.privacy is None:
        raise Unavailable("This process has no keys and no ledger to carry people's rights out with.")
    return found.privacy


Rights = Annotated[Privacy, Depends(rights)]
UseCases = Annotated[Services, Depends(services)]
Recorder = Annotated[Caller, Depends(_needs(Scope.RECORD))]
Assembler = Annotated[Caller, Depends(_needs(Scope.ASSEMBLE))]
Reader = Annotated[Caller, Depends(_needs(Scope.READ))]
Reviewer = Annotated[Caller, Depends(_needs(Scope.REVIEW))]
Officer = Annotated[Caller, Depends(_needs(Scope.PRIVACY))]
Configurer = Annotated[Caller, Depends(_needs(Scope.CONFIGURE))]
Operator = Annotated[Caller, Depends(_needs(Scope.OPERATE))]
