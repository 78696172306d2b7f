import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { GraphPaths } from '../../../client';
import { api } from '../../api';
import { readField } from '../../parts/form-texts';
import { Empty, Failure, Loading, Panel } from '../../parts/page';
import { Link, setQuery, usePlace } from '../../router';
import { texts } from '../../texts';
import { toKnowledgeNode } from '../model';
import { NodeButtons } from '../node-buttons';

const lengths = ['1', '2', '3', '4', '5', '6'];

/** The shortest paths between two nodes, which are found by text. */
export function Paths({ graphId }: { graphId: string }) {
  const { query } = usePlace();
  const [from, to] = [query.get('from') ?? '', query.get('to') ?? ''];
  const length = lengths.find((value) => value === query.get('length')) ?? '4';
  const result = useQuery({
    queryKey: ['graph', graphId, 'paths', from, to, length],
    enabled: from !== '' && to !== '' && from !== to,
    queryFn: () => api.graphs.paths(graphId, { from, to, max_length: Number(length), limit: 10 }),
    retry: false,
  });
  return (
    <Panel title={texts.asking.paths}>
      <p className="muted">{texts.asking.pathsHelp}</p>
      <div className="twins">
        <NodePicker
          graphId={graphId}
          label={texts.asking.from}
          chosen={from}
          onChoose={(id) => setQuery({ from: id })}
        />
        <NodePicker graphId={graphId} label={texts.asking.to} chosen={to} onChoose={(id) => setQuery({ to: id })} />
      </div>
      <div className="filters">
        <NativeSelect
          label={texts.asking.length}
          value={length}
          data={lengths}
          onChange={(event) => setQuery({ length: event.currentTarget.value })}
        />
      </div>
      {from !== '' && from === to ? <Empty>{texts.asking.same}</Empty> : null}
      {result.isLoading ? <Loading /> : null}
      {result.isError ? <Failure error={result.error} isAction /> : null}
      {result.data ? <PathList graphId={graphId} found={result.data} /> : null}
    </Panel>
  );
}

/** Finds nodes by text and selects one of the first matches. */
function NodePicker({
  graphId,
  label,
  chosen,
  onChoose,
}: {
  graphId: string;
  label: string;
  chosen: string;
  onChoose: (id: string | undefined) => void;
}) {
  const [words, setWords] = useState('');
  const result = useQuery({
    queryKey: ['graph', graphId, 'nodes', undefined, words, 'pick'],
    enabled: words !== '',
    queryFn: () => api.graphs.nodes(graphId, { query: words, limit: 8 }),
  });
  const title = useNodeTitle(graphId, chosen);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setWords(readField(event, 'words'));
  };
  return (
    <div role="group" aria-label={label}>
      <form className="filters" onSubmit={submit}>
        <TextInput name="words" type="search" label={label} description={texts.asking.pick} maxLength={500} />
        <Button type="submit" variant="default" aria-label={`${texts.corpus.submit}: ${label}`}>
          {texts.corpus.submit}
        </Button>
      </form>
      <p role="status">{chosen === '' ? null : texts.asking.chosen(title)}</p>
      {result.isError ? <Failure error={result.error} /> : null}
      {result.data?.nodes.length === 0 ? <Empty>{texts.corpus.noneFound}</Empty> : null}
      <NodeButtons nodes={(result.data?.nodes ?? []).map(toKnowledgeNode)} chosen={chosen} onChoose={onChoose} />
    </div>
  );
}

function useNodeTitle(graphId: string, id: string): string {
  const result = useQuery({
    queryKey: ['graph', graphId, 'neighbours', id, 'title'],
    enabled: id !== '',
    queryFn: () => api.graphs.neighbours(graphId, { node: id, limit: 1 }),
    retry: false,
  });
  return result.data ? toKnowledgeNode(result.data.node).title : id;
}

function PathList({ graphId, found: { paths, is_cut: isCut } }: { graphId: string; found: GraphPaths }) {
  const buildLink = (id: string) => `/graphs/${graphId}?${new URLSearchParams({ node: id }).toString()}`;
  return (
    <>
      {paths.length === 0 ? <Empty>{texts.asking.noPath}</Empty> : null}
      <ol className="ways">
        {paths.map(({ nodes, edges }, index) => (
          <li key={nodes.map(({ id }) => id).join(' ')} aria-label={texts.asking.path(index + 1, nodes.length - 1)}>
            {nodes.map((node, position) => (
              <span key={node.id}>
                <span className="muted"> {describeEdge(edges, nodes[position - 1]?.id, node.id)} </span>
                <Link to={buildLink(node.id)}>{toKnowledgeNode(node).title}</Link>
              </span>
            ))}
          </li>
        ))}
      </ol>
      {isCut ? <p className="state-note">{texts.asking.cut}</p> : null}
    </>
  );
}

/** The label of the edge between two neighbours on a path, with an arrow in its direction; empty before the first node. */
function describeEdge(edges: GraphPaths['paths'][number]['edges'], from: string | undefined, to: string): string {
  for (const { source, target, label } of edges) {
    if (source === from && target === to) return texts.graphs.out(label);
    if (source === to && target === from) return texts.graphs.into(label);
  }
  return '';
}
