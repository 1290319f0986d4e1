"use strict";
// Numbers for people, and pictures of them as SVG. Colours are those of Okabe and Ito, then of Tol, which colour-blind readers tell
// apart: one for each part of a GPU's memory.
const Draw = (() => {
  const COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B8A800", "#7f7f7f", "#8856a7",
                   "#DDCC77", "#882255", "#332288"];
  const SCALES = [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "u"], [1e-9, "n"]];

  const escape = text => String(text).replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);

  // Three or four digits, with the unit's prefix.
  function amount(value, unit) {
    if (value === null || value === undefined || !isFinite(value)) return "unknown";
    const size = Math.abs(value), plain = unit === "" || unit === "%";
    if (unit === "s" && size >= 7200) return size < 172800 ? digits(value / 3600) + " h" : digits(value / 86400) + " d";
    if (plain || unit.startsWith("/")) return size >= 1e5 ? `${digits(value / scale(size)[0])} ${scale(size)[1]}${unit}`
                                                       : `${digits(value)}${unit === "" ? "" : " " + unit}`;
    const [factor, prefix] = scale(size);
    return `${digits(value / factor)} ${prefix}${unit}`;
  }
  function scale(size) { return SCALES.find(([factor]) => size >= factor) || SCALES[SCALES.length - 1]; }
  function digits(value) {
    const size = Math.abs(value);
    if (size === 0) return "0";
    return size >= 1000 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(size >= 100 ? 4 : 3)));
  }

  // Parts of a whole: one bar, and a key with their values.
  function parts(caption, items, unit, whole) {
    const shown = items.filter(i => i.value > 0), sum = shown.reduce((s, i) => s + i.value, 0), all = Math.max(whole || 0, sum);
    let at = 0;
    const bars = shown.map((item, i) => {
      const width = 600 * item.value / all, bar = `<rect x="${at.toFixed(2)}" y="4" width="${width.toFixed(2)}" height="30" ` +
        `fill="${COLOURS[i % COLOURS.length]}"><title>${escape(item.name)}: ${amount(item.value, unit)}</title></rect>`;
      at += width;
      return bar;
    });
    const rest = whole > sum ? `<rect x="${at}" y="4" width="${600 - at}" height="30" fill="none" stroke="currentColor" opacity=".35"/>`
                             : whole ? `<line x1="${600 * whole / all}" x2="${600 * whole / all}" y1="0" y2="38" stroke="currentColor" stroke-width="2"/>` : "";
    const key = shown.map((item, i) => `<li><i style="background:${COLOURS[i % COLOURS.length]}"></i>${escape(item.name)} ` +
      `<b>${amount(item.value, unit)}</b> <span class="soft">${(100 * item.value / sum).toFixed(1)} %</span></li>`);
    return `<figure><figcaption>${escape(caption)}</figcaption><svg viewBox="0 0 600 38" role="img" aria-label="${escape(caption)}">` +
           `${bars.join("")}${rest}</svg><ul class="key">${key.join("")}</ul></figure>`;
  }

  // Ticks of an axis: decades with halves where it is logarithmic.
  function ticks(low, high, log) {
    if (log) {
      const all = [];
      for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++)
        for (const m of high / low > 300 ? [1] : [1, 2, 5]) if (m * 10 ** e >= low * 0.999 && m * 10 ** e <= high * 1.001) all.push(m * 10 ** e);
      return all;
    }
    const rough = (high - low) / 4 || 1, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= rough), all = [];
    for (let t = Math.ceil(low / step) * step; t <= high * 1.0001; t += step) all.push(t);
    return all;
  }

  // Lines over an axis, with bands: series of {name, points: [{x, y, low, high}], dots}.
  function lines(caption, series, {x, y, xlog = true, ylog = false, unit = "", xunit = ""}) {
    const points = series.flatMap(s => s.points).filter(p => p.y > 0 && isFinite(p.y));
    if (points.length < 2) return "";
    const xs = points.map(p => p.x), ys = points.flatMap(p => [p.y, p.low, p.high]).filter(v => v > 0 && isFinite(v));
    const box = {left: 94, right: 448, top: 10, bottom: 208};
    const range = (values, log) => [log ? Math.min(...values) : 0, Math.max(...values) * (log ? 1.05 : 1.02)];
    const [x0, x1] = [Math.min(...xs), Math.max(...xs)], [y0, y1] = range(ys, ylog);
    const place = (v, from, to, log, a, b) => a + (b - a) * (log ? Math.log(v / from) / Math.log(to / from || 2) : (v - from) / (to - from || 1));
    const px = v => place(v, x0, x1, xlog, box.left, box.right).toFixed(1), py = v => place(v, y0, y1, ylog, box.bottom, box.top).toFixed(1);
    let svg = "";
    for (const t of ticks(y0, y1, ylog)) svg += `<line class="grid" x1="${box.left}" x2="${box.right}" y1="${py(t)}" y2="${py(t)}"/>` +
      `<text class="soft" x="${box.left - 6}" y="${+py(t) + 4}" text-anchor="end">${escape(amount(t, unit))}</text>`;
    const along = xlog && new Set(xs).size <= 9 ? [...new Set(xs)].sort((a, b) => a - b) : ticks(x0, x1, xlog);
    for (const t of along) svg += `<text class="soft" x="${px(t)}" y="${box.bottom + 17}" text-anchor="middle">${escape(amount(t, xunit))}</text>`;
    svg += `<text class="soft" x="${(box.left + box.right) / 2}" y="${box.bottom + 34}" text-anchor="middle">${escape(x)}</text>`;
    series.forEach((s, i) => {
      const own = s.points.filter(p => p.y > 0 && isFinite(p.y)), colour = s.colour || COLOURS[i % COLOURS.length];
      const band = own.filter(p => p.low > 0 && p.high > 0);
      if (band.length > 1) svg += `<polygon fill="${colour}" opacity=".16" points="${band.map(p => `${px(p.x)},${py(p.low)}`).join(" ")} ` +
        `${band.slice().reverse().map(p => `${px(p.x)},${py(p.high)}`).join(" ")}"/>`;
      if (!s.dots) svg += `<polyline fill="none" stroke="${colour}" stroke-width="2" ${s.dashed ? 'stroke-dasharray="5 4"' : ""} points="${own.map(p => `${px(p.x)},${py(p.y)}`).join(" ")}"/>`;
      if (!s.dashed) for (const p of own) svg += `<circle cx="${px(p.x)}" cy="${py(p.y)}" r="3.4" fill="${colour}"><title>${escape(p.title || `${amount(p.x, xunit)}: ${amount(p.y, unit)}`)}</title></circle>`;
    });
    const key = series.length > 1 ? `<ul class="key">${series.map((s, i) => `<li><i${s.dashed ? ' class="dashed"' : ""} style="background:${s.colour || COLOURS[i % COLOURS.length]}"></i>${escape(s.name)}</li>`).join("")}</ul>` : "";
    return `<figure><figcaption>${escape(caption)}</figcaption><svg viewBox="0 0 460 248" role="img" aria-label="${escape(caption)}">` +
           `${svg}</svg>${key}</figure>`;
  }

  // How far each of a few names moves the answer; what makes it worse has a colour of its own.
  function bars(caption, items, unit) {
    const most = Math.max(...items.map(i => Math.abs(i.value)), 1e-9), height = 22 * items.length + 8;
    const rows = items.map((item, i) => {
      const width = 360 * Math.abs(item.value) / most, y = 4 + 22 * i;
      return `<text x="160" y="${y + 14}" text-anchor="end">${escape(item.name)}</text><rect x="170" y="${y + 2}" width="${width.toFixed(1)}" height="16" ` +
             `fill="${COLOURS[item.value < 0 ? 5 : 0]}"/><text class="soft" x="${176 + width}" y="${y + 14}">${escape(amount(item.value, unit))}</text>`;
    });
    return `<figure><figcaption>${escape(caption)}</figcaption><svg viewBox="0 0 600 ${height}" role="img" aria-label="${escape(caption)}">${rows.join("")}</svg></figure>`;
  }

  return {amount, parts, lines, bars, escape, COLOURS};
})();
