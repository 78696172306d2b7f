import { Button, NativeSelect, Radio, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { GraphTemplateRequest } from '../../../client';
import { api } from '../../api';
import { type GraphSubject, graphTemplates } from '../../first-flows';
import { slowAfterSeconds, useElapsed } from '../../parts/elapsed';
import { Failure, Loading } from '../../parts/page';
import { texts } from '../../texts';
import { readDraft, type TemplateDraft } from './draft';
import { TemplateEditor } from './editor';

/** The template of a graph: a ready or edited one as an object, or one that the user wrote as a text. */
export type TemplateGiven = object | string | undefined;
type Choice = GraphSubject | 'kind' | 'drafted' | 'own';
const choices: readonly Choice[] = ['orders', 'invoices', 'kind', 'drafted', 'own'];
const labels: Readonly<Record<Choice, string>> = {
  ...texts.add.subjects,
  kind: texts.template.kindChoice,
  drafted: texts.template.drafted,
  own: texts.graphs.own,
};

/** Selects a template; `samples` are documents from which one can be drafted. */
export function TemplateChoice({
  samples,
  onTemplate,
}: {
  samples: GraphTemplateRequest | undefined;
  onTemplate: (template: TemplateGiven) => void;
}) {
  const [choice, setChoice] = useState<Choice>('orders');
  const [ownTemplate, setOwnTemplate] = useState('');
  const [draft, setDraft] = useState<TemplateDraft>();
  const apply = (next: TemplateDraft | undefined) => {
    setDraft(next);
    onTemplate(next);
  };
  const choose = (value: string) => {
    const next = choices.find((choice) => choice === value) ?? 'orders';
    setChoice(next);
    setDraft(undefined);
    if (next === 'own') onTemplate(ownTemplate);
    else if (next === 'kind' || next === 'drafted') onTemplate(undefined);
    else onTemplate(graphTemplates[next]);
  };
  const shownChoices = choices.filter((choice) => choice !== 'drafted' || samples !== undefined);
  return (
    <>
      <Radio.Group value={choice} onChange={choose} label={texts.add.subject}>
        <div className="choices">
          {shownChoices.map((choice) => (
            <Radio key={choice} value={choice} label={labels[choice]} />
          ))}
        </div>
      </Radio.Group>
      {choice === 'kind' ? <Kinds onDraft={apply} /> : null}
      {choice === 'drafted' && samples ? <Drafted samples={samples} onDraft={apply} /> : null}
      {choice === 'own' ? (
        <Textarea
          className="code"
          label={texts.graphs.ownText}
          description={texts.graphs.ownHelp}
          rows={14}
          mt={12}
          spellCheck={false}
          value={ownTemplate}
          onChange={({ currentTarget: { value } }) => {
            setOwnTemplate(value);
            onTemplate(value);
          }}
        />
      ) : null}
      {draft ? <TemplateEditor draft={draft} onDraft={apply} /> : null}
    </>
  );
}

/** The document classes that have a template. */
function Kinds({ onDraft }: { onDraft: (draft: TemplateDraft | undefined) => void }) {
  const result = useQuery({
    queryKey: ['graph-templates'],
    queryFn: () => api.graphs.templates(),
    staleTime: Infinity,
  });
  if (result.isPending) return <Loading />;
  if (result.isError) return <Failure error={result.error} onRetry={() => void result.refetch()} />;
  return (
    <NativeSelect
      mt={12}
      label={texts.template.documentClass}
      data={[
        { value: '', label: texts.template.chooseClass },
        ...result.data.templates.map(({ document_type: value }) => ({ value, label: toTitle(value) })),
      ]}
      onChange={({ currentTarget: { value } }) =>
        onDraft(readDraft(result.data.templates.find(({ document_type: type }) => type === value)?.template))
      }
    />
  );
}

/** A draft derived from the documents themselves. */
function Drafted({
  samples,
  onDraft,
}: {
  samples: GraphTemplateRequest;
  onDraft: (draft: TemplateDraft | undefined) => void;
}) {
  const abort = useRef<AbortController>(undefined);
  const result = useMutation({
    mutationFn: () => {
      abort.current = new AbortController();
      return api.graphs.draftTemplate(samples, abort.current.signal);
    },
    onSuccess: ({ template }) => onDraft(readDraft(template)),
  });
  const seconds = useElapsed(result.isPending);
  const isCancelled = abort.current?.signal.aborted ?? false;
  useEffect(() => () => abort.current?.abort(), []);
  return (
    <>
      <Button variant="default" mt={12} loading={result.isPending} onClick={() => result.mutate()}>
        {texts.template.draft}
      </Button>
      {result.isPending && seconds >= slowAfterSeconds ? (
        <p>
          {texts.template.drafting(seconds)}{' '}
          <Button size="xs" variant="default" onClick={() => abort.current?.abort()}>
            {texts.common.cancel}
          </Button>
        </p>
      ) : null}
      {result.isError && !isCancelled ? (
        <Failure error={result.error} title={texts.template.notDrafted} isAction />
      ) : null}
      <p role="status">{result.data ? texts.template.draftedFrom(result.data.samples.join(', ')) : null}</p>
      {result.data?.model ? <p className="state-note">{texts.template.byModel(result.data.model)}</p> : null}
    </>
  );
}

function toTitle(type: string): string {
  const words = type.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
