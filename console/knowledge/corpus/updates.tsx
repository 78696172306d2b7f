import { Button, NumberInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { GraphCorpus, GraphReply, GraphUpdate } from '../../../client';
import { api } from '../../api';
import { formatCount } from '../../format';
import { Failure, Panel } from '../../parts/page';
import { texts } from '../../texts';
import { Settings } from './settings';

const formats = ['json', 'csv', 'cypher', 'graphml', 'html', 'zip'] as const;

/** For the owner of a graph: the outcome and cost of the latest update, the next update, the settings, and the files. */
export function Updates({ graph }: { graph: GraphReply }) {
  return (
    <>
      <Update graph={graph} />
      <Settings graph={graph} />
      <Panel title={texts.updates.download}>
        <p className="muted">{texts.updates.downloadHelp}</p>
        <ul className="groups">
          {formats.map((format) => (
            <li key={format}>
              <a className="chip" href={`/api/v1/graphs/${graph.id}/result?format=${format}`} download>
                {texts.updates.formats[format]}
              </a>
            </li>
          ))}
        </ul>
      </Panel>
    </>
  );
}

function Update({ graph }: { graph: GraphReply }) {
  const queries = useQueryClient();
  const [limits, setLimits] = useState<Limits>(() => toFields(graph.corpus));
  const start = useMutation({
    mutationFn: (isDryRun: boolean) => api.graphs.update(graph.id, { limit: toLimit(limits), dry_run: isDryRun }),
    onSuccess: (reply) => queries.setQueryData(['graph', graph.id], reply),
  });
  const isActive = graph.state === 'QUEUED' || graph.state === 'RUNNING';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate(false);
  };
  const renderField = (member: keyof Limits, label: string) => (
    <NumberInput
      label={label}
      value={limits[member]}
      min={0}
      allowDecimal={false}
      hideControls
      onChange={(value) => setLimits({ ...limits, [member]: value })}
    />
  );
  return (
    <Panel title={texts.updates.title}>
      <p className="muted">{texts.updates.help}</p>
      {graph.corpus ? <LatestUpdate corpus={graph.corpus} /> : null}
      <form onSubmit={submit}>
        <div className="filters">
          {renderField('documents', texts.updates.maxDocuments)}
          {renderField('model_calls', texts.updates.maxCalls)}
          {renderField('input_tokens', texts.updates.mostTokens)}
        </div>
        <p className="state-note">{texts.updates.noLimit}</p>
        <div className="actions">
          <Button type="submit" disabled={isActive} loading={start.isPending}>
            {texts.updates.start}
          </Button>
          <Button variant="default" disabled={isActive || start.isPending} onClick={() => start.mutate(true)}>
            {texts.updates.estimateOnly}
          </Button>
        </div>
      </form>
      <p role="status">{isActive ? texts.updates.running : null}</p>
      {start.isError ? <Failure error={start.error} title={texts.updates.failed} isAction /> : null}
    </Panel>
  );
}

function LatestUpdate({ corpus: { update, is_dry_run: isDryRun, changes, estimate, usage } }: { corpus: GraphCorpus }) {
  const number = formatCount(update);
  const title = isDryRun ? texts.updates.lastDry(number) : texts.updates.last(number);
  const facts: [string, number][] = changes
    ? [
        [texts.updates.added, changes.added],
        [texts.updates.changed, changes.changed],
        [texts.updates.removed, changes.removed],
        [texts.updates.unchanged, changes.unchanged],
      ]
    : [];
  const isFree = estimate?.model_calls === 0 && (usage?.model_calls ?? 0) === 0;
  const costs: [string, number, number | undefined][] =
    estimate && !isFree
      ? [
          [texts.updates.calls, estimate.model_calls, usage?.model_calls],
          [texts.updates.input, estimate.input_tokens, usage?.input_tokens],
        ]
      : [];
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {changes ? null : <p className="muted">{texts.updates.planned}</p>}
      <dl className="facts from-top">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatCount(value)}</dd>
          </div>
        ))}
        {costs.map(([name, expected, used]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{formatCount(isDryRun ? expected : (used ?? 0))}</dd>
            <dd className="state-note">{texts.updates.expected(formatCount(expected), isDryRun)}</dd>
          </div>
        ))}
      </dl>
      {changes?.without_headings ? (
        <p className="state-note">{texts.updates.withoutHeadings(changes.without_headings)}</p>
      ) : null}
    </section>
  );
}

type Limits = Record<'documents' | 'model_calls' | 'input_tokens', number | string>;

function toFields(corpus: GraphCorpus | undefined): Limits {
  const { documents = '', model_calls = '', input_tokens = '' } = corpus?.limit ?? {};
  return { documents, model_calls, input_tokens };
}

/** The limits that are set, in the form of the API. */
function toLimit(limits: Limits): NonNullable<GraphUpdate['limit']> {
  const numericLimits = Object.entries(limits).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries(numericLimits);
}
