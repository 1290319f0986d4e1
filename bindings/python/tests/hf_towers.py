#!/usr/bin/env python3
"""Writes hf_towers.json: parameters and MAC of Transformers' own towers of images, small ones, which run.

    hf_towers.py            writes it; needs the packages transformers and torch
    hf_towers.py --check    fails if the installed package counts otherwise

No weights are read and nothing is downloaded. Each row is a configuration, the side of an image, and its counts.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pathlib
import sys
from typing import Any

TABLE = pathlib.Path(__file__).resolve().parent / "hf_towers.json"
USUAL = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
QWEN = {"hidden_size": 64, "depth": 2, "num_heads": 4, "intermediate_size": 96, "out_hidden_size": 48}
WINDOWS = {**QWEN, "fullatt_block_indexes": [1], "window_size": 28}
ROWS = {"qwen2_vl_vision", "qwen2_5_vl_vision", "qwen3_vl_vision", "glm4v_vision", "exaone4_5_vision",
        "ernie4_5_vl_moe_vision", "qwen3_5_vision"}  # whose patches are rows under another name  # fmt: skip

# (model type, folder, class, settings). Without MAC: the positions of SigLIP 2 and the pooling of Gemma 4 are products
# of their own in the package.
CASES: list[tuple[str, str, str, dict[str, Any]]] = [
    ("siglip_vision_model", "siglip", "SiglipVisionModel", {**USUAL, "image_size": 64}),
    ("siglip2_vision_model", "siglip2", "Siglip2VisionModel", {**USUAL, "num_patches": 16}),
    ("idefics2_vision", "idefics2", "Idefics2VisionTransformer", {**USUAL, "image_size": 64, "patch_size": 16}),
    ("idefics3_vision", "idefics3", "Idefics3VisionTransformer", {**USUAL, "image_size": 64, "patch_size": 16}),
    ("pixtral", "pixtral", "PixtralVisionModel", {**USUAL, "image_size": 64}),
    ("qwen2_vl_vision", "qwen2_vl", "Qwen2VisionTransformerPretrainedModel",
     {"embed_dim": 64, "depth": 2, "num_heads": 4, "hidden_size": 48}),
    ("qwen2_5_vl_vision", "qwen2_5_vl", "Qwen2_5_VisionTransformerPretrainedModel", WINDOWS),
    ("qwen3_vl_vision", "qwen3_vl", "Qwen3VLVisionModel",
     {**QWEN, "num_position_embeddings": 16, "deepstack_visual_indexes": [0]}),
    ("qwen3_5_vision", "qwen3_5", "Qwen3_5VisionModel", {**QWEN, "num_position_embeddings": 16}),
    ("llama4_vision_model", "llama4", "Llama4VisionModel",
     {**USUAL, "image_size": 56, "projector_input_dim": 32, "projector_output_dim": 32, "intermediate_size": 256}),
    ("glm4v_vision", "glm4v", "Glm4vVisionModel", {**QWEN, "image_size": 56}),
    ("gemma4_vision", "gemma4", "Gemma4VisionModel",
     {**USUAL, "head_dim": 16, "num_key_value_heads": 4, "position_embedding_size": 64}),
    ("internvl_vision", "internvl", "InternVLVisionModel",
     {**USUAL, "image_size": [56, 56], "use_qk_norm": True, "norm_type": "rms_norm"}),
    ("internvl_vision", "internvl", "InternVLVisionModel",
     {**USUAL, "image_size": [56, 56], "attention_bias": True, "use_mean_pooling": False}),
    ("kimi_k25_vision", "kimi_k25", "Kimi_K25VisionModel", {**USUAL, "pos_emb_height": 4, "pos_emb_width": 4}),
    ("minimax_m3_vl_vision", "minimax_m3_vl", "MiniMaxM3VLVisionModel", {**USUAL, "image_size": 56}),
    ("exaone4_5_vision", "exaone4_5", "Exaone4_5_VisionModel", {**WINDOWS, "num_key_value_heads": 2}),
    ("ernie4_5_vl_moe_vision", "ernie4_5_vl_moe", "Ernie4_5_VLMoeVisionTransformerPretrainedModel", QWEN),
    ("paddleocr_vl_vision", "paddleocr_vl", "PaddleOCRVisionModel", {**USUAL, "image_size": 56}),
    ("video_llama_3_vision", "video_llama_3", "VideoLlama3VisionModel", USUAL),
]  # fmt: skip
PARAMETERS_ALONE = {"siglip2_vision_model", "gemma4_vision", "paddleocr_vl_vision"}


def inputs(config: Any, kind: str, side: int) -> dict[str, Any]:
    """An image of zeros, as the tower of that type takes it."""
    import torch

    patch = patch_of(config)
    count, channels = side // patch, getattr(config, "num_channels", None) or getattr(config, "in_channels", 3)
    flat = torch.zeros(count * count, channels * (getattr(config, "temporal_patch_size", None) or 1) * patch**2)
    grid, image = torch.tensor([[1, count, count]]), torch.zeros(1, channels, side, side)
    if kind in ROWS:
        return {"hidden_states": flat, "grid_thw": grid}
    if kind == "kimi_k25_vision":
        return {"pixel_values": flat.view(-1, channels, patch, patch), "grid_thw": grid}
    if kind == "minimax_m3_vl_vision":
        return {"pixel_values": flat, "grid_thw": grid}
    if kind == "video_llama_3_vision":
        return {"pixel_values": flat, "grid_thw": grid, "merge_sizes": torch.tensor([2])}
    return {"pixel_values": image, **({"image_sizes": torch.tensor([[side, side]])} if kind == "pixtral" else {})}


def patch_of(config: Any) -> int:
    patch = config.patch_size
    return int(patch if isinstance(patch, int) else patch[0])


def row(kind: str, folder: str, name: str, settings: dict[str, Any]) -> dict[str, Any]:
    import torch
    import torchvision_on_cpu  # noqa: F401
    from torch.utils.flop_counter import FlopCounterMode

    known = vars(importlib.import_module(f"transformers.models.{folder}.configuration_{folder}")).values()
    config = next(c for c in known if isinstance(c, type) and getattr(c, "model_type", None) == kind)(**settings)
    config._attn_implementation = "eager"
    model = getattr(importlib.import_module(f"transformers.models.{folder}.modeling_{folder}"), name)(config).eval()
    side = 4 * patch_of(config)
    saved = json.loads(config.to_json_string(use_diff=False))
    kept = {key: saved[key] for key in ({*settings, "model_type", "patch_size"})}
    made = {"config": kept, "image": side, "parameters": model.num_parameters()}
    if kind in PARAMETERS_ALONE:
        return made
    counter = FlopCounterMode(display=False, depth=None)
    with torch.no_grad(), counter:
        model(**inputs(config, kind, side))
    tables = [flop for place, flop in counter.get_flop_counts().items() if place.endswith("rotary_emb")]
    return {**made, "mac": (counter.get_total_flops() - sum(sum(flops.values()) for flops in tables)) // 2}


def text() -> str:
    lines = ",\n".join(json.dumps(row(*case), sort_keys=True) for case in CASES)
    return f"[\n{lines}\n]\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if a count differs")
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    made = text()
    if options.check:
        return int(made != TABLE.read_text(encoding="utf-8"))
    TABLE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
