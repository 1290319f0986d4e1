"use strict";
// The page: what the form asks becomes a command line, which the program answers as JSON; what is shown is drawn from that.
// Nothing is computed here: every number is the command's.
const App = (() => {
  const {amount, escape} = Draw;
  const $ = selector => document.querySelector(selector);
  const form = $("#question"), answer = $("#answer");
  const files = {};     // what was dropped: name -> bytes
  const own = {};       // of these, the model that is asked about and the catalogue that is read
  let program = null, kept = null; // the module; the answer to compare with
  const START = {task: "predict", network: "llama3-8b", system: "dgx-h100", precision: "bf16", zero: "3"};
  const FACTORS = {"x-clock": "gpu.clock", "x-bandwidth": "gpu.memory_bandwidth", "x-network": "network.bandwidth"};

  // ---- The program ------------------------------------------------------------------------------------------------

  async function unpack() {
    const text = atob($("#program").textContent), packed = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    program = await WebAssembly.compileStreaming(new Response(stream, {headers: {"Content-Type": "application/wasm"}}));
  }

  function run(args) { return Wasi.run(program, ["perfmodel", ...args], files); }

  const MOST = 40;            // answers that are kept
  const answers = new Map();  // command line -> its answer, the one that was asked for last at the end

  // Rows of a command, or its message instead. Pictures and changes that ask the same share an answer.
  function ask(args) {
    const line = JSON.stringify(args), known = answers.get(line) || answered(run([...args, "--format", "json", "-q"]));
    answers.delete(line);
    answers.set(line, known);
    if (answers.size > MOST) answers.delete(answers.keys().next().value);
    return known;
  }

  function answered(result) {
    const error = result.error.trim();
    try {
      return {rows: JSON.parse(result.out), error};
    } catch {
      return {rows: [], error};
    }
  }

  // ---- The question -----------------------------------------------------------------------------------------------

  function state() {
    const all = Object.fromEntries([...new FormData(form)].filter(([, v]) => typeof v === "string" && v.trim() !== ""));
    for (const name of Object.keys(FACTORS)) if (all[name] === "1") delete all[name];
    return all;
  }

  // Words of a line as a shell takes them apart.
  function words(line) { return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(m => m[1] ?? m[2] ?? m[3]); }

  const OPTIONS = {
    predict: ["gpus", "nodes", "precision", "batch", "framework", "tp", "pp", "ep", "zero", "micro-batch", "global-batch", "tokens",
              "gpu-hour-price"],
    infer: ["gpus", "precision", "batch", "framework"],
    serve: ["gpus", "nodes", "precision", "isl", "osl", "concurrency", "rate", "gpu-hour-price"],
  };

  // The command line of a question; `instead` replaces some of its values.
  function command(q, instead = {}) {
    const all = {...q, ...instead}, args = [all.system].map(s => s || "");
    for (const name of OPTIONS[q.task]) if (all[name]) args.push(`--${name}`, all[name]);
    if (q.task === "serve" && all["serve-tp"]) args.push("--tp", all["serve-tp"]);
    if (q.task === "serve" && all.framework) args.push("--engine", all.framework);
    if (own.catalog) args.push("--catalog", own.catalog);
    return [own.model || all.network || "", ...args, ...words(all.more || "")];
  }

  const axes = q => Object.keys(FACTORS).filter(name => q[name]).flatMap(name => ["--axis", `${FACTORS[name]}=x${q[name]}`]);
  const sweep_of = (q, instead) => ["sweep", ...(q.task === "predict" ? [] : ["--task", q.task === "serve" ? "serving" : "inference"]),
                                    ...command(q, instead), ...axes(q)];
  const direct = q => axes(q).length ? sweep_of(q) : [q.task, ...command(q)];

  // ---- What is shown ----------------------------------------------------------------------------------------------

  const TIMES = {
    predict: [["forward", "forward_time"], ["backward, data", "dgrad_time"], ["backward, weights", "wgrad_time"],
              ["recomputation", "recompute_time"], ["update", "update_time"], ["launch overhead", "launch_overhead_time"],
              ["communication", "exposed_communication_time"], ["pipeline bubble", "bubble_time"],
              ["stragglers", "straggler_wait_time"], ["input", "input_wait_time"], ["offloading", "offload_time"]],
    infer: [["matrix multiplications", "product_time"], ["convolutions", "convolution_time"], ["memory-bound kernels", "pass_time"],
            ["conversions", "conversion_time"], ["launch overhead", "launch_overhead_time"]],
    serve: [["linear layers", "product_time"], ["attention", "attention_time"], ["experts", "expert_time"],
            ["norms and activations", "pass_time"], ["communication", "communication_time"], ["engine", "host_time"]],
  };
  const MEMORY = ["weights", "gradients", "optimizer", "activations", "live_gradients", "communication", "context", "workspace",
                  "allocator", "input", "cache", "reserve"];

  const range = (row, name, unit) => row[`${name}_p10`] ? `${amount(row[`${name}_p10`], unit)} to ${amount(row[`${name}_p90`], unit)}` : "unknown";

  function facts(pairs) {
    const shown = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "" && !/^unknown/.test(value));
    return `<dl class="facts">${shown.map(([name, value]) => `<div><dt>${escape(name)}</dt><dd>${escape(value)}</dd></div>`).join("")}</dl>`;
  }

  function headline(number, unit, rest, pairs, note) {
    return `<div><div class="headline"><span><span class="number">${escape(number)}</span> <span class="unit">${escape(unit)}</span></span>` +
           `<span class="unit">${escape(rest)}</span></div>${facts(pairs)}${note ? `<p class="note">${escape(note)}</p>` : ""}</div>`;
  }

  const money = (value, q) => value ? `${amount(value, "")} ${words(q["gpu-hour-price"] || "")[1] || ""}` : "";
  const percent = value => value ? `${(100 * value).toFixed(1)} %` : "";

  const SUMMARY = {
    predict: (row, q) => row.tokens_per_second
      ? headline(amount(row.tokens_per_second, ""), "tokens/s", `${amount(row.throughput, "")} sequences/s, 80 % interval ${range(row, "throughput", "/s")}`, common(row, q))
      : headline(amount(row.throughput, ""), "samples/s", `80 % interval ${range(row, "throughput", "/s")}`, common(row, q)),
    infer: row => headline(amount(row.throughput, ""), "samples/s", `80 % interval ${range(row, "throughput", "/s")}`,
      [["latency", amount(row.latency, "s")], ["limited by", row.bottleneck], ["MFU", percent(row.mfu)], ["memory", amount(row.memory, "B")],
       ["in GPU memory", row.verdict], ["calibration", row.calibration]], row.assumed && `assumed: ${row.assumed}`),
    serve: (row, q) => headline(amount(row.output_rate, ""), "tokens/s", `80 % interval ${range(row, "output_rate", "/s")}`,
      [["TTFT", `${amount(row.ttft, "s")} (${range(row, "ttft", "s")})`], ["TPOT", `${amount(row.tpot, "s")} (${range(row, "tpot", "s")})`],
       ["latency", amount(row.latency, "s")], ["for each user", amount(row.user_rate, "") + " tokens/s"], ["limited by", row.bottleneck],
       ["largest concurrency", row.largest_concurrency && amount(row.largest_concurrency, "")], ["in GPU memory", row.verdict],
       ["cost per 1M output tokens", money(row.output_cost, q)], ["energy per token", amount(row.energy_per_token, "J")],
       ["calibration", row.calibration]],
      row.assumed && `assumed: ${row.assumed}`),
  };

  function common(row, q) {
    return [["step time", amount(row.step_time, "s")], ["limited by", row.bottleneck], ["MFU", percent(row.mfu)],
            ["memory", `${amount(row.memory, "B")} of ${amount(row.gpu_memory, "B")}`], ["in GPU memory", row.verdict],
            ["scaling", percent(row.scaling_efficiency)],
            ["training", row.training_time ? `${amount(row.training_time, "s")} (${range(row, "training_time", "s")})` : ""],
            ["GPU-hours", row.training_gpu_hours && amount(row.training_gpu_hours, "")], ["cost", money(row.training_cost, q)],
            ["power per GPU", amount(row.gpu_power, "W")], ["energy per sample", amount(row.energy_per_sample, "J")],
            ["calibration", row.calibration]];
  }

  function time_bar(row, q) {
    const items = TIMES[q.task].map(([name, field]) => ({name, value: row[field]}));
    const caption = {predict: "Where a step's time goes", infer: "Where a call's time goes", serve: "One pass of decoding"}[q.task];
    return Draw.parts(caption, items, "s");
  }

  function memory_bar(q) {
    const serve = q.task === "serve" ? ["--serve"] : q.task === "infer" ? ["--inference"] : [];
    const {rows} = ask(["memory", ...command({...q, tokens: "", "gpu-hour-price": "", rate: "", concurrency: ""}), ...serve]);
    if (!rows.length) return "";
    const items = MEMORY.map(name => ({name: name.replace("_", " "), value: rows[0][name]}));
    return Draw.parts(`Memory of a GPU: ${amount(rows[0].total, "B")} of ${amount(rows[0].usable, "B")}`, items, "B", rows[0].usable);
  }

  // The answer over its most natural variable: a picture of its rate, and of inference and serving one of its latencies.
  function curve(q, of_time) {
    const serving = q.task === "serve", list = {predict: ["nodes", "1,2,4,8,16,32,64"], infer: ["batch", "1,2,4,8,16,32,64,128,256"],
                                                  serve: ["concurrency", "1,2,4,8,16,32,64,128,256"]}[q.task];
    const instead = {[list[0]]: list[1], ...(serving ? {rate: ""} : {}), "global-batch": ""};
    const rows = ask(sweep_of(q, instead)).rows.filter(r => r.status === "ok");
    const line = (name, field, unit) => ({name, points: rows.map(r => ({x: r[list[0]], y: r[field] * (unit || 1), low: r[`${field}_p10`], high: r[`${field}_p90`]}))});
    if (q.task === "predict") return scaling(rows);
    if (!of_time) return Draw.lines(serving ? "Tokens per second by concurrency" : "Samples per second by batch",
                                    [line("rate", serving ? "output_rate" : "throughput")], {x: list[0], unit: "/s"});
    return serving ? Draw.lines("Latencies by concurrency", [line("TTFT", "ttft"), line("TPOT", "tpot")], {x: list[0], unit: "s", ylog: true})
                   : Draw.lines("Latency by batch", [line("latency", "latency")], {x: list[0], unit: "s"});
  }

  function scaling(rows) {
    const points = rows.map(r => ({x: r.total_gpus, y: r.throughput, low: r.throughput_p10, high: r.throughput_p90}));
    if (points.length < 2) return "";
    const first = points[0], ideal = points.map(p => ({x: p.x, y: first.y * p.x / first.x}));
    return Draw.lines("Samples per second over nodes", [{name: "predicted, 80 % interval", points},
      {name: "linear scaling from the first", points: ideal, dashed: true, colour: "#7f7f7f"}], {x: "GPUs", unit: "/s", ylog: true});
  }

  const ROOFS = {fp32: "peak_fp32", tf32: "peak_tf32_tensor", fp16: "peak_fp16_tensor", bf16: "peak_bf16_tensor", fp8: "peak_fp8_tensor"};

  // Layers under the roof of the GPU, by what a layer does for each byte that it moves.
  function roofline(q) {
    const gpu = q.task === "serve" ? null : gpu_of(q.system), layers = ask(["layers", own.model || q.network, "--batch", q.batch || "1", "--precision", q.precision || "fp32",
                        ...(own.catalog ? ["--catalog", own.catalog] : [])]).rows.filter(r => r.flop > 0 && r.name !== "total");
    const peak = gpu && (gpu[ROOFS[q.precision || "fp32"]] || gpu.peak_fp32), bandwidth = gpu && gpu.memory_bandwidth;
    if (!layers.length || !peak || !bandwidth) return "";
    const moved = l => l.bytes_in + l.bytes_out + l.bytes_parameters;
    const at = layers.map(l => ({x: l.flop / moved(l), title: `${l.name}: ${amount(l.flop, "FLOP")}, ${amount(moved(l), "B")}`}));
    const dots = at.map(p => ({...p, y: Math.min(peak, p.x * bandwidth)})), low = Math.min(...dots.map(p => p.x), 1);
    const high = Math.max(...dots.map(p => p.x), 4 * peak / bandwidth);
    const roof = [low, peak / bandwidth, high].map(x => ({x, y: Math.min(peak, x * bandwidth)}));
    return Draw.lines("Roofline: the most that each layer can reach", [{name: "roof of the GPU", points: roof, dashed: true, colour: "#7f7f7f"},
      {name: "layers, forward", points: dots, dots: true}], {x: "FLOP per byte", unit: "FLOP/s", ylog: true});
  }

  function compare(row, q) {
    if (!kept || kept.q.task !== q.task) return "";
    const fields = {predict: ["throughput", "step_time", "memory", "mfu"], infer: ["throughput", "latency", "memory", "mfu"],
                    serve: ["output_rate", "ttft", "tpot", "user_rate"]}[q.task];
    const units = {throughput: "/s", output_rate: "/s", user_rate: "/s", memory: "B", mfu: ""};
    const names = {mfu: "MFU", ttft: "TTFT", tpot: "TPOT"}, shown = (of, f) => f === "mfu" ? percent(of[f]) : amount(of[f], units[f] ?? "s");
    const [before, now] = [label(kept.q, q), label(q, kept.q)];
    const rows = fields.map(f => `<tr><td>${names[f] || f.replace(/_/g, " ")}</td><td>${shown(kept.row, f)}</td><td>${shown(row, f)}</td><td>${(row[f] / kept.row[f]).toPrecision(3)} x</td></tr>`);
    return `<div><h2>Compared with what you kept</h2><div class="scroll"><table><tr><th></th><th>${escape(before)}</th>` +
           `<th>${escape(now)}</th><th></th></tr>${rows.join("")}</table></div></div>`;
  }

  // A question in a few words: its network and machine, and where it differs from another one.
  function label(q, other) {
    const own_words = Object.keys({...q, ...other}).filter(name => !["task", "network", "system"].includes(name) && q[name] !== other[name]);
    const named = own_words.map(name => `${FACTORS[name] || name} ${FACTORS[name] ? "x" + (q[name] || 1) : q[name] || "default"}`);
    return [own.model || q.network, q.system, ...named].join(", ");
  }

  const quoted = args => args.map(a => /[\s"]/.test(a) ? `"${a}"` : a).join(" ");

  function actions(q) {
    const plans = q.task === "predict" ? '<button data-do="plans">best parallel plans</button>' : "";
    return `<div><div class="buttons"><button data-do="keep">keep to compare</button>${plans}<button data-do="help">what would help</button>` +
           `<button data-do="report">report</button><button data-do="csv">CSV</button></div>` +
           `<p class="note">The same in a terminal: <code>perfmodel ${escape(quoted(direct(q)))}</code></p><div id="more"></div></div>`;
  }

  const PICTURES = {memory: memory_bar, rate: q => curve(q, false), latency: q => q.task === "predict" ? "" : curve(q, true),
                    roofline: (q, row) => roofline({...q, precision: row.precision})};

  // Rooms of the pictures, each with the picture of the question before until it is drawn again.
  function rooms() {
    const before = Object.fromEntries([...answer.querySelectorAll(".picture")].map(e => [e.dataset.picture, e.innerHTML]));
    return Object.keys(PICTURES).map(name => `<div class="picture" data-picture="${name}" aria-busy="true">${before[name] || ""}</div>`).join("");
  }

  function show() {
    const q = state(), started = performance.now(), {rows, error} = ask(direct(q)), row = rows[0];
    watch(null);
    history.replaceState(null, "", "#" + new URLSearchParams(q));
    if (!row || row.status !== "ok") {
      const why = error || (row ? `no answer: ${row.status}` : "no answer");
      answer.innerHTML = `<div class="refusal"><h2>No answer</h2><p>${escape(why.replace(/^perfmodel: /, ""))}</p></div>` +
                         `<div class="charts">${memory_bar(q)}</div>${actions(q)}`;
      say(".refusal");
      return;
    }
    App.last = {q, row};
    answer.innerHTML = SUMMARY[q.task](row, q) + compare(row, q) + `<div class="charts">${time_bar(row, q)}${rooms()}</div>` + actions(q);
    say(".headline");
    App.first = App.first || performance.now() - started;
    watch(picture => PICTURES[picture](q, row));
  }

  // A screen reader is told the answer, not every picture.
  function say(part) { $("#said").textContent = $(part).innerText; }

  // Pictures are drawn when they come into view, each in a task of its own, so that no change waits for them. What was
  // to be drawn of the question before is dropped. The answer is busy while a picture in view is missing.
  let watcher = null, draw_all = () => {};
  function watch(draw) {
    if (watcher) watcher.disconnect();
    answer.setAttribute("aria-busy", draw !== null);
    draw_all = () => {};
    if (draw === null) return;
    const waiting = [], own = watcher = new IntersectionObserver(seen => {
      const first = waiting.length === 0;
      for (const one of seen) if (one.isIntersecting) { own.unobserve(one.target); waiting.push(one.target); }
      if (first) setTimeout(next, 0);
    });
    const put = room => {
      room.innerHTML = draw(room.dataset.picture);
      room.hidden = room.innerHTML === "";
      room.removeAttribute("aria-busy");
    };
    const next = () => {
      if (own !== watcher) return;
      if (waiting.length) { put(waiting[0]); waiting.shift(); setTimeout(next, 0); }
      else answer.setAttribute("aria-busy", "false");
    };
    draw_all = () => { for (const room of answer.querySelectorAll(".picture[aria-busy]")) put(room); };
    for (const room of answer.querySelectorAll(".picture")) own.observe(room);
  }

  function gpu_of(system) {
    const found = ask(["show", "system", system]).rows.find(r => r.field === "gpu"), id = found ? found.value : system;
    return ask(["list", "gpus"]).rows.find(g => g.id === id);
  }

  // ---- Buttons ----------------------------------------------------------------------------------------------------

  function plans(q) {
    const asked = ["search", ...command({...q, tp: "", pp: "", ep: "", zero: "", batch: "", "micro-batch": "",
                                         "global-batch": q["global-batch"] || "256", tokens: "", "gpu-hour-price": ""})];
    const {rows, error} = ask(asked);
    const columns = [["TP", "tensor_parallel"], ["PP", "pipeline_parallel"], ["EP", "expert_parallel"], ["ZeRO", "zero"],
                     ["micro-batch", "micro_batch"], ["recompute", "recompute"]];
    if (!rows.length) return `<p class="note">${escape(error)}</p>`;
    const said = r => columns.map(([n, f]) => `${n} ${r[f] ?? ""}`).join(", ");
    const point = r => ({x: r.memory, y: r.throughput, title: `${said(r)}: ${amount(r.throughput, "/s")}, ${amount(r.memory, "B")}`});
    const kept = ask([...asked, "--front"]).rows.sort((a, b) => a.memory - b.memory).map(point);
    const picture = Draw.lines("Plans: samples per second over the memory of a GPU", [{name: "Pareto front of rate, memory and GPUs",
      points: kept}, {name: "the best plans", points: rows.map(point), dots: true}], {x: "memory of a GPU", unit: "/s", xunit: "B", xlog: false});
    const line = r => `<tr>${columns.map(([, f]) => `<td>${escape(r[f] ?? "")}</td>`).join("")}<td>${amount(r.throughput, "/s")}</td>` +
                      `<td>${range(r, "throughput", "/s")}</td><td>${amount(r.memory, "B")}</td></tr>`;
    return `<h2>Plans with a global batch of ${escape(q["global-batch"] || "256")}, ranked by the lower end of their rate's interval</h2><div class="scroll"><table><tr>` +
           `${columns.map(([n]) => `<th>${n}</th>`).join("")}<th>samples</th><th>80 % interval</th><th>memory</th></tr>${rows.map(line).join("")}</table></div>${picture}`;
  }

  function help(q) {
    const task = {predict: [], infer: ["--inference"], serve: ["--serve"]}[q.task];
    const {rows, error} = ask(["sensitivity", ...command({...q, tokens: "", "gpu-hour-price": ""}), ...task]);
    if (!rows.length) return `<p class="note">${escape(error)}</p>`;
    const items = rows.map(r => ({name: r.resource.replace(/-/g, " "), value: 100 * (r.throughput_change ?? -r.change)}))
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).filter(i => Math.abs(i.value) > 0.005).slice(0, 10);
    return Draw.bars("Throughput gained by 10 % more of each, in %" + (axes(q).length ? ", for the machine without the factors above" : ""), items, "%");
  }

  function download(name, text, type) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], {type}));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  }

  const ACTIONS = {
    keep: () => { kept = App.last; show(); },
    plans: q => { $("#more").innerHTML = plans(q); },
    help: q => { $("#more").innerHTML = help(q); },
    report: q => { const r = run(direct(q)); $("#more").innerHTML = `<pre tabindex="0">${escape(r.out || r.error)}</pre>`; },
    csv: q => download("perfmodel.csv", run([...direct(q), "--format", "csv", "-q"]).out, "text/csv"),
  };

  // ---- Form -------------------------------------------------------------------------------------------------------

  function fit_form() {
    const task = form.elements.task.value;
    for (const part of form.querySelectorAll("[for-task]")) part.classList.toggle("hidden", !part.getAttribute("for-task").split(" ").includes(task));
    for (const slider of form.querySelectorAll("input[type=range]")) slider.nextElementSibling.value = slider.value + " x";
    form.elements.framework.placeholder = task === "serve" ? "newest vLLM" : "default";
  }

  function fill_form() {
    const said = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    const all = said.task ? said : START;
    for (const [name, value] of Object.entries(all)) if (form.elements[name]) form.elements[name].value = value;
    fit_form();
  }

  // What the page cannot read, and who can; "" of the rest.
  function unread(name, bytes) {
    const keras = /\.json$/i.test(name) && /"class_name"\s*:/.test(new TextDecoder().decode(bytes.subarray(0, 4096)));
    if (!keras && !/\.(onnx|keras|h5|hdf5|pt|pth|safetensors|gguf)$/i.test(name)) return "";
    const reads = keras || /\.onnx$/i.test(name) ? `: perfmodel import ${name} -o network.xml writes a file that can be dropped here` : "";
    return reads ? `${name}: ONNX and Keras models are read by the installed command${reads}.`
                 : `${name}: files of weights are not read. Drop the model's config.json, or XML.`;
  }

  // What a dropped catalogue contains can be chosen as what the page came with.
  function offer(name) {
    for (const entry of ask(["check", name]).rows)
      for (const id of {network: ["#networks"], system: ["#systems"], gpu: ["#systems"], framework: ["#frameworks"]}[entry.kind] || [])
        $(id).insertAdjacentHTML("beforeend", `<option value="${escape(entry.id)}"></option>`);
  }

  async function drop(list) {
    for (const file of list) {
      const name = file.name.replace(/[^\w.-]/g, "_"), bytes = new Uint8Array(await file.arrayBuffer());
      const why = unread(name, bytes);
      if (why) { $("#dropped").textContent = why; return; }
      files[name] = bytes;
      answers.clear();
      const kind = /\.xml$/i.test(name) ? "catalog" : "model";
      own[kind] = name;
      if (kind === "catalog") offer(name);
    }
    const said = Object.entries(own).map(([kind, name]) => `${kind === "model" ? "model" : "entries of"} ${name}`).join(", ");
    $("#dropped").textContent = said && `asked about: ${said}`;
    show();
  }

  // A change of several fields is one question: the last state of a frame counts.
  let waiting = 0;
  function soon() {
    fit_form();
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(show);
  }

  function listen() {
    form.addEventListener("input", e => { if (e.target.type !== "file") soon(); });
    form.addEventListener("submit", e => e.preventDefault());
    $("#file").addEventListener("change", e => drop(e.target.files));
    document.addEventListener("dragover", e => { e.preventDefault(); $(".drop").classList.add("over"); });
    document.addEventListener("drop", e => { e.preventDefault(); $(".drop").classList.remove("over"); drop(e.dataTransfer.files); });
    answer.addEventListener("click", e => { const what = e.target.dataset.do; if (what) ACTIONS[what](state()); });
    window.addEventListener("beforeprint", () => draw_all());
    window.addEventListener("hashchange", () => { fill_form(); show(); });
    $("#command").addEventListener("submit", e => {
      e.preventDefault();
      const r = run(words(e.target.elements.line.value.replace(/^\s*perfmodel\s+/, "")));
      $("#output").hidden = false;
      $("#output").textContent = r.out + r.error;
    });
  }

  async function begin() {
    try {
      await unpack();
      fill_form();
      listen();
      show();
      document.body.dataset.ready = "yes";
    } catch (e) {
      answer.innerHTML = `<div class="refusal"><h2>This browser cannot run the page</h2><p>${escape(e)}</p></div>`;
    }
  }

  return {begin, run, ask, forget: () => answers.clear()};
})();
App.begin();
