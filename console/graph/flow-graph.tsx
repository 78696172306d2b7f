import { useSyncExternalStore } from 'react';
import type { Tone } from '../parts/state';
import { texts } from '../texts';
import { layOut, type GraphNode, type Layout } from './layout';

/** A node of the drawing, with its texts. */
export interface ShownNode extends GraphNode {
  type: string;
  tone: Tone;
  /** Lines below the name; `isBad` lines have the colour of failures. */
  lines: { text: string; isBad?: boolean }[];
  /** Shown on the edges that leave it. */
  out?: string;
}

const box = { width: 176, height: 78 };
/** Between columns and rows of a drawing from left to right, and from top to bottom. */
const gaps = { across: { x: 56, y: 22 }, down: { x: 22, y: 40 } };
const margin = 6;
/** Distance between the texts below a name. */
const lineWidth = 82;
const maxCharacters = 21;

/** Draws the flow from left to right, in narrow windows from top to bottom; screen readers get a list of its nodes. */
export function FlowGraph({
  nodes,
  label,
  onNode,
  onEdge,
}: {
  nodes: readonly ShownNode[];
  label: string;
  /** Called when a node is clicked. For mouse users only: the action must also be available elsewhere. */
  onNode?: (name: string) => void;
  /** Called when an edge is clicked, with the node that it leads to. For mouse users only, like `onNode`. */
  onEdge?: (to: string) => void;
}) {
  const layout = layOut(nodes);
  const isDown = useIsNarrow();
  const { places, width, height } = placeNodes(layout, isDown);
  const counts = new Map(nodes.flatMap(({ name, out }) => (out === undefined ? [] : [[name, out] as const])));
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={label}>
      <svg className="graph" viewBox={`0 0 ${width} ${height}`} width={width} height={height} aria-hidden="true">
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" fill="currentColor" />
          </marker>
        </defs>
        {layout.edges.map(({ from, to }) => {
          const [start, end] = [places.get(from), places.get(to)];
          if (!start || !end) return null;
          const onClick = onEdge ? () => onEdge(to) : undefined;
          const line = isDown ? drawDown(start, end) : drawAcross(start, end);
          return <Edge key={`${from} ${to}`} line={line} count={counts.get(from)} onClick={onClick} />;
        })}
        {nodes.map((node) => {
          const place = places.get(node.name);
          if (!place) return null;
          return <Node key={node.name} node={node} place={place} onNode={onNode} />;
        })}
      </svg>
      <NodeList nodes={nodes} />
    </div>
  );
}

interface Place {
  x: number;
  y: number;
}

/** For screen readers. */
function NodeList({ nodes }: { nodes: readonly ShownNode[] }) {
  return (
    <ul className="visually-hidden">
      {nodes.map(({ name, type, lines, out }) => (
        <li key={name}>
          {[name, type, ...lines.map(({ text }) => text), ...(out === undefined ? [] : [texts.run.rowsOut(out)])].join(
            ', ',
          )}
        </li>
      ))}
    </ul>
  );
}

/** The upper left corners of the boxes, and the size of the drawing. */
function placeNodes(layout: Layout, isDown: boolean) {
  const gap = isDown ? gaps.down : gaps.across;
  const [columns, rows] = isDown ? [layout.rows, layout.columns] : [layout.columns, layout.rows];
  const places = new Map(
    layout.nodes.map(({ name, column, row }): [string, Place] => {
      const [across, down] = isDown ? [row, column] : [column, row];
      return [name, { x: margin + across * (box.width + gap.x), y: margin + down * (box.height + gap.y) }];
    }),
  );
  return {
    places,
    width: margin * 2 + Math.max(0, columns * (box.width + gap.x) - gap.x),
    height: margin * 2 + Math.max(0, rows * (box.height + gap.y) - gap.y),
  };
}

const narrow = window.matchMedia('(max-width: 480px)');

/** True in a window that shows less than two boxes side by side. */
function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (onChange) => {
      narrow.addEventListener('change', onChange);
      return () => narrow.removeEventListener('change', onChange);
    },
    () => narrow.matches,
  );
}

/** A path from one box to another, and where the number of rows is written. */
interface Line {
  path: string;
  count: Place;
}

function drawAcross(start: Place, end: Place): Line {
  const [x1, y1] = [start.x + box.width, start.y + box.height / 2];
  const [x2, y2] = [end.x - 2, end.y + box.height / 2];
  const bend = Math.max(18, (x2 - x1) / 2);
  const path = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  return { path, count: { x: x2 - 22, y: y2 - 7 } };
}

function drawDown(start: Place, end: Place): Line {
  const [x1, y1] = [start.x + box.width / 2, start.y + box.height];
  const [x2, y2] = [end.x + box.width / 2, end.y - 2];
  const bend = Math.max(18, (y2 - y1) / 2);
  const path = `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
  return { path, count: { x: x2 + 20, y: y2 - 8 } };
}

/** A line from one box to another, with the number of rows near its end. */
function Edge({
  line: { path, count: place },
  count,
  onClick,
}: {
  line: Line;
  count: string | undefined;
  onClick: (() => void) | undefined;
}) {
  return (
    <g className={onClick ? 'edge-group pick' : undefined} onClick={onClick}>
      {onClick ? <path className="edge-target" d={path} /> : null}
      <path className="edge" d={path} markerEnd="url(#arrow)" />
      {count === undefined ? null : (
        <text className="edge-count" x={place.x} y={place.y} textAnchor="middle">
          {count}
        </text>
      )}
    </g>
  );
}

function Node({
  node,
  place,
  onNode,
}: {
  node: ShownNode;
  place: Place;
  onNode: ((name: string) => void) | undefined;
}) {
  return (
    <g
      className={onNode ? 'node pick' : 'node'}
      data-tone={node.tone}
      transform={`translate(${place.x} ${place.y})`}
      onClick={onNode ? () => onNode(node.name) : undefined}
    >
      <rect width={box.width} height={box.height} rx="8" />
      <text className="name" x="12" y="22">
        {shorten(node.name)}
      </text>
      <text className="sub" x="12" y="38">
        {shorten(node.type)}
      </text>
      {node.lines.map(({ text, isBad }, index) => (
        <text key={text} className={isBad ? 'bad' : undefined} x={12 + index * lineWidth} y="62">
          {text}
        </text>
      ))}
    </g>
  );
}

function shorten(text: string): string {
  return text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1)}…` : text;
}
