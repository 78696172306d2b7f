/** Width and height of a node's box, and the minimum gap between two boxes. */
export const box = { width: 188, height: 46, gap: 14 };

export interface Point {
  x: number;
  y: number;
}

/** The centres of the boxes, and the size of the drawing. */
export interface Drawing {
  at: ReadonlyMap<string, Point>;
  width: number;
  height: number;
}

interface Body extends Point {
  id: string;
  dx: number;
  dy: number;
}

const rounds = 240;
const maxSeparations = 400;
/** In radians: successive nodes of a spiral with this angle do not form rays. */
const goldenAngle = 2.4;
const spiralStep = 70;
/** Distance that a node may move in the first round; it falls to zero until the last one. */
const firstStep = 40;
/** Strengths of the pull to the centre, of the repulsion, and of the relations; found by looking at drawings. */
const centring = { x: 0.012, y: 0.02 };
const repulsion = 24_000;
const attraction = 0.06;
/** Distance between two related boxes; the label of the relation fits into it. */
const edgeLength = 130;
const margin = 24;

/**
 * Places nodes so that connected nodes are close to each other and no two boxes overlap. The same graph gives the same drawing.
 * Suitable for a few hundred nodes, because every round compares all pairs.
 */
export function placeNodes(ids: readonly string[], edges: readonly { source: string; target: string }[]): Drawing {
  const bodies = ids.map((id, index): Body => {
    // A spiral, on which the nodes are equally dense.
    const angle = index * goldenAngle;
    const radius = spiralStep * Math.sqrt(index);
    return { id, x: radius * Math.cos(angle), y: radius * Math.sin(angle), dx: 0, dy: 0 };
  });
  const byId = new Map(bodies.map((body) => [body.id, body]));
  const pairs = edges.flatMap(({ source, target }): [Body, Body][] => {
    const [from, to] = [byId.get(source), byId.get(target)];
    return from && to && from !== to ? [[from, to]] : [];
  });
  for (let round = 0; round < rounds; round += 1) {
    repel(bodies);
    attract(pairs);
    move(bodies, firstStep * (1 - round / rounds));
  }
  separate(bodies);
  return frameBodies(bodies);
}

function repel(bodies: readonly Body[]): void {
  for (const [index, body] of bodies.entries()) {
    body.dx -= body.x * centring.x;
    body.dy -= body.y * centring.y;
    for (const other of bodies.slice(index + 1)) {
      const x = body.x - other.x || 0.1;
      const y = body.y - other.y || 0.1;
      const force = repulsion / (x * x + y * y);
      const length = Math.hypot(x, y);
      body.dx += (x / length) * force;
      body.dy += (y / length) * force;
      other.dx -= (x / length) * force;
      other.dy -= (y / length) * force;
    }
  }
}

function attract(pairs: readonly [Body, Body][]): void {
  for (const [from, to] of pairs) {
    const x = to.x - from.x;
    const y = to.y - from.y;
    const length = Math.hypot(x, y) || 1;
    // Boxes side by side need more distance between their centres than boxes above each other.
    const desired = edgeLength + (box.width * Math.abs(x) + box.height * Math.abs(y)) / length;
    const pull = (length - desired) * attraction;
    from.dx += (x / length) * pull;
    from.dy += (y / length) * pull;
    to.dx -= (x / length) * pull;
    to.dy -= (y / length) * pull;
  }
}

function move(bodies: readonly Body[], maxStep: number): void {
  for (const body of bodies) {
    const length = Math.hypot(body.dx, body.dy) || 1;
    const scale = Math.min(length, maxStep) / length;
    body.x += body.dx * scale;
    body.y += body.dy * scale;
    body.dx = 0;
    body.dy = 0;
  }
}

/** Moves overlapping boxes apart along the axis with the smaller overlap, until none overlap. */
function separate(bodies: readonly Body[]): void {
  for (let isDone = false, round = 0; !isDone && round < maxSeparations; round += 1) {
    isDone = true;
    for (const [index, body] of bodies.entries())
      for (const other of bodies.slice(index + 1)) {
        const x = box.width + box.gap - Math.abs(body.x - other.x);
        const y = box.height + box.gap - Math.abs(body.y - other.y);
        if (x <= 0.01 || y <= 0.01) continue;
        isDone = false;
        const [axis, overlap] = y <= x ? (['y', y] as const) : (['x', x] as const);
        const sign = body[axis] <= other[axis] ? -1 : 1;
        body[axis] += (sign * overlap) / 2;
        other[axis] -= (sign * overlap) / 2;
      }
  }
}

function frameBodies(bodies: readonly Body[]): Drawing {
  const xs = bodies.map(({ x }) => x);
  const ys = bodies.map(({ y }) => y);
  const left = xs.length === 0 ? 0 : Math.min(...xs);
  const top = ys.length === 0 ? 0 : Math.min(...ys);
  const edge = { x: box.width / 2 + margin, y: box.height / 2 + margin };
  const at = new Map(bodies.map(({ id, x, y }) => [id, { x: x - left + edge.x, y: y - top + edge.y }]));
  const width = xs.length === 0 ? 0 : Math.max(...xs) - left;
  const height = ys.length === 0 ? 0 : Math.max(...ys) - top;
  return { at, width: Math.ceil(width + 2 * edge.x), height: Math.ceil(height + 2 * edge.y) };
}

/** The point at which the line between the centres of two boxes leaves the first box. */
export function findBorder(from: Point, to: Point): Point {
  const x = to.x - from.x;
  const y = to.y - from.y;
  const scale = Math.min(
    x === 0 ? Number.POSITIVE_INFINITY : box.width / 2 / Math.abs(x),
    y === 0 ? Number.POSITIVE_INFINITY : box.height / 2 / Math.abs(y),
  );
  return Number.isFinite(scale) ? { x: from.x + x * scale, y: from.y + y * scale } : from;
}
