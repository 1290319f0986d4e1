#!/usr/bin/env python3
"""Writes the numbers of docs/accuracy.md, docs/collectives.md, docs/serving.md and README.md, and their pictures: what
the measured rows give.

    lab/scripts/pages.py [--check] PERFMODEL [kernels | collectives | accuracy | serving | energy | readme]...

Needs the installed package, of the same build as the command; takes two minutes, which are fits. The same package and
catalogue give the same bytes. --check writes nothing and fails where a part is not what it would write.
"""
import argparse

import accuracy
import collective_accuracy
import energy_accuracy
import kernel_accuracy
import readme
import serving_accuracy

PAGES = {"kernels": kernel_accuracy, "collectives": collective_accuracy, "accuracy": accuracy,
         "serving": serving_accuracy, "energy": energy_accuracy, "readme": readme}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("perfmodel")
    parser.add_argument("pages", nargs="*", metavar="page", help=f"of {', '.join(PAGES)}; all if none is named")
    arguments = parser.parse_args()
    unknown = set(arguments.pages) - set(PAGES)
    if unknown:
        parser.error(f"no page {', '.join(sorted(unknown))}: {', '.join(PAGES)}")
    for name in arguments.pages or PAGES:
        PAGES[name].write(arguments.perfmodel, arguments.check)


if __name__ == "__main__":
    main()
