"""What is found in files of each language, and in files that no grammar reads."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.project.nodes import EdgeKind
from clew.project.parse.macros import without_macros
from clew.project.parse.parse import parse
from clew.project.parse.parsed import ParsedFile
from tests.support.projects import needs_grammars

PYTHON = '''"""What the module is for."""
import os.path as p, sys
from ..x import (a as b, c)
# Before.
@deco
class A(B, m.C, metaclass=D):
    """What A is."""
    def f(self):
        g(); self.h()
        def inner(): pass
def f(): pass
def f(): pass
# Decision: keep both, since callers need them
#   for a while.
'''
TYPESCRIPT = """// What the file is for.
import {x} from "./m"; export * from '../n'; const y = require("z");
/** What K is. */
export class K<T> extends Base<T> implements I { private m(a: number): void { this.q(); foo(); } h = () => 3 }
export interface I extends P { go(): void }
export const arrow = async (a) => { bar() };
namespace N { export function inner() {} }
"""
GO = """// Package c sells.
package c
import ("fmt"; m "example.com/x/y")
// S is a shop.
type S struct { a int }
// Do sells.
func (s *S) Do(x int) error { fmt.Println(x); help(); return nil }
func help() { }
"""
RUST = """//! What the crate is for.
use crate::a::{b, c::{d, self}, e as f};
mod q;
/// What S is.
#[derive(Debug)]
pub struct S<T> { x: T }
impl<T> S<T> { pub fn new() -> Self { helper() } }
trait Tr: Sup { fn go(&self); }
"""
JAVA = """package p.q;
import java.util.List; import static a.b.C.d; import x.*;
/** What E is. */
public class E extends F implements G, H<I> { public E() { go(); } void go() { this.x.run(); } enum Q { A } }
"""
C = """/* What the file is for. */
#include "h.h"
#include <sys/x.h>
/* What f does. */
static int *f(int a) { g(a); return 0; }
struct S { int a; };
typedef struct { int b; } T;
"""
CPP = """#include "g.hpp"
namespace n { class A : public B { public: void m(); int q() { return z(); } }; }
void n::A::m() { x.y(); }
bool operator==(A a, A b) { return true; }
"""
RUBY = """require "json"
require_relative "x/y"
# What M is.
module M
  autoload :A, "m/a"
  class A < B::C
    def m(a) = helper(a)
    def self.s; x.y; end
  end
