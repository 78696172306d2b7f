import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useMemo, useState } from 'react';
import { api } from '../api';
import { graphTemplates } from '../first-flows';
import { Failure, Page, Panel } from '../parts/page';
import { Link, navigate, usePlace } from '../router';
import { texts } from '../texts';
import { TemplateChoice, type TemplateGiven } from './template/choice';

/** Builds the graph of a document in the index, or of all documents in a set. */
export function NewGraphScreen() {
  const { query } = usePlace();
  const setId = query.get('set');
  const name = query.get('name');
  const from = setId === null ? texts.graphs.from : texts.graphs.fromSet;
  return (
    <Page title={texts.graphs.fresh}>
      <p className="muted">
        <Link to="/graphs">{texts.graphs.all}</Link>
        {name ? <> · {from(name)}</> : null}
      </p>
      {setId === null ? (
        <DocumentGraphForm given={query.get('document') ?? ''} isNamed={name !== null} />
      ) : (
        <SetGraphForm setId={setId} nameOfSet={name ?? ''} />
      )}
    </Page>
  );
}

function DocumentGraphForm({ given, isNamed }: { given: string; isNamed: boolean }) {
  const [documentId, setDocumentId] = useState(given);
  const [template, setTemplate] = useState<TemplateGiven>(graphTemplates.orders);
  const build = useMutation({
    mutationFn: () => api.graphs.create({ document_id: documentId.trim(), template: template ?? '' }),
    onSuccess: ({ id }) => navigate(`/graphs/${id}`),
  });
  const samples = useMemo(
    () => (documentId.trim() === '' ? undefined : { document_ids: [documentId.trim()] }),
    [documentId],
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    build.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Panel title={texts.graphs.what}>
        {isNamed ? null : (
          <TextInput
            label={texts.graphs.document}
            description={texts.graphs.documentHelp}
            value={documentId}
            required
            mb={12}
            onChange={(event) => setDocumentId(event.currentTarget.value)}
          />
        )}
        <TemplateChoice samples={samples} onTemplate={setTemplate} />
        <Button
          type="submit"
          mt={16}
          disabled={documentId.trim() === '' || !hasTemplate(template)}
          loading={build.isPending}
        >
          {texts.graphs.build}
        </Button>
        {build.isError ? <Failure error={build.error} title={texts.graphs.failed} isAction /> : null}
      </Panel>
    </form>
  );
}

function SetGraphForm({ setId, nameOfSet }: { setId: string; nameOfSet: string }) {
  const [name, setName] = useState(nameOfSet);
  const [template, setTemplate] = useState<TemplateGiven>(graphTemplates.orders);
  const [follows, setFollows] = useState(true);
  const [compares, setCompares] = useState(true);
  const build = useMutation({
    mutationFn: (isDryRun: boolean) =>
      api.graphs.create({
        name: name.trim(),
        document_set_id: setId,
        template: template ?? '',
        auto_update: follows,
        resolution: compares ? 'rules' : 'off',
        dry_run: isDryRun,
      }),
    onSuccess: ({ id }) => navigate(`/graphs/${id}`),
  });
  const samples = useMemo(() => ({ document_set_id: setId }), [setId]);
  const isReady = name.trim() !== '' && hasTemplate(template);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    build.mutate(false);
  };
  return (
    <form onSubmit={submit}>
      <Panel title={texts.graphs.what}>
        <TextInput
          label={texts.graphs.graphName}
          value={name}
          required
          maxLength={200}
          mb={12}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TemplateChoice samples={samples} onTemplate={setTemplate} />
      </Panel>
      <Panel title={texts.updates.settings}>
        <div className="fields">
          <SetOptions {...{ follows, setFollows, compares, setCompares }} />
          <div className="actions">
            <Button type="submit" disabled={!isReady} loading={build.isPending}>
              {texts.graphs.build}
            </Button>
            <Button variant="default" disabled={!isReady || build.isPending} onClick={() => build.mutate(true)}>
              {texts.updates.estimateOnly}
            </Button>
          </div>
        </div>
        {build.isError ? <Failure error={build.error} title={texts.graphs.failed} isAction /> : null}
      </Panel>
    </form>
  );
}

/** Options: whether the graph follows its set, and whether rules merge its nodes. */
function SetOptions({
  follows,
  setFollows,
  compares,
  setCompares,
}: {
  follows: boolean;
  setFollows: (follows: boolean) => void;
  compares: boolean;
  setCompares: (compares: boolean) => void;
}) {
  return (
    <>
      <Checkbox
        label={texts.updates.follow}
        checked={follows}
        onChange={(event) => setFollows(event.currentTarget.checked)}
      />
      <Checkbox
        label={texts.updates.compareByRules}
        checked={compares}
        onChange={(event) => setCompares(event.currentTarget.checked)}
      />
    </>
  );
}

const hasTemplate = (template: TemplateGiven) =>
  typeof template === 'string' ? template.trim() !== '' : template !== undefined;
