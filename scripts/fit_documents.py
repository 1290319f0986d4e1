#!/usr/bin/env python3
"""Fits the constants of frameworks that only the source documents ran in data/frameworks/frameworks.xml.

    python3 scripts/fit_documents.py [--perfmodel PATH] [--write]

To all numeric rows of these documents (data/measured/seeds.csv), as scripts/fit_training.py fits those of others. The notes
of the constants say so, and perfmodel validate prints the errors without them, and those of each document without its own.
"""
import argparse

import numpy as np

import fit_training as training

# Unit, bounds, and the document whose rows the constant bears on.
CONSTANTS = {
    ("cntk", "kernel_time"): (" us", 2, 200, "dgx1-p100"),
    ("keras", "simt_factor"): ("", *training.FACTOR, "keras2018"),
    ("horovod", "coordinator_time"): (" us", 1, 20000, "dell2018"),
}
training.PRIOR["coordinator_time"] = (1000, 10)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--perfmodel", default="perfmodel")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    parameters = [training.Parameter(f"{framework} {name}", [framework], unit, least, most, lambda group, of=of: group == of)
                  for (framework, name), (unit, least, most, of) in CONSTANTS.items()]
    model = training.Model(arguments.perfmodel, parameters, "seeds")
    rows = model.predict(model.start)
    keep = [i for i, row in enumerate(rows) if row["error [%]"]]
    bear = np.array([[p.bears(rows[i]["group"]) for p in parameters] for i in keep])
    print("before       ", training.errors(training.log_ratio(rows, keep)))
    values, r, J = training.fit(model, model.start, keep, bear)
    training.report_values(model, values, r, J)
    print("fitted       ", training.errors(r))
    if arguments.write:
        for file, text in training.write(model.texts, parameters, values).items():
            file.write_text(text)


if __name__ == "__main__":
    main()
