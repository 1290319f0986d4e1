#!/usr/bin/env python3
"""Writes data/networks/published.xml and the counts that tests expect, from sizes that packages ship.

    published_sizes.py          writes both; needs the packages litgpt, maxtext, llm-analysis, transformers, torch
    published_sizes.py --check  fails if the packages say otherwise

litgpt (Lightning AI, Apache-2.0) has the sizes of published checkpoints by the names that they have on the Hugging Face
Hub. Models of equal sizes are one network, with the other names as aliases; those that the catalogue has already, under
the same name, are left to it. Transformers (Hugging Face, Apache-2.0) names a checkpoint that the defaults of a model
type are like; where the count of these defaults is what the name or the model's card says, they are its sizes. MaxText
(Google, Apache-2.0) has whole configurations of the checkpoints that it converts, with their names; where numbers alone
do not say what such a configuration does, it is left out. llm-analysis (Cheng Li, Apache-2.0) has sizes of older ones.
Counts are those of Transformers' classes, on the meta device: nothing is downloaded.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.util
import json
import os
import pathlib
import re
import sys
from typing import Any
from xml.sax.saxutils import quoteattr

ROOT = pathlib.Path(__file__).resolve().parents[2]
NETWORKS = ROOT / "data" / "networks" / "published.xml"
COUNTS = ROOT / "bindings" / "python" / "tests" / "published_sizes.json"

# Heads tied to the words' embedding, which litgpt has no field for: as the published config.json has it.
TIED = re.compile(
    r"(?i)^(gemma|codegemma|llama-3\.2|smollm2|falcon-(7|40)b|olmo-1b|phi-4-mini|"
    r"qwen2\.5(-coder|-math)?-(0\.5|1\.5|3)b|qwen3-(0\.6|1\.7|4)b)"
)
SWITCHES = ("tie_word_embeddings", "new_decoder_architecture", "attention_bias", "use_qk_norm", "attention_k_eq_v",
            "enable_moe_block", "use_double_wide_mlp")  # fmt: skip
# Words at the end that leave the layers as they are (libperfmodel/src/catalog/hub_name.c).
TUNED = re.compile(r"(?i)(-(instruct|chat|it|pt|hf|thinking|\d{4}|(?<=b-)base))+$")
LONGEST = 8192  # tokens of a sample, unless --set seq=N

HEADER = """<?xml version="1.0" encoding="UTF-8"?>
<!-- Published language models by the names that they have on the Hugging Face Hub: sizes of model types that the
     library reads config.json of. Written by lab/scripts/published_sizes.py. -->
