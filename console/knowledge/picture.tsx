import { useEffect, useMemo, useRef } from 'react';
import { texts } from '../texts';
import { findBorder, box, type Drawing, placeNodes, type Point } from './layout';
import type { Knowledge, KnowledgeEdge, KnowledgeNode } from './model';

/** Number of characters that fit into a box. */
const maxCharacters = { title: 19, type: 25 };
/** Distance between the labels of two arrows between the same boxes. */
const labelHeight = 14;
/** Number of colours for types; further types reuse them. */
export const colours = 8;

/** The shown nodes as boxes with their names, and their relations as arrows. Keyboard users use the list next to it. */
export function GraphPicture({
  graph,
  shown,
  chosen,
  scale,
  onChoose,
}: {
  graph: Knowledge;
  shown: ReadonlySet<string>;
  chosen: string | undefined;
  scale: number;
  onChoose: (id: string) => void;
}) {
  const { nodes, edges, drawing } = useDrawing(graph, shown);
  const frame = useRef<HTMLDivElement>(null);
  const middle = { x: drawing.width / 2, y: drawing.height / 2 };
  const { x, y } = drawing.at.get(chosen ?? '') ?? middle;
  useEffect(() => {
    const { current } = frame;
    current?.scrollTo(x * scale - current.clientWidth / 2, y * scale - current.clientHeight / 2);
  }, [x, y, scale]);
  const near = new Set(edges.filter((edge) => touches(edge, chosen)).flatMap(({ source, target }) => [source, target]));
  const isDim = (id: string) => chosen !== undefined && id !== chosen && !near.has(id);
  return (
    <div className="scroll knowledge" ref={frame} tabIndex={0} role="group" aria-label={texts.graphs.picture}>
      <svg
        className="graph"
        viewBox={`0 0 ${drawing.width} ${drawing.height}`}
        width={drawing.width * scale}
        height={drawing.height * scale}
        aria-hidden="true"
      >
        <defs>
          <marker id="relation" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" fill="currentColor" />
          </marker>
          <clipPath id="thing">
            <rect width={box.width - 8} height={box.height} />
          </clipPath>
        </defs>
        <Edges edges={edges} drawing={drawing} chosen={chosen} />
        {nodes.map((node) => (
          <Node
            key={node.id}
            node={node}
            at={drawing.at.get(node.id)}
            colour={graph.types.indexOf(node.type) % colours}
            isChosen={node.id === chosen}
            isDim={isDim(node.id)}
            onChoose={onChoose}
          />
        ))}
      </svg>
    </div>
  );
}

/** Positions of the displayed nodes of a graph. */
function useDrawing(graph: Knowledge, visibleIds: ReadonlySet<string>) {
  return useMemo(() => {
    const nodes = graph.nodes.filter(({ id }) => visibleIds.has(id));
    const isShown = ({ source, target }: KnowledgeEdge) =>
      visibleIds.has(source) && visibleIds.has(target) && source !== target;
    const edges = graph.edges.filter(isShown);
    const ids = nodes.map(({ id }) => id);
    return { nodes, edges, drawing: placeNodes(ids, edges) };
  }, [graph, visibleIds]);
}

function Node({
  node: { id, title, type },
  at,
  colour,
  isChosen,
  isDim,
  onChoose,
}: {
  node: KnowledgeNode;
  at: Point | undefined;
  colour: number;
  isChosen: boolean;
  isDim: boolean;
  onChoose: (id: string) => void;
}) {
  if (!at) return null;
  return (
    <g
      className="node thing"
      data-type={colour}
      data-on={isChosen}
      data-dim={isDim}
      transform={`translate(${at.x - box.width / 2} ${at.y - box.height / 2})`}
      onClick={() => onChoose(id)}
    >
      <title>{`${title} (${type})`}</title>
      <rect width={box.width} height={box.height} rx="8" />
      <rect className="stripe" x="0" y="8" width="4" height={box.height - 16} />
      <text className="name" x="14" y="20" clipPath="url(#thing)">
        {shorten(title, maxCharacters.title)}
      </text>
      <text className="sub" x="14" y="36" clipPath="url(#thing)">
        {shorten(type, maxCharacters.type)}
      </text>
    </g>
  );
}

/** Arrows between boxes; labels of several arrows between the same boxes are below each other. */
function Edges({
  edges,
  drawing,
  chosen,
}: {
  edges: readonly KnowledgeEdge[];
  drawing: Drawing;
  chosen: string | undefined;
}) {
  const counts = new Map<string, number>();
  return edges.map((edge, index) => {
    const { source, target, label } = edge;
    const [from, to] = [drawing.at.get(source), drawing.at.get(target)];
    if (!from || !to) return null;
    const pair = [source, target].toSorted().join(' ');
    const nth = counts.get(pair) ?? 0;
    counts.set(pair, nth + 1);
    const [start, end] = [findBorder(from, to), findBorder(to, from)];
    return (
      <g key={`${index} ${label}`} data-dim={chosen !== undefined && !touches(edge, chosen)} className="relation">
        <path className="edge" d={`M${start.x} ${start.y}L${end.x} ${end.y}`} markerEnd="url(#relation)" />
        <text x={(start.x + end.x) / 2} y={(start.y + end.y) / 2 + 4 + nth * labelHeight} textAnchor="middle">
          {shorten(label, maxCharacters.type)}
        </text>
      </g>
    );
  });
}

function touches({ source, target }: KnowledgeEdge, id: string | undefined): boolean {
  return source === id || target === id;
}

function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}
