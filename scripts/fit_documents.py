#!/usr/bin/env python3
"""Fits the constants of frameworks that only the source documents ran in data/frameworks/frameworks.xml.

    python3 scripts/fit_documents.py [--perfmodel PATH] [--write]

To all numeric rows of these documents (data/measured/statements.csv), as scripts/fit_language.py fits those of others;
then the width of the band of frameworks that rest on documents. The constants' fitted_to says so, and perfmodel validate
prints the errors without them, and those of each document without its own.
"""
import argparse
import math

import numpy as np

import fit_language as method

# Unit, bounds, and the document whose rows the constant bears on.
CONSTANTS = {
    ("cntk", "kernel_time"): (" us", 2, 200, "dgx1-p100"),
    ("keras", "simt_factor"): ("", 0.6, 1.8, "keras2018"),
    ("horovod", "coordinator_time"): (" us", 1, 20000, "dell2018"),
}
method.PRIOR.update({"simt_factor": (1, 2), "coordinator_time": (1000, 10)})
BAND = method.Parameter("training documents", ["training"], "", 0.01, 1, None)


def band(rows):
    """Standard deviation whose middle eight tenths hold that share of the documents' rates, by constants of other rows."""
    rates = [abs(math.log(float(row["holdout"]) / float(row["measured"]))) for row in rows
             if row["error [%]"] and row["unit"] == "images/s"]
    return float(np.quantile(rates, 0.8)) / 1.2815515655446004, len(rates)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfmodel", default="perfmodel")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    parameters = [method.Parameter(f"{framework} {name}", [framework], unit, least, most, lambda group, of=of: group == of)
                  for (framework, name), (unit, least, most, of) in CONSTANTS.items()]
    model = method.Model(arguments.perfmodel, parameters, "statements")
    rows = model.predict(model.start)
    keep = [i for i, row in enumerate(rows) if row["error [%]"]]
    bear = np.array([[p.bears(rows[i]["group"]) for p in parameters] for i in keep])
    print("before       ", method.errors(method.log_ratio(rows, keep)))
    values, r, J = method.fit(model, model.start, keep, bear)
    method.report_values(model, values, r, J)
    print("fitted       ", method.errors(r))
    width, rates = band(model.predict(values))
    print(f"band: standard deviation {width:.4g} over {rates} rates")
    if arguments.write:
        for file, text in method.write(model.texts, parameters + [BAND], np.append(values, width)).items():
            file.write_text(text)


if __name__ == "__main__":
    main()
