import { Button, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { formatCount } from '../format';
import { Empty, Panel } from '../parts/page';
import { texts } from '../texts';
import { type Ledger, NodeDetail } from './detail';
import { type Knowledge, type KnowledgeNode, nearest } from './model';
import { NodeButtons } from './node-buttons';
import { colours, GraphPicture } from './picture';

/** Maximum number of boxes that are readable together. */
const maxDrawn = 60;
const maxListed = 200;
const scales = [0.6, 0.8, 1, 1.25, 1.5] as const;
const fullSize = scales.indexOf(1);

/** A graph: the drawing, a searchable list of nodes, and the details of the selected node. */
export function GraphView({
  graph,
  ledger,
  documentId,
}: {
  graph: Knowledge;
  ledger: Ledger;
  documentId: string | undefined;
}) {
  const [chosen, setChosen] = useState<string>();
  const [around, setAround] = useState<string>();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const visibleGraph = useMemo(
    () => ({ ...graph, nodes: graph.nodes.filter(({ type }) => !hidden.has(type)) }),
    [graph, hidden],
  );
  const drawnIds = useMemo(() => nearest(visibleGraph, around, maxDrawn), [visibleGraph, around]);
  const choose = (id: string) => {
    setChosen(id);
    if (!drawnIds.has(id)) setAround(id);
  };
  const toggle = (type: string) => {
    const next = new Set(hidden);
    if (!next.delete(type)) next.add(type);
    setHidden(next);
    setAround(undefined);
  };
  const node = graph.nodes.find(({ id }) => id === chosen);
  return (
    <div className="beside">
      <div>
        <Panel title={texts.graphs.picture}>
          <p className="muted" role="status">
            {drawnIds.size < graph.nodes.length
              ? texts.graphs.part(formatCount(drawnIds.size), formatCount(graph.nodes.length))
              : texts.graphs.counts(graph.nodes.length, graph.edges.length)}
          </p>
          <TypeFilter types={graph.types} hidden={hidden} onToggle={toggle} />
          <ZoomablePicture graph={visibleGraph} shown={drawnIds} chosen={chosen} onChoose={choose} />
        </Panel>
        <NodeList nodes={visibleGraph.nodes} chosen={chosen} onChoose={choose} />
      </div>
      {node ? (
        <NodeDetail {...{ node, graph, ledger, documentId }} onChoose={choose} />
      ) : (
        <Panel title={texts.graphs.detail}>
          <Empty>{texts.graphs.choose}</Empty>
        </Panel>
      )}
    </div>
  );
}

/** The drawing with zoom buttons. */
function ZoomablePicture(picture: {
  graph: Knowledge;
  shown: ReadonlySet<string>;
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  const [zoom, setZoom] = useState(fullSize);
  return (
    <>
      <p className="actions">
        <Button size="xs" variant="default" disabled={zoom === scales.length - 1} onClick={() => setZoom(zoom + 1)}>
          {texts.graphs.larger}
        </Button>
        <Button size="xs" variant="default" disabled={zoom === 0} onClick={() => setZoom(zoom - 1)}>
          {texts.graphs.smaller}
        </Button>
      </p>
      <GraphPicture {...picture} scale={scales[zoom] ?? 1} />
    </>
  );
}

function TypeFilter({
  types,
  hidden,
  onToggle,
}: {
  types: readonly string[];
  hidden: ReadonlySet<string>;
  onToggle: (type: string) => void;
}) {
  return (
    <ul className="groups types" aria-label={texts.graphs.types}>
      {types.map((type, index) => (
        <li key={type}>
          <button
            type="button"
            className="chip typed"
            data-type={index % colours}
            aria-pressed={!hidden.has(type)}
            onClick={() => onToggle(type)}
          >
            {type}
          </button>
        </li>
      ))}
    </ul>
  );
}

function NodeList({
  nodes,
  chosen,
  onChoose,
}: {
  nodes: readonly KnowledgeNode[];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  const [words, setWords] = useState('');
  const filterText = words.trim().toLowerCase();
  const matchingNodes = nodes.filter(({ title, type }) => `${title} ${type}`.toLowerCase().includes(filterText));
  return (
    <Panel title={texts.graphs.list}>
      <TextInput
        type="search"
        label={texts.graphs.search}
        value={words}
        mb={8}
        onChange={(event) => setWords(event.currentTarget.value)}
      />
      {matchingNodes.length === 0 ? <Empty>{texts.graphs.nothing}</Empty> : null}
      <NodeButtons nodes={matchingNodes.slice(0, maxListed)} chosen={chosen} onChoose={onChoose} />
      {matchingNodes.length > maxListed ? (
        <Empty>{texts.graphs.more(formatCount(matchingNodes.length - maxListed))}</Empty>
      ) : null}
    </Panel>
  );
}
