"""A tenant's settings for what people may ask for by right."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import Annotated, Self
from zoneinfo import ZoneInfo

import holidays
from pydantic import AfterValidator, Field, StrictFloat, StrictStr, model_validator

from service.model.events import Name, Strict

EXTRA_DATES_MAX = 100
RECIPIENTS_MAX = 256


class Weekday(StrEnum):
    """The days of a week, in the order in which dates count them."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


def _date(text: str) -> str:
    if date.fromisoformat(text).isoformat() != text:
        raise ValueError("must be a date such as 2026-12-24")
    return text


def _time_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, OSError, ValueError):
        raise ValueError("must be a time zone such as Europe/Berlin") from None
    return name


class Calendar(Strict):
    """Which days are no working days, and where a day ends."""

    country: Annotated[StrictStr, Field(pattern=r"^[A-Z]{2}$")] | None = None
    """By ISO 3166, for its public holidays; null: none but `extra_dates`."""
    subdivision: Name | None = None
    """Such as BY in Germany, for its own holidays too."""
    extra_dates: list[Annotated[StrictStr, AfterValidator(_date)]] = Field(
        default_factory=list, max_length=EXTRA_DATES_MAX
    )
    """Further days on which nobody works."""
    weekend: list[Weekday] = Field(
        default_factory=lambda: [Weekday.SATURDAY, Weekday.SUNDAY], max_length=len(Weekday) - 1
    )
    time_zone: Annotated[StrictStr, AfterValidator(_time_zone)] = "UTC"

    @model_validator(mode="after")
    def _has_holidays(self) -> Self:
        if self.country is None:
            if self.subdivision is not None:
                raise ValueError("subdivision needs a country")
            return self
        try:
            holidays.country_holidays(self.country, subdiv=self.subdivision)
        except NotImplementedError:
            raise ValueError("no holidays are known of this country or subdivision") from None
        return self


class PrivacySettings(Strict):
    """What people may ask for by right, as this tenant handles it."""

    calendar: Calendar = Calendar()
    recipients: list[Name] = Field(default_factory=list, max_length=RECIPIENTS_MAX)
    """Who gets people's data beside the configured providers, and is told of erasures."""
    tolerance: Annotated[StrictFloat, Field(ge=0, le=1, allow_inf_nan=False)] = 0.0
    """By which share of a plan's counts the graph may have moved when it is run."""
