"""Take personal data out of a text: by form, and where the form has a checksum only with a right one.

Each finding becomes its kind in brackets, such as `[email]`; every other character stays as it is, and a
scrubbed text stays as it is when it is scrubbed again. Names are found only where they are given.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

NAME_CHARS_MIN = 3
"""A shorter name is too often another word."""
IBAN_CHARS = range(15, 35)
CARD_DIGITS = range(13, 20)

_ITALIAN_ODD = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (
            *(1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17),
            *(19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        ),
        strict=True,
    )
)


@dataclass(frozen=True, slots=True)
class Detector:
    """What a kind of personal data looks like, and whether something that looks so is one."""

    kind: str
    form: re.Pattern[str]
    holds: Callable[[str], bool] = lambda found: True

    def shown(self, found: re.Match[str]) -> str:
        """What stands for a match."""
        return f"[{self.kind}]" if self.holds(found[0]) else found[0]


def scrub(text: str, names: Iterable[str] = ()) -> str:
    """The text without what the detectors find, and without these people's names: whole in any case, their
    words as they are spelled."""
    detectors = (*DETECTORS, *map(_of_name, sorted(names, key=len, reverse=True)))
    before = None
    while text != before:  # what is taken out may bare what stood beside it
        before = text
        for detector in detectors:
            text = detector.form.sub(detector.shown, text)
    return text


def _of_name(name: str) -> Detector:
    words = sorted({word for word in name.split() if len(word) >= NAME_CHARS_MIN}, key=len, reverse=True)
    forms = [rf"(?i:{re.escape(name)})"] * (len(name) >= NAME_CHARS_MIN) + [re.escape(one) for one in words]
    return Detector("name", re.compile(rf"(?<![\w\[])(?:{'|'.join(forms) or '(?!)'})(?!\w)"))


def luhn(number: str) -> bool:
    """Whether a card number's check digit is right."""
    digits = _digits(number)
    if len(digits) not in CARD_DIGITS or len(set(digits)) == 1:
        return False
    doubled = [digit if at % 2 == 0 else digit * 2 - 9 * (digit > 4) for at, digit in enumerate(digits[::-1])]
    return sum(doubled) % 10 == 0


def iban(number: str) -> bool:
    """Whether an IBAN's check digits are right: mod 97 is 1."""
    plain = re.sub(r"[\s-]", "", number).upper()
    turned = plain[4:] + plain[:4]
    return len(plain) in IBAN_CHARS and int("".join(str(int(char, 36)) for char in turned)) % 97 == 1


def address(text: str) -> bool:
    """Whether it is an IPv4 or IPv6 address of somebody: `::` is a form of nobody's."""
    try:
        return not ipaddress.ip_address(text).is_unspecified
    except ValueError:
        return False


