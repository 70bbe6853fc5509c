"""`python -m clew`: the program `clew`, where its script is not on the path."""

from clew.cli.main import main

if __name__ == "__main__":
    main(prog_name="clew")
