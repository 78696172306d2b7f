import { Button, NativeSelect, Radio, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { DocumentLibraryReply } from '../../client';
import { api, ApiError } from '../api';
import { createFlow, maxFlowName, type GraphSubject, type TemplateName } from '../first-flows';
import { Failure, Page, Panel } from '../parts/page';
import { navigate } from '../router';
import { texts } from '../texts';
import { ChosenFiles, useFileChoice } from '../upload/chosen-files';

const templates: readonly TemplateName[] = ['search', 'facts', 'graph'];
const subjectNames: readonly GraphSubject[] = ['orders', 'invoices'];

/** From files to a run on one screen: drop files, select a template, start. */
export function AddScreen() {
  return (
    <Page title={texts.add.title}>
      <AddDocuments />
    </Page>
  );
}

/** The three steps of `AddScreen`, without its heading. */
export function AddDocuments() {
  const choice = useFileChoice();
  const [template, setTemplate] = useState<TemplateName>('search');
  const [subject, setSubject] = useState<GraphSubject>('orders');
  const [name, setName] = useState('');
  const [libraryId, setLibraryId] = useState<string>();
  const count = choice.usable.length;
  const start = useMutation({
    mutationFn: async () => {
      const library = libraryId ? await api.documentLibraries.get(libraryId) : await createLibrary(name.trim());
      setLibraryId(library.library_id);
      const refused = await choice.upload(library.library_id);
      if (refused > 0) throw new Error(texts.add.refused(refused));
      const flow = createFlow(library, { template, subject, title: texts.add.templates[template] });
      // An earlier attempt may have created the flow without a run.
      const { flow_id: flowId } = await createUnderFreeName(flow.flow_name, (free) =>
        api.flows.create({ ...flow, flow_name: free }),
      );
      return api.jobRuns.create({ flow_id: flowId });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // Not called after the person has left for another screen, so that they stay there.
    const openRun = ({ job_run_id: runId }: { job_run_id: string }) => navigate(`/runs/${runId}`);
    if (count > 0) start.mutate(undefined, { onSuccess: openRun });
  };
  return (
    <form onSubmit={submit}>
      <Panel title={texts.add.step1}>
        <p className="muted">{texts.add.step1Text}</p>
        <ChosenFiles choice={choice} isFixed={start.isPending} />
      </Panel>
      <TemplateChoice {...{ template, setTemplate, subject, setSubject }} />
      <Start
        {...{ name, setName, count, error: start.error, isPending: start.isPending }}
        isNamed={libraryId !== undefined}
      />
    </form>
  );
}

/** A library with this name; without one, with a name made of the time. */
function createLibrary(name: string): Promise<DocumentLibraryReply> {
  if (name !== '') return api.documentLibraries.create({ name });
  return createUnderFreeName(texts.add.defaultName(formatTimeForName()), (free) =>
    api.documentLibraries.create({ name: free }),
  );
}

/** Highest number that is appended to a name that is taken. */
const maxSuffix = 50;

/** Creates something whose name a person did not choose: if it is taken, a number is appended. */
async function createUnderFreeName<T>(name: string, create: (free: string) => Promise<T>): Promise<T> {
  for (let suffix = 1; ; suffix += 1) {
    try {
      return await create(suffix === 1 ? name : `${name.slice(0, maxFlowName - 3)} ${suffix}`);
    } catch (error) {
      const isTaken = error instanceof ApiError && error.code.endsWith('_ALREADY_EXISTS');
      if (!isTaken || suffix === maxSuffix) throw error;
    }
  }
}

/** Selects what to do with the files. */
function TemplateChoice({
  template,
  setTemplate,
  subject,
  setSubject,
}: {
  template: TemplateName;
  setTemplate: (template: TemplateName) => void;
  subject: GraphSubject;
  setSubject: (subject: GraphSubject) => void;
}) {
  return (
    <Panel title={texts.add.step2}>
      <Radio.Group
        value={template}
        onChange={(value) => setTemplate(templates.find((name) => name === value) ?? 'search')}
        label={texts.add.what}
      >
        <div className="choices">
          {templates.map((name) => (
            <Radio key={name} value={name} label={texts.add.templates[name]} description={texts.add.explained[name]} />
          ))}
        </div>
      </Radio.Group>
      {template === 'graph' ? (
        <NativeSelect
          label={texts.add.subject}
          value={subject}
          mt={12}
          onChange={({ currentTarget: { value } }) => setSubject(value === 'invoices' ? 'invoices' : 'orders')}
          data={subjectNames.map((value) => ({ value, label: texts.add.subjects[value] }))}
        />
      ) : null}
    </Panel>
  );
}

/** What the API accepts as the name of a library. */
const allowedLibraryName = /^[A-Za-z][A-Za-z0-9_ -]*$/;

/** The name of the library, and the start button. */
function Start({
  name,
  setName,
  count,
  isNamed,
  isPending,
  error,
}: {
  name: string;
  setName: (name: string) => void;
  count: number;
  /** True if the library has been created, so that its name is fixed. */
  isNamed: boolean;
  isPending: boolean;
  error: Error | null;
}) {
  const isWrong = name.trim() !== '' && !allowedLibraryName.test(name.trim());
  return (
    <Panel title={texts.add.step3}>
      <div className="filters">
        <TextInput
          className="grow"
          label={texts.add.name}
          description={texts.add.nameHelp}
          placeholder={texts.add.defaultName(formatTimeForName())}
          value={name}
          maxLength={100}
          disabled={isNamed}
          error={isWrong ? texts.add.nameWrong : undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" disabled={count === 0 || isWrong} loading={isPending}>
          {texts.add.start(count)}
        </Button>
      </div>
      {error ? <Failure error={error} title={texts.add.failed} /> : null}
    </Panel>
  );
}

/** The current time (UTC) in a form that is allowed in names of libraries, which may not contain colons. */
function formatTimeForName(): string {
  return new Date().toISOString().slice(0, 16).replace('T', ' ').replace(':', '-');
}