def german_tax_id(number: str) -> bool:
    """Steuer-Identifikationsnummer: 11 digits, ISO 7064 mod 11,10; one of ten comes twice or thrice."""
    digits = _digits(number)
    if len(digits) != 11 or digits[0] == 0 or not 8 <= len(set(digits[:10])) <= 9:
        return False
    product = 10
    for digit in digits[:10]:
        total = (digit + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == digits[10]


def swiss_ahv(number: str) -> bool:
    """AHV number: 13 digits from 756 on, check digit of EAN-13."""
    digits = _digits(number)
    total = sum(digit * (3 if at % 2 else 1) for at, digit in enumerate(digits[:12]))
    return len(digits) == 13 and (10 - total % 10) % 10 == digits[12]


def austrian_insurance(number: str) -> bool:
    """Sozialversicherungsnummer: 10 digits, the fourth checks, the last six are a birthday."""
    digits = _digits(number)
    if len(digits) != 10 or digits[0] == 0:
        return False
    weights = (3, 7, 9, 0, 5, 8, 4, 2, 1, 6)
    day, month = digits[4] * 10 + digits[5], digits[6] * 10 + digits[7]
    right = sum(a * b for a, b in zip(digits, weights, strict=True)) % 11 == digits[3]
    return right and 1 <= day <= 31 and 1 <= month <= 15


def french_insurance(number: str) -> bool:
    """Numéro de sécurité sociale: 13 signs and 97 minus their remainder by 97."""
    plain = re.sub(r"\s", "", number).upper()
    body = plain[:13].replace("2A", "19").replace("2B", "18")
    return len(plain) == 15 and body.isdecimal() and 97 - int(body) % 97 == int(plain[13:])


def spanish_id(number: str) -> bool:
    """DNI or NIE: the letter is the number's remainder by 23."""
    plain = re.sub(r"[\s-]", "", number).upper()
    body = plain[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return body.isdecimal() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(body) % 23] == plain[-1]


def italian_tax_code(code: str) -> bool:
    """Codice fiscale: the sixteenth letter checks the others."""
    plain = code.upper()
    odd = sum(_ITALIAN_ODD[char] for char in plain[0:15:2])
    even = sum(int(char) if char.isdecimal() else ord(char) - ord("A") for char in plain[1:15:2])
    return chr(ord("A") + (odd + even) % 26) == plain[15]


def american_insurance(number: str) -> bool:
    """Social Security number: no checksum, but some numbers are never given out."""
    area, group, serial = number.split("-")
    return area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def _digits(number: str) -> list[int]:
    return [int(char) for char in number if char.isdecimal()]


_A = r"(?<![\w.+@\[-])"  # nothing that it could be the rest of
_Z = r"(?![\w@])"
_NUMBER = r"(?<![\w.,/-])"  # not within a longer number, an amount or a code
_NUMBER_Z = r"(?![\w/-]|[.,]\d)"

DETECTORS = (
    Detector("email", re.compile(r"(?<![\w.+%-])[\w.+%-]+@(?:[\w-]+\.)+[^\W\d_]{2,24}(?![\w-])")),
    Detector(
        "iban",
        re.compile(_NUMBER + r"[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]{1,4}){2,8}" + _NUMBER_Z, re.I | re.A),
        iban,
    ),
    Detector(
        "ip_address",
        re.compile(
            r"(?<![\w.:])(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|(?=[0-9a-f:]*:[0-9a-f:]*:)[0-9a-f:]{2,39}"
            r"(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3})?)(?![\w:]|\.[0-9])",
            re.IGNORECASE | re.ASCII,
        ),
        address,
    ),
    Detector(
        "phone",
        re.compile(r"(?<![\w.,/+-])(?:\+|00)[1-9](?:[ ./()-]{0,2}[0-9]){7,13}" + _NUMBER_Z),
    ),
    Detector(
        "national_id",
        re.compile(
            _NUMBER + r"[12][ ]?[0-9]{2}[ ]?[0-9]{2}[ ]?[0-9][0-9AB](?:[ ]?[0-9]){8}" + _NUMBER_Z, re.I
        ),
        french_insurance,
    ),
    Detector("card", re.compile(_NUMBER + r"[0-9](?:[ -]?[0-9]){12,18}" + _NUMBER_Z), luhn),
    Detector("national_id", re.compile(_NUMBER + r"756(?:[ .]?[0-9]){10}" + _NUMBER_Z), swiss_ahv),
    Detector("national_id", re.compile(_NUMBER + r"[0-9](?:[ ]?[0-9]){10}" + _NUMBER_Z), german_tax_id),
    Detector("national_id", re.compile(_NUMBER + r"[0-9]{4}[ -]?[0-9]{6}" + _NUMBER_Z), austrian_insurance),
    Detector(
        "national_id",
        re.compile(_A + r"(?:[0-9]{8}|[XYZ][ -]?[0-9]{7})[ -]?[A-Z]" + _Z, re.I | re.A),
        spanish_id,
    ),
    Detector(
        "national_id",
        re.compile(
            _A + r"[A-Z]{6}[0-9LMNP-V]{2}[A-EHLMPR-T][0-9LMNP-V]{2}[A-Z][0-9LMNP-V]{3}[A-Z]" + _Z, re.I | re.A
        ),
        italian_tax_code,
    ),
    Detector(
        "national_id", re.compile(_NUMBER + r"[0-9]{3}-[0-9]{2}-[0-9]{4}" + _NUMBER_Z), american_insurance
    ),
    Detector(
        "phone",
        re.compile(
            r"(?<![\w.,/+-])(?:(?:\(0[1-9][0-9]{1,4}\)|0[1-9][0-9]{1,4})[ /-](?:[ -]?[0-9]){5,9}"
            r"|0[1-9][0-9]{8,10})" + _NUMBER_Z
        ),
    ),
)
"""In the order in which they look: where two could take the same digits, the surer one comes first."""
