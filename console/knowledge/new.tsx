import { Button, Radio, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api';
import { type GraphSubject, graphTemplates } from '../first-flows';
import { Failure, Page, Panel } from '../parts/page';
import { Link, navigate, usePlace } from '../router';
import { texts } from '../texts';

type Choice = GraphSubject | 'own';
const choices: readonly Choice[] = ['orders', 'invoices', 'own'];

/** Builds the graph of a document of the index. */
export function NewGraphScreen() {
  const { query } = usePlace();
  const [documentId, setDocumentId] = useState(query.get('document') ?? '');
  const name = query.get('name');
  const [choice, setChoice] = useState<Choice>('orders');
  const [own, setOwn] = useState('');
  const build = useMutation({
    mutationFn: () =>
      api.graphs.create({
        document_id: documentId.trim(),
        template: choice === 'own' ? own : graphTemplates[choice],
      }),
    onSuccess: ({ id }) => navigate(`/graphs/${id}`),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    build.mutate();
  };
  const isReady = documentId.trim() !== '' && (choice !== 'own' || own.trim() !== '');
  return (
    <Page title={texts.graphs.fresh}>
      <p className="muted">
        <Link to="/graphs">{texts.graphs.all}</Link>
        {name ? <> · {texts.graphs.from(name)}</> : null}
      </p>
      <form onSubmit={submit}>
        <Panel title={texts.graphs.what}>
          {name ? null : (
            <TextInput
              label={texts.graphs.document}
              value={documentId}
              required
              mb={12}
              onChange={(event) => setDocumentId(event.currentTarget.value)}
            />
          )}
          <TemplateChoice {...{ choice, setChoice, own, setOwn }} />
          <Button type="submit" mt={16} disabled={!isReady} loading={build.isPending}>
            {texts.graphs.build}
          </Button>
          {build.isError ? <Failure error={build.error} title={texts.graphs.failed} isAction /> : null}
        </Panel>
      </form>
    </Page>
  );
}

function TemplateChoice({
  choice,
  setChoice,
  own,
  setOwn,
}: {
  choice: Choice;
  setChoice: (choice: Choice) => void;
  own: string;
  setOwn: (own: string) => void;
}) {
  return (
    <>
      <Radio.Group
        value={choice}
        onChange={(value) => setChoice(choices.find((one) => one === value) ?? 'orders')}
        label={texts.add.subject}
      >
        <div className="choices">
          {choices.map((one) => (
            <Radio key={one} value={one} label={one === 'own' ? texts.graphs.own : texts.add.subjects[one]} />
          ))}
        </div>
      </Radio.Group>
      {choice === 'own' ? (
        <Textarea
          className="code"
          label={texts.graphs.ownText}
          description={texts.graphs.ownHelp}
          rows={14}
          mt={12}
          spellCheck={false}
          value={own}
          onChange={(event) => setOwn(event.currentTarget.value)}
        />
      ) : null}
    </>
  );
}
