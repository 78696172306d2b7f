/** The style of the HTML view. */
export const pageStyle = `
body{margin:0;font:14px system-ui,sans-serif;display:grid;grid-template-columns:1fr 20rem;height:100vh;color:#1b1f24;background:#fff}
svg{width:100%;height:100%;background:#f6f8fa;cursor:grab}
aside{padding:1rem;overflow:auto;border-left:1px solid #d0d7de}
h1{font-size:1rem;margin:0 0 .5rem}
input[type=search]{width:100%;box-sizing:border-box;padding:.4rem}
label{display:block;margin:.2rem 0}
.swatch{display:inline-block;width:.8em;height:.8em;border-radius:50%;margin:0 .4em}
dl{margin:.5rem 0}dt{font-weight:600;margin-top:.4rem}dd{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}
line{stroke:#8c959f}text{font-size:11px;pointer-events:none}
.edge{fill:#57606a;font-size:9px}circle{cursor:pointer;stroke:#fff;stroke-width:1.5}
.dim{opacity:.12}.off{display:none}circle.picked{stroke:#1b1f24;stroke-width:3}
@media (prefers-color-scheme:dark){body{background:#0d1117;color:#e6edf3}svg{background:#161b22}aside{border-color:#30363d}text{fill:#e6edf3}.edge{fill:#9198a1}}
`;

/**
 * The script of the HTML view: force layout (a spiral by type for large graphs), pan and zoom, search, type filters, and the
 * attributes of the selected node. All texts of the graph are set with `textContent`.
 */