<perfmodel version="1">
"""


def folder_of(package: str) -> pathlib.Path:
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        sys.exit(f"published_sizes: the package {package} is not installed")
    return pathlib.Path(found.submodule_search_locations[0])


def module_of(package: str, file: str) -> Any:
    """One module alone: these packages import what is not needed here."""
    name = f"{package}_{pathlib.Path(file).stem}"
    spec = importlib.util.spec_from_file_location(name, folder_of(package) / file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def model_type(c: Any, org: str) -> str:
    """The type of Transformers that has these layers."""
    if c.mlp_class_name == "GptNeoxMLP":
        return {"tiiuae": "falcon", "microsoft": "phi"}.get(org, "gpt_neox")
    if c.norm_class_name == "LayerNorm":
        return {"stabilityai": "stablelm", "allenai": "olmo"}[org]
    if c.mlp_class_name == "LLaMAMoE":
        return {"mistralai": "mixtral", "Qwen": "qwen3_moe"}[org]
    if c.mlp_class_name == "GemmaMLP":
        return "gemma3_text" if c.norm_qk else "gemma2" if c.post_attention_norm else "gemma"
    if org == "Qwen":
        return "qwen3" if c.norm_qk else "qwen2"
    return {"allenai": "olmo2", "microsoft": "phi3"}.get(org, "llama")


def settings(c: Any, kind: str) -> dict[str, int]:
    """The settings of a config.json, as numbers."""
    made = {
        "hidden_size": c.n_embd, "num_hidden_layers": c.n_layer, "num_attention_heads": c.n_head,
        "vocab_size": c.padded_vocab_size, "tie_word_embeddings": int(bool(TIED.match(c.name))),
    }  # fmt: skip
    groups = c.n_query_groups or c.n_head
    if kind == "falcon":
        return {**made, "num_kv_heads": groups, "new_decoder_architecture": int(not c.shared_attention_norm)}
    made["intermediate_size"] = c.intermediate_size
    if kind != "gpt_neox":
        made["num_key_value_heads"] = groups
    if c.head_size * c.n_head != c.n_embd or kind.startswith(("gemma", "qwen3")):
        made["head_dim"] = c.head_size
    if kind == "mixtral":
        made.update(num_local_experts=c.n_expert, num_experts_per_tok=c.n_expert_per_token)
    if kind == "qwen3_moe":
        made.update(num_experts=c.n_expert, num_experts_per_tok=c.n_expert_per_token,
                    moe_intermediate_size=c.moe_intermediate_size)  # fmt: skip
    if kind.startswith(("gemma2", "gemma3")) and c.sliding_window_size:
        made["sliding_window"] = c.sliding_window_size
    return made


@dataclasses.dataclass
class Published:
    """Models of equal sizes."""

    kind: str
    settings: dict[str, Any]
    tokens: int
    names: list[str]
    hub: list[str]
    source: str = "litgpt"


# Model types whose defaults are their checkpoint: its name, and its parameters in billions, with as many digits as
# its name or its card prints.
DEFAULTS = {
    "biogpt": ("microsoft/biogpt", "0.347"), "cohere": ("CohereForAI/c4ai-command-r-v01", "35"),
    "ernie4_5": ("baidu/ERNIE-4.5-0.3B-PT", "0.36"), "ernie4_5_moe": ("baidu/ERNIE-4.5-21B-A3B-PT", "21.8"),
    "glm": ("THUDM/glm-4-9b-chat", "9.4"), "gpt_neo": ("EleutherAI/gpt-neo-1.3B", "1.3"),
    "gpt_neox": ("EleutherAI/gpt-neox-20b", "20.6"), "gptj": ("EleutherAI/gpt-j-6B", "6.05"),
    "exaone": ("LGAI-EXAONE/EXAONE-3.0-7.8B-Instruct", "7.8"), "flex_olmo": ("allenai/FlexOlmo-7x7B-1T", "33"),
    "glm_moe_dsa": ("zai-org/GLM-5", "744"), "granite_swa": ("ibm-granite/granite-swash-2b", "2"),
    "hy_v3": ("tencent/Hy3-preview", "295"), "iquestcoder": ("IQuestLab/IQuest-Coder-V1-40B-Instruct", "40"),
    "jamba": ("ai21labs/Jamba-v0.1", "52"), "mellum": ("JetBrains/Mellum2-12B-A2.5B-Base", "12"),
    "mimo_v2_flash": ("XiaomiMiMo/MiMo-V2-Flash", "309"), "minicpm3": ("openbmb/MiniCPM3-4B", "4"),
    "mistral4": ("mistralai/Mistral-Small-4-119B-2603", "119"),
    "helium": ("kyutai/helium-1-preview", "2.17"), "jais2": ("inceptionai/Jais-2-8B-Chat", "8.1"),
    "ministral3": ("mistralai/Ministral-3-8B-Base-2512", "8.5"), "persimmon": ("adept/persimmon-8b-base", "9.4"),
    "phimoe": ("microsoft/Phi-3.5-MoE-instruct", "41.9"), "qwen2_moe": ("Qwen/Qwen1.5-MoE-A2.7B", "14.3"),
    "smollm3": ("HuggingFaceTB/SmolLM3-3B", "3.08"), "xglm": ("facebook/xglm-564M", "0.564"),
    "youtu": ("tencent/Youtu-LLM-2B", "1.96"),
}  # fmt: skip
SETTINGS = (
    "hidden_size", "d_model", "n_embd", "num_hidden_layers", "num_layers", "n_layer", "num_attention_heads",
    "num_heads", "attention_heads", "n_head", "num_key_value_heads", "head_dim", "intermediate_size", "ffn_dim",
    "vocab_size", "max_position_embeddings", "n_positions", "tie_word_embeddings", "rotary_dim", "num_experts",
    "num_local_experts", "moe_num_experts", "num_experts_per_tok", "moe_k", "moe_intermediate_size",
    "shared_expert_intermediate_size", "moe_num_shared_experts", "q_lora_rank", "kv_lora_rank", "qk_nope_head_dim",
    "qk_rope_head_dim", "v_head_dim", "first_k_dense_replace", "n_routed_experts", "n_shared_experts",
    "num_shared_experts", "num_dense_layers", "global_head_dim", "hidden_size_per_layer_input",
    "vocab_size_per_layer_input", "num_kv_shared_layers", "num_global_key_value_heads", "top_k_experts",
    "sliding_window", "index_n_heads", "index_head_dim", "index_topk", "hc_mult", "o_groups",
    "o_lora_rank", "shared_intermediate_size",
    "linear_num_value_heads", "linear_num_key_heads", "linear_key_head_dim", "linear_value_head_dim",
    "full_attention_interval", "mamba_d_state", "mamba_d_conv", "mamba_expand", "mamba_dt_rank", *SWITCHES[2:],
)  # fmt: skip


def by_default() -> list[Published]:
    import inspect

    import transformers

    found = []
    for kind, (name, _) in DEFAULTS.items():
        config = transformers.AutoConfig.for_model(kind)
        if f'checkpoint="{name}"' not in inspect.getsource(sys.modules[type(config).__module__]):
            sys.exit(f"published_sizes: Transformers does not name {name} for {kind}")
        found.append(Published(kind, *numbers(config.to_dict()), [name.split("/")[1]], [name], "transformers"))
    return found


def numbers(saved: dict[str, Any]) -> tuple[dict[str, int], int]:
    """The settings that are numbers, and tokens of a sample."""
    given = {key: int(saved[key]) for key in SETTINGS if isinstance(saved.get(key), int)}
    return given, min(given.get("max_position_embeddings", given.get("n_positions", LONGEST)), LONGEST)


def of_maxtext() -> list[Published]:
    """Configurations of which numbers, and where these do not suffice the types of layers, make the same network."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    import perfmodel as pm

    configs = module_of("maxtext", "checkpoint_conversion/utils/hf_model_configs.py").HF_MODEL_CONFIGS
    found, taken = [], shipped_names()
    for name, hub in module_of("maxtext", "utils/globals.py").HF_IDS.items():
        odd = name not in configs or name.startswith("weaver") or name.endswith("fp8")
        if odd or normal(hub.split("/")[1]) in taken:
            continue
        whole = configs[name].to_dict()
        saved = whole.get("text_config", whole)
        kind = saved["model_type"]
        if kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
            continue
        given, tokens = numbers(saved)
        said = pm.from_hf({"model_type": kind, **saved}, seq=tokens).totals
        lists = {key: saved[key] for key in ("layer_types", "compress_ratios") if saved.get(key)}
        for sizes in (given, {**given, **lists}):
            made = pm.from_hf({"model_type": kind, **sizes}, seq=tokens).totals
            if (made.parameters, made.flop) == (said.parameters, said.flop):
                found.append(Published(kind, sizes, tokens, [hub.split("/")[1]], [hub], "maxtext"))
                break
        else:
            print(f"{hub}: not by numbers and types of layers alone")
    return found


