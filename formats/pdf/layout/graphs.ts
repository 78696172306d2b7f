import { type Box, measureOverlapX, measureOverlapY, union } from '../geometry/box';
import type { RawPage } from '../geometry/page';
import type { Line } from '../text/line';

/** A graph has this many nodes, each at most `apart` points from another; a label has `longest` characters at most. */
const graph = { nodes: 4, apart: 24, longest: 3 };
/** The largest node, and the gap to text beside it that makes it the number of a step, in type sizes. */
const reach = { node: 5, text: 4 };
const maxShapes = 3000;

interface Node {
  shape: Box;
  line: Line;
}

/**
 * Drawn graphs and boards: round or slanted shapes close together, each around a short label and without text beside it. Their
 * labels look like the cells of a table.
 */
export function findGraphs(
  { drawings, panels }: Pick<RawPage, 'drawings' | 'panels'>,
  lines: readonly Line[],
): { box: Box; labels: Line[] }[] {
  if (drawings.length < graph.nodes || drawings.length > maxShapes) return [];
  const rounded = new Set(panels);
  const shapes = drawings.filter((shape) => !rounded.has(shape));
  const nodes = lines.flatMap((line): Node[] => {
    if (line.text.length > graph.longest || line.mono) return [];
    const shape = shapes.find((candidate) => isAround(candidate, line));
    return shape ? [{ shape, line }] : [];
  });
  if (nodes.length < graph.nodes) return [];
  const labels = new Set(nodes.map(({ line }) => line));
  const others = lines.filter((line) => !labels.has(line));
  const free = nodes.filter(({ shape, line }) => !others.some((other) => isBeside(other, shape, line.size)));
  return listGroups(free)
    .filter(({ length }) => length >= graph.nodes)
    .map((group) => ({ box: union(group.map(({ shape }) => shape)), labels: group.map(({ line }) => line) }));
}

function isAround({ l, r, b, t }: Box, { box, size }: Line): boolean {
  const isSmall = Math.max(r - l, t - b) < reach.node * size;
  const [x, y] = [(box.l + box.r) / 2, (box.b + box.t) / 2];
  return isSmall && l < box.l && r > box.r && y > b && y < t && x > l && t - b > 0.8 * size;
}

/** True for text level with a node and close to it. */
function isBeside({ box, text }: Line, shape: Box, size: number): boolean {
  const isLevel = measureOverlapY(box, shape) > 0.5 * Math.min(box.t - box.b, shape.t - shape.b);
  return isLevel && text.length > graph.longest && measureOverlapX(box, shape) > -reach.text * size;
}

/** Groups nodes that are close to each other. */
function listGroups(nodes: readonly Node[]): Node[][] {
  const groups: Node[][] = [];
  for (const node of nodes) {
    const near = groups.filter((group) => group.some(({ shape }) => isNear(shape, node.shape)));
    const joined = [...near.flat(), node];
    groups.splice(0, groups.length, ...groups.filter((group) => !near.includes(group)), joined);
  }
  return groups;
}

function isNear(a: Box, b: Box): boolean {
  return measureOverlapX(a, b) > -graph.apart && measureOverlapY(a, b) > -graph.apart;
}
