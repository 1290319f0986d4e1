"""What Valgrind looks at: each kind of object once, each way that fails, and everything freed."""

import pickle

import perfmodel as pm


def use() -> None:
    prediction = pm.predict("resnet50", "dgx1-v100", gpus=8)
    pickle.loads(pickle.dumps(prediction))
    pm.sweep(["alexnet"], ["dgx1-v100"], gpus=[1, 2])
    for wrong in (lambda: pm.predict("resnet5", "dgx1-v100"), lambda: pm.predict("resnet50", "dgx1-v100", gpus=-1)):
        try:
            wrong()
        except pm.Error:
            continue
        raise SystemExit("a wrong call succeeded")


use()