end
"""

CASES = {
    "a.py": (
        PYTHON,
        "class A; method A.f; function A.f.inner; function f; function f~2; decision decision at line 13",
        "os.path sys ..x:a ..x:c",
        "A>B A>C A.f g A.f .h",
    ),
    "b.ts": (
        TYPESCRIPT,
        "class K; method K.m; method K.h; class I; method I.go; function arrow; module N; function N.inner",
        "./m ../n z",
        "K>Base K>I I>P  require K.m foo K.m .q arrow bar",
    ),
    "c.go": (GO, "class S; method S.Do; function help", "fmt example.com/x/y", "S.Do .Println S.Do help"),
    "d.rs": (
        RUST,
        "class S; method S.new; class Tr; method Tr.go",
        "crate::a::b crate::a::c::d crate::a::c crate::a::e mod:q",
        "Tr>Sup S.new helper",
    ),
    "E.java": (
        JAVA,
        "class E; method E.E; method E.go; class E.Q",
        "java.util.List a.b.C x.*",
        "E>F E>G E>H E.E go E.go .run",
    ),
    "f.c": (C, "function f; class S; class T", '"h.h" <sys/x.h>', "f g"),
    "g.cpp": (
        CPP,
        "module n; class n.A; method n.A.m; method n.A.q; method n.A.m~2; function operator==",
        '"g.hpp"',
        "n.A>B n.A.q z n.A.m~2 .y",
    ),
    "h.rb": (
        RUBY,
        "module M; class M.A; method M.A.m; method M.A.s",
        "json relative:x/y m/a",
        "M.A>C  require  require_relative M autoload M.A.m helper M.A.s .y",
    ),
}


def symbols(parsed: ParsedFile) -> str:
    return "; ".join(f"{node.kind} {node.qualified}" for node in parsed.nodes[1:])


def uses(parsed: ParsedFile) -> str:
    """References as `Class>Base`, `caller name` or `caller .member`."""
    return " ".join(
        parsed.nodes[each.node].qualified
        + (f">{each.name}" if each.kind == EdgeKind.INHERITS else f" {'.' * each.is_member}{each.name}")
        for each in parsed.references
    )


@needs_grammars
@pytest.mark.requirement("L-PRJ-04")
@pytest.mark.parametrize("name", CASES)
def test_each_language_is_taken_apart(name: str) -> None:
    source, nodes, imports, used = CASES[name]
    parsed = parse(name, source.encode())
    assert symbols(parsed) == nodes
    assert " ".join(parsed.imports) == imports
    assert uses(parsed) == used
    assert not parsed.syntax_errors


@needs_grammars
@pytest.mark.requirement("L-PRJ-04")
def test_what_people_say_of_symbols_is_their_text() -> None:
    def texts(name: str) -> dict[str, str]:
        return {node.qualified: node.text for node in parse(name, CASES[name][0].encode()).nodes if node.text}

    assert texts("a.py") == {
        "": "What the module is for.",
        "A": "What A is.",
        "decision at line 13": "keep both, since callers need them for a while.",
    }
    assert texts("b.ts") == {"": "What the file is for.", "K": "What K is."}
    assert texts("c.go") == {"": "Package c sells.", "S": "S is a shop.", "S.Do": "Do sells."}
    assert texts("d.rs") == {"": "What the crate is for.", "S": "What S is."}
    assert texts("E.java") == {"E": "What E is."}
    assert texts("f.c") == {"": "What the file is for.", "f": "What f does."}
    assert texts("h.rb") == {"M": "What M is."}
    (first,) = [node for node in parse("a.py", PYTHON.encode()).nodes if node.qualified == "A"]
    assert (first.start, first.end, first.signature) == (5, 10, "class A(B, m.C, metaclass=D)")


DOCUMENT = """# Rules of *the* shop

