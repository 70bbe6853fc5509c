"""Turn -> annotations: what a text weighs, by rules alone (HSCA layers 1 to 3).

`weigh.weigh` runs all rules over one reading of the text; the modules beside it give each rule alone. Everything here
is pure, total and deterministic: text in, values out, nothing stored.
"""