# Its names of sizes, as the configurations of each type have them.
OLDER = {
    "opt": ("hidden_size", "num_hidden_layers", "num_attention_heads", "ffn_dim", "max_position_embeddings"),
    "bloom": ("hidden_size", "n_layer", "n_head", "", "seq_length"),
}


def of_llm_analysis() -> list[Published]:
    """Published ones alone: neither tests nor those whose sizes are not all in it (OPT 350M, gated networks)."""
    found = []
    for path in sorted((folder_of("llm_analysis") / "model_configs").glob("*_*.json")):
        c = json.loads(path.read_text(encoding="utf-8"))
        org, name = path.stem.split("_", 1)
        odd = "test" in path.stem or "tiny" in path.stem or "delta" in name or name in ("opt-350m", "scibert")
        if odd or c.get("model_type") not in OLDER:
            continue
        keys = OLDER[c["model_type"]]
        sizes = (c["hidden_dim"], c["num_layers"], c["n_head"], c["ffn_embed_dim"], c["max_seq_len"])
        given = {"vocab_size": c["vocab_size"], **{key: size for key, size in zip(keys, sizes) if key and size}}
        tokens = min(c["max_seq_len"] or 2048, LONGEST)
        found.append(Published(c["model_type"], given, tokens, [name], [f"{org}/{name}"], "llm-analysis"))
    return found


def published() -> list[Published]:
    """Models of equal sizes in one source are one."""
    found: dict[Any, Published] = {}
    for one in of_litgpt() + by_default() + of_maxtext() + of_llm_analysis():
        key = (one.source, one.kind, one.tokens, json.dumps(one.settings, sort_keys=True))
        if key in found:
            found[key].names += one.names
            found[key].hub += one.hub
        else:
            found[key] = one
    return list(found.values())


