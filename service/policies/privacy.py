"""What may go to which provider: an item's privacy class against what the route promises. Fails closed."""

from __future__ import annotations

from service.model.candidates import Governance
from service.model.configuration import ProviderRoute
from service.model.verdict import KEEP, Reason, Verdict
from service.model.vocabulary import PrivacyClass

BARRED = Verdict(Reason.PRIVACY_CLASS_BARRED)


def judge(item: Governance, route: ProviderRoute) -> Verdict:
    """Gate one item for a route. A class that is not known goes nowhere."""
    return judge_class(item.privacy_class, route)


def judge_class(privacy_class: PrivacyClass, route: ProviderRoute) -> Verdict:
    """The same of what belongs to no participant."""
    return KEEP if allowed(privacy_class, route) else BARRED


def allowed(privacy_class: PrivacyClass, route: ProviderRoute) -> bool:
    """Public goes anywhere, internal and personal where nobody trains on it, sensitive where nothing is kept
    either, secrets to local models only."""
    untrained = route.local or not route.trains_on_data
    return {
        PrivacyClass.PUBLIC: True,
        PrivacyClass.INTERNAL: untrained,
        PrivacyClass.PERSONAL: untrained,
        PrivacyClass.SENSITIVE: route.local or (route.zero_data_retention and untrained),
        PrivacyClass.SECRET: route.local,
    }.get(privacy_class, False)
