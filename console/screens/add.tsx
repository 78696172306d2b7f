import { Alert, Button, NativeSelect, Radio, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../api';
import { createFlow, type GraphSubject, type TemplateName } from '../first-flows';
import { formatBytes } from '../format';
import { DropFiles } from '../parts/drop-files';
import { Failure, Page, Panel } from '../parts/page';
import { type Chosen, chooseFiles, listUsable, uploadFiles } from '../parts/upload-files';
import { navigate } from '../router';
import { texts } from '../texts';

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
  const [files, setFiles] = useState<readonly Chosen[]>([]);
  const [template, setTemplate] = useState<TemplateName>('search');
  const [subject, setSubject] = useState<GraphSubject>('orders');
  const [name, setName] = useState('');
  const [libraryId, setLibraryId] = useState<string>();
  const change = (file: File, changes: Partial<Chosen>) =>
    setFiles((current) => current.map((chosen) => (chosen.file === file ? { ...chosen, ...changes } : chosen)));
  const start = useMutation({
    mutationFn: async () => {
      const library = libraryId
        ? await api.documentLibraries.get(libraryId)
        : await api.documentLibraries.create({ name: name.trim() || texts.add.defaultName(formatTimeForName()) });
      setLibraryId(library.library_id);
      const refused = await uploadFiles(library.library_id, listUsable(files), change);
      if (refused > 0) throw new Error(texts.add.refused(refused));
      const title = texts.add.templates[template];
      const flow = await api.flows.create(createFlow(library, { template, subject, title }));
      return api.jobRuns.create({ flow_id: flow.flow_id });
    },
    onSuccess: ({ job_run_id: runId }) => navigate(`/runs/${runId}`),
  });
  const [leftOut, setLeftOut] = useState(0);
  const add = (added: File[]) => {
    const newFiles = chooseFiles(files, added);
    setLeftOut(added.length - newFiles.length);
    setFiles([...files, ...newFiles]);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (listUsable(files).length > 0) start.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Panel title={texts.add.step1}>
        <p className="muted">{texts.add.step1Text}</p>
        <DropFiles isDisabled={start.isPending} onFiles={add} />
        <ChosenFiles
          files={files}
          leftOut={leftOut}
          onRemove={
            start.isPending
              ? undefined
              : (file) => setFiles((current) => current.filter((chosen) => chosen.file !== file))
          }
        />
      </Panel>
      <TemplateChoice {...{ template, setTemplate, subject, setSubject }} />
      <Start
        {...{ name, setName, error: start.error, isPending: start.isPending }}
        count={listUsable(files).length}
        isNamed={libraryId !== undefined}
      />
    </form>
  );
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
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" disabled={count === 0} loading={isPending}>
          {texts.add.start(count)}
        </Button>
      </div>
      {error ? <Failure error={error} title={texts.add.failed} /> : null}
    </Panel>
  );
}

function ChosenFiles({
  files,
  leftOut,
  onRemove,
}: {
  files: readonly Chosen[];
  /** Files of the last drop whose names were chosen already. */
  leftOut: number;
  onRemove?: (file: File) => void;
}) {
  const total = files.reduce((sum, { file }) => sum + file.size, 0);
  return (
    <>
      <p role="status" className="muted">
        {files.length === 0 ? texts.add.none : texts.add.chosen(files.length, formatBytes(total))}
        {leftOut > 0 ? ` ${texts.add.sameName(leftOut)}` : null}
      </p>
      {files.length > 0 ? (
        <ul className="files" tabIndex={0} aria-label={texts.add.files}>
          {files.map(({ file, name, sent, problem }) => (
            <li key={file.name}>
              <span className="file-name">
                {file.name}
                {name === file.name ? null : <span className="state-note below">{texts.add.keptAs(name)}</span>}
              </span>
              <span className="muted num">{formatBytes(file.size)}</span>
              {sent === undefined || problem ? null : (
                <progress max={Math.max(file.size, 1)} value={sent} aria-label={texts.add.progress(file.name)} />
              )}
              {onRemove ? (
                <Button
                  variant="subtle"
                  size="compact-xs"
                  onClick={() => onRemove(file)}
                  aria-label={texts.add.removeFile(file.name)}
                >
                  {texts.add.remove}
                </Button>
              ) : null}
              {problem ? (
                <Alert color="red" variant="outline" role="alert">
                  {problem}
                </Alert>
              ) : null}
            </li>
          ))}
        </ul>
      ) : null}
    </>
  );
}

/** The current time (UTC) in a form that is allowed in names of libraries, which may not contain colons. */
function formatTimeForName(): string {
  return new Date().toISOString().slice(0, 16).replace('T', ' ').replace(':', '-');
}
