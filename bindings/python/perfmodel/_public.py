"""What the package offers, by the module that has it. A module is imported when one of its names is first asked for."""

MODULES = {
    "_calibrate": "calibrate Calibration",
    "_catalog": "Catalog dataset export gpu network show system",
    "_collective": "collective collective_loads Collectives Cycle Loads rings Rings",
    "_errors": (
        "ArgumentError BadValueError DoesNotFitError Error FileError FormatError InternalError NotFoundError "
        "NotModelledError OutOfMemoryError PrecisionError RouteError ShapeError TooManyGpusError UnitError "
        "UnreachableError"
    ),
    "_experiment": "Experiment experiment",
    "_fields": "Field fields",
    "_framework": "Framework framework",
    "_grid": "grid Grid",
    "_inference": "infer Inference",
    "_compare": "compare Comparison",
    "_input": "input_pipeline",
    "_input_path": "InputPipeline",
    "_kernel": "gemm kernel optimizers",
    "_memory": "Memory memory",
    "_network": "layer_kinds Network",
    "_page": "report",
    "_plan": "Plan",
    "_plots": "plot_roofline plot_scaling plot_serving",
    "_prediction": "predict Prediction",
    "_quantity": "format_quantity quantity",
    "_record": "dtype",
    "_records": "Dataset Engine Gpu InferenceProfile Link Machine MemoryProfile NetworkTotals Optimizer Run Source",
    "_search": "Deadline search size_training Search",
    "_sensitivity": "sensitivity upgrades with_gpu with_link with_number",
    "_sizing": "Choices size Sizing",
    "_sweep": "Sweep sweep",
    "_system": "Ring System",
    "_columns": "ColumnInfo",
    "_table": "Table",
    "_timeline": "plot_timeline",
    "_serving": "serve Serving",
    "_serving_goal": "size_serving Served",
    "_settings": "RunSettings run_from",
    "_validate": "validate Validation validation_sets",
    "_versions": "show_versions",
    "importers": "from_hf from_keras from_onnx from_torch",
}

HOMES = {name: (module, name) for module, names in MODULES.items() for name in names.split()}
HOMES["list"] = ("_catalog", "list_entries")  # where `list` is Python's
