"""What a tenant and its agents set of the policies: each setting does one thing, and an unset one nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from remembered import NOON, memory

from service.model.configuration import AgentProfile, TenantConfiguration
from service.model.policy_settings import ExactSettings, PackingSettings, PolicySettings, ToolSettings
from service.model.verdict import Reason
from service.model.vocabulary import CallStatus, Freshness, ProfileName, ProfileSource
from service.policies import freshness, promotion, recovery, rehydration
from service.policies.governing import governing
from service.policies.packing import PROFILES
from service.policies.recheck import hints

HOUR = timedelta(hours=1)
UNSAID = replace(memory(1, "read_mail()"), freshness=Freshness.TIME_LIMITED)
"""A memory whose event said nothing of its age."""


def setting(**named: Any) -> PolicySettings:
    """Settings of the tool `read_mail`."""
    return PolicySettings(tools={"read_mail": ToolSettings(**named)})


def test_every_name_of_a_profile_has_its_profile() -> None:
    assert set(PROFILES) == set(ProfileName)


def test_a_tools_age_fills_in_what_an_event_left_open() -> None:
    found = freshness.aged(UNSAID, ToolSettings(freshness=Freshness.VOLATILE, stale_after_minutes=60))
    assert (found.freshness, found.stale_after) == (Freshness.VOLATILE, NOON + HOUR)
    assert freshness.judge(found, NOON + HOUR, PolicySettings()).reason is Reason.STALE_VOLATILE
    assert freshness.judge(UNSAID, NOON + HOUR, PolicySettings()).keep


def test_what_an_event_says_of_its_age_stands() -> None:
    said = replace(UNSAID, freshness=Freshness.PERMANENT, stale_after=NOON + 9 * HOUR)
    assert freshness.aged(said, ToolSettings(freshness=Freshness.VOLATILE, stale_after_minutes=1)) == said


def test_an_age_that_no_calendar_has_is_none() -> None:
    late = replace(UNSAID, observed_at=datetime(9999, 12, 31, 23, 59, tzinfo=UTC))
    assert freshness.aged(late, ToolSettings(stale_after_minutes=60)).stale_after is None


@pytest.mark.parametrize(("attempts", "lost"), [(1, False), (2, True), (3, True)])
def test_a_source_is_lost_after_as_many_attempts_as_are_set(attempts: int, lost: bool) -> None:
    tried = replace(UNSAID, repair_attempts=attempts)
    assert freshness.source_lost(tried, PolicySettings(repair_attempts_max=2)) is lost


def test_only_the_named_tool_is_kept_out_of_memory() -> None:
    other = memory(2, "read_calendar()")
    settings = setting(promoted=False)
    assert promotion.judge(UNSAID, settings, ()).reason is Reason.NOT_PROMOTED
    assert promotion.judge(other, settings, ()).keep and promotion.judge(UNSAID, PolicySettings(), ()).keep


def test_a_failure_that_a_retry_needs_is_shown_until_the_retry_worked() -> None:
    failed = replace(memory(1, "read_mail() failed", status=CallStatus.FAILED), retry_critical=True)
    worked = memory(2, "read_mail()")
    for seen, shown in (([failed], True), ([failed, worked], False)):
        needed = {m.uid for m in recovery.still_needed(seen)}
        assert promotion.judge(failed, setting(promoted=False), needed).keep is shown


def test_a_hint_names_the_tool_that_is_set_to_ask_again() -> None:
    barred = [(replace(UNSAID, record_key="inbox=1"), Reason.EXPIRED)]
    settings = setting(recheck_tool="count_mail")
    assert [hint.recheck_tool for hint in hints(barred, [], settings)] == ["count_mail"]
    assert [hint.recheck_tool for hint in hints(barred, [], PolicySettings())] == ["read_mail"]
    again = memory(4, "count_mail()", key="inbox=1")
    assert hints(barred, [again], settings) == ()


def test_exact_results_can_be_left_to_requests_and_to_a_size() -> None:
    log = replace(memory(3, "read_sensor_log(sensor=7)"), result_bytes=1000)
    said = "Show me the exact output of the sensor log."
    assert rehydration.choose([log], said, ()).chosen == (log,)
    assert rehydration.choose([log], said, (), ExactSettings(by_rule=False)).chosen == ()
    assert rehydration.choose([log], said, (log.uid,), ExactSettings(by_rule=False)).chosen == (log,)
    assert rehydration.choose([log], said, (), ExactSettings(bytes_max=999)).too_large == (log,)


def test_a_request_comes_before_the_agent_and_the_agent_before_the_tenant() -> None:
    frugal = AgentProfile(profile=ProfileName.ECONOMY, persona="Be brief.", packing=PackingSettings(thrift=9))
    tenant = TenantConfiguration(
        persona="Be kind.", profile=ProfileName.THOROUGH, agents={"frugal": frugal, "plain": AgentProfile()}
    )
    by_tenant, by_agent = governing(tenant, "plain", None), governing(tenant, "frugal", None)
    by_request = governing(tenant, "frugal", PROFILES["default"])
    assert (by_tenant.profile, by_tenant.persona) == (PROFILES["thorough"], "Be kind.")
    assert (by_agent.profile, by_agent.persona) == (replace(PROFILES["economy"], thrift=9.0), "Be brief.")
    assert (by_request.profile, by_request.persona) == (PROFILES["default"], "Be brief.")
    assert [one.profile_source for one in (by_tenant, by_agent, by_request)] == [
        ProfileSource.TENANT,
        ProfileSource.AGENT,
        ProfileSource.REQUEST,
    ]


def test_an_agents_settings_of_a_tool_stand_in_place_of_the_tenants() -> None:
    own = AgentProfile(tools={"read_mail": ToolSettings(promoted=True)})
    tenant = TenantConfiguration(policies=setting(promoted=False), agents={"clerk": own})
    assert governing(tenant, "clerk", None).policies.of("read_mail").promoted
    assert not governing(tenant, None, None).policies.of("read_mail").promoted


def test_an_excerpt_is_never_larger_than_what_enters_whole() -> None:
    small = AgentProfile(packing=PackingSettings(unseen_tokens_max=100))
    profile = governing(TenantConfiguration(agents={"small": small}), "small", None).profile
    assert (profile.unseen_tokens_max, profile.unseen_excerpt_tokens) == (100, 100)


def test_every_setting_is_another_version() -> None:
    changed = (
        TenantConfiguration(),
        TenantConfiguration(policies=setting(promoted=False)),
        TenantConfiguration(agents={"clerk": AgentProfile()}),
        TenantConfiguration(profile=ProfileName.ECONOMY),
        TenantConfiguration(policies=PolicySettings(exact=ExactSettings(by_rule=False))),
    )
    assert len({one.version() for one in changed}) == len(changed)
    asked, fresh = changed[0], TenantConfiguration()
    assert asked.version() == fresh.version() and asked == fresh


def test_an_unset_configuration_governs_as_ever() -> None:
    found = governing(TenantConfiguration(), None, None)
    assert (found.profile, found.persona, found.policies) == (PROFILES["default"], None, PolicySettings())