See [the cart](../src/cart.py#L3) and [a page](https://example.org).

## Context
Prices change.

## Decision
Prices are whole cents.

```
# no heading
```

### Later
**Decision**: round half up
on every line.
"""


@pytest.mark.requirement("L-PRJ-04")
def test_documents_have_sections_links_and_decisions() -> None:
    parsed = parse("rules.md", DOCUMENT.encode())
    above = "Rules of the shop"
    assert [(node.kind, node.qualified, node.start, node.end) for node in parsed.nodes[1:]] == [
        ("heading", above, 1, 17),
        ("heading", f"{above} > Context", 5, 7),
        ("heading", f"{above} > Decision", 8, 17),
        ("heading", f"{above} > Decision > Later", 15, 17),
        ("decision", f"decision {above}", 8, 17),
        ("decision", "decision at line 16", 16, 17),
    ]
    assert parsed.imports == ("../src/cart.py",)
    assert parsed.nodes[-1].text == "round half up on every line."
    assert parse("x.md", b"## Decision\nalone\n").nodes[-1].kind == "heading"


@pytest.mark.requirement("L-PRJ-05")
def test_without_grammars_code_is_read_as_text() -> None:
    code = (
        "import sys; sys.modules['tree_sitter'] = None\n"
        "from clew.project.parse.parse import parse\n"
        f"document = parse('rules.md', {DOCUMENT.encode()!r})\n"
        "print([node.name for node in document.nodes if node.kind == 'heading'])\n"
        "source = parse('a.py', b'# Decision: keep the price in cents\\ndef f(): pass\\n')\n"
        "print(source.language, [node.kind.value for node in source.nodes], source.nodes[1].text)\n"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert ran.stdout.splitlines() == [
        "['Rules of the shop', 'Context', 'Decision', 'Later']",
        "text ['file', 'decision'] keep the price in cents",
    ]


@needs_grammars
@pytest.mark.requirement("L-PRJ-06")
def test_what_a_grammar_does_not_understand_is_left_out_and_said() -> None:
    parsed = parse("a.py", b"def f(): pass\nclass ((( :\ndef g(): pass\n")
    assert parsed.syntax_errors
    assert "f" in {node.name for node in parsed.nodes}


@pytest.mark.requirement("L-PRJ-06")
def test_minified_and_odd_text_is_read() -> None:
    assert parse("a.js", b"function f(){return 1};" * 500).language == "text"
    assert parse("a.md", "# T\u00eete\n".encode("utf-16")).nodes[-1].name == "T\u00eete"
    assert parse("a.md", b"\xef\xbb\xbf# T\n").nodes[-1].name == "T"
    assert parse("a.md", b"# caf\xe9 \xc3\xa9\n").nodes[-1].name == "caf\ufffd \u00e9"
    assert parse("a.py", b"").lines == 1


@pytest.mark.requirement("L-PRJ-06")
@pytest.mark.parametrize("name", [*CASES, "i.md", "go.mod", "j.tsx", "k.jsx", "l.txt"])
@given(data=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda text: text.encode("utf-8", "replace"))))
def test_no_bytes_are_fatal(name: str, data: bytes) -> None:
    parsed = parse(name, data)
    assert parsed.nodes[0].kind == "file"
    assert len({node.qualified for node in parsed.nodes}) == len(parsed.nodes)
    assert all(1 <= node.start <= node.end for node in parsed.nodes)
    assert all(each.node < len(parsed.nodes) for each in parsed.references)


@needs_grammars
@pytest.mark.requirement("L-PRJ-06")
@pytest.mark.parametrize("name", CASES)
@given(data=st.data())
def test_no_cut_of_code_is_fatal(name: str, data: st.DataObject) -> None:
    source = CASES[name][0]
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, len(source)))
    parsed = parse(name, (source[:start] + source[end:]).encode())
    assert len({node.qualified for node in parsed.nodes}) == len(parsed.nodes)


@pytest.mark.requirement("L-PRJ-06")
@pytest.mark.parametrize(("name", "most"), [("a.py", 501), ("a.md", 502)])
def test_many_decisions_do_not_take_long(name: str, most: int) -> None:
    parsed = parse(name, b"# Decision: keep what there is\n" * 20_000)
    assert sum(node.kind == "decision" for node in parsed.nodes) <= most


@pytest.mark.requirement("L-PRJ-07")
def test_secrets_in_texts_are_masked() -> None:
    secret = "sk-ant-api03-" + "Ab1" * 30
    for name, text in (("a.py", f'"""Use {secret} here."""\n'), ("b.md", f"# T\n\nkey {secret}\n"), ("c.txt", secret)):
        parsed = parse(name, text.encode())
        assert secret not in str(parsed.to_dict())
        assert "[masked:" in parsed.nodes[0].text


@pytest.mark.requirement("L-PRJ-07")
def test_secrets_in_imports_are_masked() -> None:
    login = "https://bob:s3cr3tpassw0rd@host.example/x.js"
    for name, text in (("a.js", f'import x from "./x";\nimport y from "{login}";\n'), ("b.ts", f'import "{login}";\n')):
        parsed = parse(name, text.encode())
        assert "s3cr3tpassw0rd" not in str(parsed.to_dict())
        assert any("[masked:" in each for each in parsed.imports)
    assert parse("a.js", b'import x from "./x";\n').imports == ("./x",)


METADATA = b"""Metadata-Version: 2.4
Name: kettle
Summary: Tea for everyone
Classifier: Topic :: Tea
Description-Content-Type: text/markdown

# Kettle

It exists so that nobody waits.
"""
GEMSPEC = b"Gem::Specification.new do |s|\n  s.summary = 'Tea for everyone'\nend\n"


@pytest.mark.requirement("P-LINE-04")
@pytest.mark.parametrize(
    ("path", "data", "name", "line"),
    [
        ("kettle-1.0.dist-info/METADATA", METADATA, "", 1),
        ("kettle-1.0.dist-info/METADATA", METADATA, "description", 3),
        ("package.json", b'{"name": "kettle",\n "description": "Tea for everyone"}', "description", 2),
        ("pyproject.toml", b'[project]\nname = "kettle"\ndescription = "Tea for everyone"\n', "description", 3),
        ("Cargo.toml", b'[package]\ndescription = "Tea for everyone"\n', "description", 2),
        ("pom.xml", b"<project>\n<description>Tea for everyone</description></project>", "description", 2),
        ("setup.cfg", b"[metadata]\ndescription = Tea for everyone\n", "description", 2),
        ("kettle.gemspec", GEMSPEC, "description", 2),
        ("package.json", b'{"name": "kettle",\n "description": "\\nTea for everyone"}', "description", 2),
        ("package.json", b'{\n"description": "Tea for everyone\\u2019s taste"}\n', "description", 1),
        ("pyproject.toml", b'[project]\ndescription = """\n\nTea for everyone.\nAt once."""\n', "description", 4),
    ],
)
def test_what_a_package_says_of_itself_is_found(path: str, data: bytes, name: str, line: int) -> None:
    (said,) = [node for node in parse(path, data).nodes if node.qualified == name]
    assert said.text.startswith("Tea for everyone")
    assert said.start == line


@pytest.mark.requirement("P-LINE-04")
@pytest.mark.parametrize("data", [b"", b"[", b"{", b'{"description": 3}', b"[project]\nx = 1", b"\xff", b"[" * 9_999])
@pytest.mark.parametrize("name", ["package.json", "pyproject.toml", "pom.xml", "a.gemspec", "METADATA", "PKG-INFO"])
def test_a_manifest_that_cannot_be_read_says_nothing(name: str, data: bytes) -> None:
    assert "description" not in {node.name for node in parse(name, data).nodes}


@pytest.mark.requirement("P-LINE-04")
@needs_grammars
def test_a_documentation_that_is_assigned_is_that_of_the_module() -> None:
    assert parse("a.py", b'x = 1\n__doc__ = """Tea."""\n').nodes[0].text == "Tea."


@pytest.mark.requirement("P-LINE-05")
def test_the_sections_of_restructured_text_are_found() -> None:
    text = """=====
Pots
=====
Intro.

Care
----
Wash.

.. code::

    a table
    -------

Heat
~~~~
Low.

Use
---
"""
    found = parse("a.rst", text.encode()).nodes
    sections = {node.qualified: (node.start, node.text) for node in found if node.kind == "heading"}
    assert list(sections) == ["Pots", "Pots > Care", "Pots > Care > Heat", "Pots > Use"]
    assert sections["Pots > Care > Heat"] == (15, "Low.")
    assert parse("b.rst", b"One\nline\n====\n\n====\n====\n").nodes[1:] == ()


def _inherited(parsed: ParsedFile) -> set[tuple[str, str]]:
    inherits = (each for each in parsed.references if each.kind is EdgeKind.INHERITS)
    return {(parsed.nodes[each.node].qualified, each.name) for each in inherits}


@pytest.mark.requirement("F-PROJ-03")
def test_a_statement_far_before_in_generated_code_of_one_line_is_no_statement_before_a_macro() -> None:
    near, far = b"return  FEES_OF(till);", b"if (due) pay();" + b"go();" * 100
    assert without_macros(near) == near
    blanks = b" " * len("NEEDS_LOCK(m)")
    assert without_macros(far + b"void pay() NEEDS_LOCK(m);") == far + b"void pay() " + blanks + b";"


@needs_grammars
@pytest.mark.requirement("F-PROJ-03")
def test_macros_of_cpp_hide_neither_classes_nor_methods() -> None:
    code = (
        b"// Sells.\nclass SHOP_EXPORT Till : public Desk {\n public:\n  // Pays.\n"
        b"  void pay(int sum)\n      LOCKS_REQUIRED(mutex_);\n  bool open GUARDED_BY(mutex_) = false;\n"
        b"  int add() { if (open) ADD_UP(open); return MAX_OF(1); }\n};\n"
        b"struct FAST NAMED(4) Coin final { int cents; };\n"
    )
    parsed = parse("till.cc", code)
    found = {node.qualified: (node.kind, node.text) for node in parsed.nodes[1:]}
    assert found == {
        "Till": ("class", "Sells."),
        "Till.pay": ("method", "Pays."),
        "Till.add": ("method", ""),
        "Coin": ("class", ""),
    }
    assert _inherited(parsed) == {("Till", "Desk")}
    assert {each.name for each in parsed.references} >= {"ADD_UP", "MAX_OF"}
    assert parsed.nodes[1].signature == "class SHOP_EXPORT Till : public Desk"


@needs_grammars
@pytest.mark.requirement("F-PROJ-03")
def test_types_that_c_names_by_typedef_are_classes_and_branches_are_no_functions() -> None:
    code = (
        b"typedef struct till_s { int sum; } till;\ntypedef unsigned long cents;\n"
        b"typedef int (*payer)(till *, cents);\nint pay(till *t) {\n#ifdef X\n  if (t) {\n#endif\n"
        b"  } else if (t->sum) { pay(t); }\n  return 0;\n}\n"
    )
    names = {node.qualified for node in parse("till.c", code).nodes[1:]}
    assert names == {"till", "till.till_s", "cents", "payer", "pay"}


@needs_grammars
@pytest.mark.requirement("F-PROJ-04")
def test_traits_and_embedded_types_count_as_inherited() -> None:
    rust = (
        b"struct Till;\nimpl shop::Desk for Till { fn pay() {} }\n"
        b"mod tests { use super::Till; use super::super::Up; }\n"
    )
    parsed = parse("till.rs", rust)
    assert _inherited(parsed) == {("Till", "Desk")}
    assert set(parsed.imports) == {"self::Till", "super::Up"}
    go = b"package shop\ntype Till struct { Desk; *Drawer; x.Lock; sum int }\ntype Payer interface { Opener; Pay() }\n"
    embedded = {("Till", "Desk"), ("Till", "Drawer"), ("Till", "Lock"), ("Payer", "Opener")}
    assert _inherited(parse("till.go", go)) == embedded


@pytest.mark.requirement("F-PROJ-05")
def test_documents_without_an_ending_of_their_own_are_read_by_their_sections() -> None:
    text = b"====\nShop\n====\n\nSells tea.\n\nPhilosophy\n==========\n\nNo order is lost.\n"
    for path in ("docs/shop.txt", "README"):
        parsed = parse(path, text)
        assert parsed.language == "rst"
        assert [node.name for node in parsed.nodes[1:]] == ["Shop", "Philosophy"]
    assert parse("notes.txt", b"a\nb\n----\nc\n").language == "text"
    (title,) = parse("README.md", b"# [![Shop](logo.png)](x) and *more*\n").nodes[1:]
    assert title.name == "Shop and more"


@pytest.mark.requirement("F-PROJ-02")
def test_manifests_say_what_their_package_is_called() -> None:
    assert parse("Cargo.toml", b'[package]\nname = "shop-till"\n').package == "shop_till"
    assert parse("Cargo.toml", b'[package]\nname = "shop-till"\n[lib]\nname = "till"\n').package == "till"
    assert parse("package.json", b'{"name": "@shop/money"}').package == "@shop/money"


@needs_grammars
@pytest.mark.requirement("PRJ-TEXT-01")
@pytest.mark.parametrize(
    ("path", "data", "names"),
    [
        ("a.py", "# -*- coding: latin-1 -*-\ndef grün(): pass\n".encode("latin-1"), ["grün"]),
        (
            "a.py",
            "#!/bin/env python\n# vim: set fileencoding=koi8-r :\ndef размер(): pass\n".encode("koi8-r"),
            ["размер"],
        ),
        ("a.md", "# Über uns\r\n\r\nGrüße an alle – bald.\r\n".encode("cp1252"), ["Über uns"]),
        ("a.py", "# coding: nothing\ndef grün(): pass\n".encode("latin-1"), ["grün"]),
        ("a.md", "# Über ".encode() + b"\xff\xfe uns\n", ["Über \ufffd\ufffd uns"]),
        ("a.md", "# 安全性\n".encode("utf-16"), ["安全性"]),
    ],
)
def test_text_in_older_encodings_is_read(path: str, data: bytes, names: list[str]) -> None:
    assert [node.name for node in parse(path, data).nodes[1:]] == names