export const pageProgram = `
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const make = (name, attributes, parent) => {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const key in attributes) element.setAttribute(key, attributes[key]);
  parent.append(element);
  return element;
};
const svg = document.querySelector('svg');
const types = [...new Set(data.nodes.map((node) => node.label))];
const colour = (type) => 'hsl(' + Math.round((types.indexOf(type) * 137.5) % 360) + ' 60% 50%)';
const nodes = data.nodes.map((node, index) => {
  const angle = index * 2.4, radius = 14 * Math.sqrt(index + 1);
  return { ...node, x: radius * Math.cos(angle), y: radius * Math.sin(angle), dx: 0, dy: 0 };
});
const edges = data.edges.filter((edge) => edge.source !== edge.target);
const steps = nodes.length <= 700 ? 200 : 0;
for (let step = 0; step < steps; step++) {
  const heat = 12 * (1 - step / steps);
  for (const node of nodes) { node.dx = -node.x * 0.01; node.dy = -node.y * 0.01; }
  for (let i = 0; i < nodes.length; i++) for (let j = 0; j < i; j++) {
    const a = nodes[i], b = nodes[j], x = a.x - b.x || 0.1, y = a.y - b.y || 0.1, force = 2500 / (x * x + y * y);
    a.dx += x * force * 0.02; a.dy += y * force * 0.02; b.dx -= x * force * 0.02; b.dy -= y * force * 0.02;
  }
  for (const { source, target } of edges) {
    const a = nodes[source], b = nodes[target], x = b.x - a.x, y = b.y - a.y;
    const pull = (Math.hypot(x, y) - 90) * 0.002;
    a.dx += x * pull; a.dy += y * pull; b.dx -= x * pull; b.dy -= y * pull;
  }
  for (const node of nodes) {
    const length = Math.hypot(node.dx, node.dy) || 1, by = Math.min(length * 5, heat) / length;
    node.x += node.dx * by; node.y += node.dy * by;
  }
}
const arrows = make('marker', { id: 'arrow', viewBox: '0 0 8 8', refX: 17, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, make('defs', {}, svg));
make('path', { d: 'M0 0L8 4L0 8z', fill: '#8c959f' }, arrows);
const isLarge = nodes.length > 700;
const parallel = new Map();
for (const edge of edges) {
  const a = nodes[edge.source], b = nodes[edge.target];
  edge.line = make('line', { x1: a.x, y1: a.y, x2: b.x, y2: b.y, 'marker-end': 'url(#arrow)' }, svg);
  if (isLarge) continue;
  const pair = Math.min(edge.source, edge.target) + ' ' + Math.max(edge.source, edge.target), nth = parallel.get(pair) || 0;
  parallel.set(pair, nth + 1);
  edge.text = make('text', { class: 'edge', x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 + 10 * nth, 'text-anchor': 'middle' }, svg);
  edge.text.textContent = edge.label;
}
const details = document.getElementById('details');
const pick = (index) => {
  const near = new Set([index]);
  for (const { source, target } of data.edges) { if (source === index) near.add(target); if (target === index) near.add(source); }
  nodes.forEach((node, at) => { node.circle.classList.toggle('picked', at === index); dim(node, !near.has(at)); });
  for (const edge of edges) dim(edge, edge.source !== index && edge.target !== index);
  details.replaceChildren();
  for (const [key, value] of Object.entries(nodes[index].attributes)) {
    const term = document.createElement('dt'), text = document.createElement('dd');
    term.textContent = key;
    text.textContent = typeof value === 'string' ? value : JSON.stringify(value, null, 1);
    details.append(term, text);
  }
};
const parts = (item) => [item.circle, item.line, item.text].filter(Boolean);
const dim = (item, isDim) => parts(item).forEach((part) => part.classList.toggle('dim', isDim));
nodes.forEach((node, index) => {
  node.circle = make('circle', { cx: node.x, cy: node.y, r: 9, fill: colour(node.label), tabindex: 0 }, svg);
  make('title', {}, node.circle).textContent = node.title;
  node.circle.addEventListener('click', () => pick(index));
  node.circle.addEventListener('keydown', (event) => { if (event.key === 'Enter') pick(index); });
  if (isLarge) return;
  node.text = make('text', { x: node.x + 11, y: node.y + 4 }, svg);
  node.text.textContent = node.title.slice(0, 30);
});
const hidden = new Set();
const legend = document.getElementById('types');
for (const type of types) {
  const label = document.createElement('label'), box = document.createElement('input'), swatch = document.createElement('span');
  box.type = 'checkbox'; box.checked = true; swatch.className = 'swatch'; swatch.style.background = colour(type);
  box.addEventListener('change', () => { if (box.checked) hidden.delete(type); else hidden.add(type); show(); });
  label.append(box, swatch, type + ' (' + nodes.filter((node) => node.label === type).length + ')');
  legend.append(label);
}
const show = () => {
  for (const node of nodes) parts(node).forEach((part) => part.classList.toggle('off', hidden.has(node.label)));
  for (const edge of edges) {
    const isOff = hidden.has(nodes[edge.source].label) || hidden.has(nodes[edge.target].label);
    parts(edge).forEach((part) => part.classList.toggle('off', isOff));
  }
};
document.querySelector('input[type=search]').addEventListener('input', (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const node of nodes) dim(node, !JSON.stringify(node.attributes).toLowerCase().includes(wanted));
  for (const edge of edges) dim(edge, wanted !== '');
});
let left = Infinity, top_ = Infinity, right = -Infinity, bottom = -Infinity;
for (const { x, y } of nodes) { left = Math.min(left, x); top_ = Math.min(top_, y); right = Math.max(right, x); bottom = Math.max(bottom, y); }
const view = { x: left - 80, y: top_ - 80, w: right - left + 200, h: bottom - top_ + 160 };
const draw = () => svg.setAttribute('viewBox', [view.x, view.y, view.w, view.h].join(' '));
draw();
svg.addEventListener('wheel', (event) => {
  event.preventDefault();
  const by = event.deltaY > 0 ? 1.15 : 1 / 1.15, at = svg.getBoundingClientRect();
  const x = (event.clientX - at.left) / at.width, y = (event.clientY - at.top) / at.height;
  view.x += view.w * x * (1 - by); view.y += view.h * y * (1 - by); view.w *= by; view.h *= by;
  draw();
}, { passive: false });
let isDragging = false;
svg.addEventListener('pointerdown', (event) => { isDragging = event.target === svg; });
addEventListener('pointerup', () => { isDragging = false; });
addEventListener('pointermove', (event) => {
  if (!isDragging) return;
  const scale = Math.max(view.w / svg.clientWidth, view.h / svg.clientHeight);
  view.x -= event.movementX * scale; view.y -= event.movementY * scale;
  draw();
});
`;