def of_litgpt() -> list[Published]:
    module = module_of("litgpt", "config.py")
    found: dict[Any, Published] = {}
    for entry in module.configs:
        c = module.Config.from_name(entry["name"])
        org = c.hf_config["org"]
        kind = model_type(c, org)
        given = settings(c, kind)
        tokens = min(c.block_size, LONGEST)
        key = (kind, tokens, tuple(given.items()))
        one = found.setdefault(key, Published(kind, given, tokens, [], []))
        if c.hf_config["name"] not in one.names:
            one.names.append(c.hf_config["name"])
            one.hub.append(f"{org}/{c.hf_config['name']}")
    return list(found.values())


def normal(name: str) -> str:
    return re.sub(r"[ _/-]|(?<!\d)\.|\.(?!\d)", "", name.lower()).replace(".", "-")


def shipped_names() -> set[str]:
    """Of the other files of the catalogue: what a name may not be a second time."""
    names = set()
    for path in sorted(NETWORKS.parent.glob("*.xml")):
        if path != NETWORKS:
            text = path.read_text(encoding="utf-8")
            names |= set(re.findall(r'<network id="([^"]+)"', text))
            names |= set(re.findall(r'<network [^>]*?name="([^"]+)"', text))
            names |= {a.strip() for line in re.findall(r'alias="([^"]+)"', text) for a in line.split(",")}
    return {normal(name) for name in names}


def written(value: Any) -> str:
    return f'"{value}"' if isinstance(value, int) else quoteattr(json.dumps(value))


def element(one: Published, taken: set[str]) -> str:
    names = [name for name in one.names if normal(name) not in taken]
    stems = [TUNED.sub("", name) for name in names]  # by which the library finds weights that were tuned in other ways
    names += [name for name in dict.fromkeys(stems) if normal(name) not in taken | {normal(n) for n in names}]
    if not names:
        return ""
    taken |= {normal(name) for name in names}
    id = re.sub(r"[^a-z0-9.]+", "-", names[0].lower())
    alias = f'\n           alias={quoteattr(", ".join(names[1:]))}' if names[1:] else ""
    head = f'  <network id="{id}" name={quoteattr(names[0])} model="{one.kind}" source="{one.source}"{alias}>'
    values = {"seq": one.tokens, **one.settings}
    lines = (f"    <param name={quoteattr(key)} default={written(value)}/>" for key, value in values.items())
    return "\n".join([head, *lines, "  </network>\n"])


def xml(models: list[Published]) -> str:
    taken = shipped_names()
    made = [text for text in (element(one, taken) for one in models) if text]
    return HEADER + "\n" + "\n".join(made) + "\n</perfmodel>\n"


def class_of(kind: str) -> str:
    """The decoder with its head; not every type is in the package's list of them."""
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    return MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.get(kind, f"{kind.title().replace('_', '')}ForCausalLM")


def counts(models: list[Published]) -> dict[str, int]:
    """Parameters by the names of the Hub."""
    import torch
    import transformers

    found = {}
    for one in models:
        given = {name: bool(value) if name in SWITCHES else value for name, value in one.settings.items()}
        if "kv_lora_rank" in given:  # queries are as wide as they are, where nothing narrows them
            given.setdefault("q_lora_rank", None)
        config = transformers.AutoConfig.for_model(one.kind, pad_token_id=0, **given)
        with torch.device("meta"):
            parameters = getattr(transformers, class_of(one.kind))(config).num_parameters()
        said = DEFAULTS[one.kind][1] if one.source == "transformers" else ""
        if said and said != f"{parameters / 1e9:.{len(said.partition('.')[2])}f}":
            sys.exit(f"published_sizes: {one.hub[0]} has {parameters} parameters, not {said} billion")
        found.update({name: parameters for name in one.hub})
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="change nothing; fail if anything differs")
    options = parser.parse_args()
    os.environ["HF_HUB_OFFLINE"] = "1"
    models = published()
    made = {NETWORKS: xml(models), COUNTS: json.dumps(counts(models), indent=1) + "\n"}
    different = [path for path, text in made.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in different if not options.check else []:
        path.write_text(made[path], encoding="utf-8")
    print(f"{len(models)} sizes of {sum(len(one.hub) for one in models)} models; {len(different)} files differ")
    return int(options.check and bool(different))


if __name__ == "__main__":
    sys.exit(main())
