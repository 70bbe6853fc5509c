"""Makes `clew/text/data/cldr_dates.json` from Unicode's CLDR. Run `python -m benchmarks.cldr_dates FOLDER`.

FOLDER is the folder `main` of the npm package `cldr-dates-full`. Of each language it takes the words for days, weeks,
months, quarters and years near the present ("gestern", "la semaine dernière"), the names of months and weekdays, and
the words of "N days ago". NOTICE beside the file names its hash.
"""

import json
import re
import sys
import unicodedata
from itertools import chain, takewhile
from pathlib import Path
from typing import Any, Final

TARGET: Final = Path(__file__).parents[1] / "src/clew/text/data/cldr_dates.json"
LANGUAGES: Final = {
    **{name: (name,) for name in ("ar", "de", "es", "fr", "hi", "it", "ja", "ko", "nl", "pt", "ru")},
    "zh": ("zh", "zh-Hant"),
}
UNITS: Final = ("day", "week", "month", "quarter", "year")
WEEKDAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def folded(text: str) -> str:
    """The form in which phrases are compared: lower case, straight apostrophes, single spaces, without a final dot."""
    text = unicodedata.normalize("NFC", text).lower().replace("’", "'").replace("\u00a0", " ")
    return re.sub(r"\s+", " ", text).strip().rstrip(".॰")


def dates_of(folder: Path, locale: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The fields and the Gregorian calendar of a locale."""
    fields = json.loads((folder / locale / "dateFields.json").read_text(encoding="utf-8"))
    calendar = json.loads((folder / locale / "ca-gregorian.json").read_text(encoding="utf-8"))
    dates = calendar["main"][locale]["dates"]["calendars"]["gregorian"]
    return fields["main"][locale]["dates"]["fields"], dates


def near(fields: dict[str, Any]) -> dict[str, list[Any]]:
    """The phrases for units and weekdays near the present; where one phrase has two meanings, the past."""
    found: dict[str, list[Any]] = {}
    for step in (-2, -1, 0, 1, 2):
        for unit in UNITS:
            if text := fields[unit].get(f"relative-type-{step}"):
                found.setdefault(folded(text), [unit, step])
        for number, day in enumerate(WEEKDAYS):
            if text := fields[day].get(f"relative-type-{step}"):
                found.setdefault(folded(text), ["weekday", step, number])
    return found


def names(calendar: dict[str, Any], kind: str, widths: tuple[str, ...], keys: tuple[str, ...]) -> dict[str, int]:
    """The names of months or weekdays, in both grammatical forms, each with its place in `keys`."""
    return {
        folded(calendar[kind][form][width][key]): place
        for width in widths
        for form in ("format", "stand-alone")
        for place, key in enumerate(keys)
    }


def common_start(texts: list[str]) -> str:
    """The characters with which all texts begin."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in same)


def ago(fields: dict[str, Any]) -> dict[str, Any]:
    """What stands before and after "N days" in the past tense, the forms of the units, and phrases without a number."""
    patterns = [
        (unit, folded(text), key.rpartition("-")[2])
        for unit in UNITS
        for key, text in fields[unit]["relativeTime-type-past"].items()
    ]
    counted = [(unit, *text.split("{0}")) for unit, text, _ in patterns if "{0}" in text]
    before = common_start([head for _, head, _ in counted])
    after = common_start([tail[::-1] for _, _, tail in counted])[::-1]
    forms = {
        unit: sorted({tail.removesuffix(after).strip() for each, _, tail in counted if each == unit}) for unit in UNITS
    }
    fixed = {
        text: [unit, {"one": -1, "two": -2}[count]]
        for unit, text, count in patterns
        if "{0}" not in text and count in ("one", "two")
    }
    return {"before": before.strip(), "after": after.strip(), "units": forms, "fixed": fixed}


def language(folder: Path, locales: tuple[str, ...]) -> dict[str, Any]:
    """What is taken of one language, from all its locales."""
    found = [dates_of(folder, locale) for locale in locales]
    past = [ago(fields) for fields, _ in found]
    months = tuple(str(number) for number in range(1, 13))
    units = {unit: sorted(set(chain.from_iterable(one["units"][unit] for one in past))) for unit in UNITS}
    merged: dict[str, Any] = {"near": {}, "months": {}, "short_months": {}, "weekdays": {}}
    for fields, calendar in found:
        merged["near"] |= near(fields)
        merged["months"] |= {name: place + 1 for name, place in names(calendar, "months", ("wide",), months).items()}
        merged["short_months"] |= {
            name: place + 1 for name, place in names(calendar, "months", ("abbreviated",), months).items()
        }
        merged["weekdays"] |= names(calendar, "days", ("wide",), WEEKDAYS)
    merged["near"] |= {text: where for one in past for text, where in one["fixed"].items()}
    return {**merged, "ago": {"before": past[0]["before"], "after": past[0]["after"], "units": units}}


def main() -> None:
    folder = Path(sys.argv[1])
    parts = {name: language(folder, locales) for name, locales in sorted(LANGUAGES.items())}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(part, ensure_ascii=False)}" for name, part in parts.items())
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
