import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { DocumentFacts } from '../../client';
import { formatTime } from '../format';
import { SetGraph } from '../knowledge/of-set';
import { StoredGraph } from '../knowledge/stored';
import { Empty, Failure, Loading, Panel } from '../parts/page';
import { Link } from '../router';
import { texts } from '../texts';
import { useFacts } from './facts';

/** A graph that contains the document: built by a flow from a row of a set, or requested. */
type Choice = { key: string; label: string } & (
  | { setId: string; rowId: string; setName: string }
  | { graphId: string; isCorpus: boolean }
);

/** The graphs of a document as pictures, with the passages that prove their facts. */
export function DocumentGraphs({ documentId, name }: { documentId: string; name: string }) {
  const facts = useFacts(documentId);
  const [key, setKey] = useState<string>();
  if (facts.isPending) return <Loading />;
  if (!facts.data) return <Failure error={facts.error} onRetry={() => void facts.refetch()} />;
  const choices = listChoices(facts.data);
  const chosen = choices.find((choice) => choice.key === key) ?? choices[0];
  if (!chosen)
    return (
      <Panel title={texts.document.tabs.graph}>
        <Empty>{texts.document.noGraphs}</Empty>
        <p className="actions">
          <Link
            className="action-link"
            to={`/graphs/new?${new URLSearchParams({ document: documentId, name }).toString()}`}
          >
            {texts.graphs.fresh}
          </Link>
        </p>
      </Panel>
    );
  return (
    <>
      <div className="filters">
        <NativeSelect
          label={texts.document.whichGraph}
          className="grow"
          value={chosen.key}
          data={choices.map(({ key: value, label }) => ({ value, label }))}
          onChange={({ currentTarget: { value } }) => setKey(value)}
        />
        <Link className="beside-field" to={buildAddress(chosen)}>
          {texts.document.openGraph}
        </Link>
      </div>
      <Shown key={chosen.key} chosen={chosen} documentId={documentId} />
    </>
  );
}

function Shown({ chosen, documentId }: { chosen: Choice; documentId: string }) {
  if ('setId' in chosen) return <SetGraph setId={chosen.setId} rowId={chosen.rowId} documentId={documentId} />;
  // A graph of many documents has a separate screen.
  return chosen.isCorpus ? null : <StoredGraph graphId={chosen.graphId} />;
}

function listChoices({ sets, graphs }: DocumentFacts): Choice[] {
  const ofSets = sets.flatMap(({ set_id: setId, name: setName, rows }) =>
    rows
      .filter((row) => Number(row['graph_nodes']) > 0 && typeof row['id'] === 'string')
      .map((row) => ({
        key: `${setId} ${String(row['id'])}`,
        label: texts.document.graphOfSet(setName),
        setId,
        setName,
        rowId: String(row['id']),
      })),
  );
  const built = graphs
    .filter(({ state, name }) => state === 'COMPLETED' || name !== null)
    .map(({ graph_id: graphId, name, template, created_at: at }) => ({
      key: graphId,
      label: name === null ? texts.document.graphOf(template, formatTime(at)) : texts.document.graphOfCorpus(name),
      graphId,
      isCorpus: name !== null,
    }));
  return [...built, ...ofSets];
}

function buildAddress(chosen: Choice): string {
  if ('graphId' in chosen) return `/graphs/${chosen.graphId}`;
  const query = new URLSearchParams({ id: chosen.setId, document: chosen.rowId });
  return `/sets/${encodeURIComponent(chosen.setName)}/graph?${query.toString()}`;
}
