import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import type { GraphPassages } from '../../../client';
import { api } from '../../api';
import { formatCount } from '../../format';
import { readField } from '../../parts/form-texts';
import { Empty, Failure, Loading, Panel } from '../../parts/page';
import { Link, setQuery, usePlace } from '../../router';
import { texts } from '../../texts';
import { toKnowledgeNode } from '../model';
import { Paths } from './paths';
import { DocumentName } from './support';

/** Maximum number of nodes listed below a passage. */
const maxLinks = 5;

/** Questions to a graph: the passages behind the nearest facts, and the paths between two nodes. */
export function Ask({ graphId }: { graphId: string }) {
  return (
    <>
      <Question graphId={graphId} />
      <Paths graphId={graphId} />
    </>
  );
}

function Question({ graphId }: { graphId: string }) {
  const question = usePlace().query.get('q') ?? '';
  const result = useQuery({
    queryKey: ['graph', graphId, 'passages', question],
    enabled: question !== '',
    queryFn: () => api.graphs.passages(graphId, { query: question, limit: 20 }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setQuery({ q: readField(event, 'q') });
  };
  return (
    <Panel title={texts.asking.title}>
      <p className="muted">{texts.asking.help}</p>
      <form className="filters" role="search" key={question} onSubmit={submit}>
        <TextInput
          name="q"
          type="search"
          className="grow"
          label={texts.asking.question}
          defaultValue={question}
          maxLength={500}
        />
        <Button type="submit">{texts.asking.submit}</Button>
      </form>
      {result.isLoading ? <Loading /> : null}
      {result.isError ? <Failure error={result.error} onRetry={() => void result.refetch()} /> : null}
      {result.data ? <Passages graphId={graphId} found={result.data} /> : null}
    </Panel>
  );
}

function Passages({ graphId, found }: { graphId: string; found: GraphPassages }) {
  const { passages, nodes: namedNodes, is_cut: isCut } = found;
  const titles = new Map(namedNodes.map((node) => [node.id, toKnowledgeNode(node).title]));
  if (passages.length === 0) return <Empty>{texts.asking.none}</Empty>;
  return (
    <div role="region" aria-label={texts.corpus.passages}>
      {passages.map(({ document_id: id, name, page, text, chunk, nodes }) => (
        <article key={`${id} ${chunk} ${text}`} className="hit">
          <h3>
            <DocumentName id={id} name={name} {...(page === undefined ? {} : { page })} />
            {page === undefined ? null : <span className="muted"> · {texts.graphs.page(formatCount(page))}</span>}
          </h3>
          <p>{text}</p>
          {nodes.length > 0 ? (
            <p className="state-note">
              {texts.asking.about}:{' '}
              {nodes.slice(0, maxLinks).map((node, index) => (
                <span key={node}>
                  {index > 0 ? ', ' : null}
                  <Link to={`/graphs/${graphId}?${new URLSearchParams({ node }).toString()}`}>
                    {titles.get(node) ?? node}
                  </Link>
                </span>
              ))}
            </p>
          ) : null}
        </article>
      ))}
      {isCut ? <p className="state-note">{texts.asking.cut}</p> : null}
    </div>
  );
}
