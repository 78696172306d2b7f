import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import type { TaskDescriptor } from '../../client';
import { formatCount, formatDuration } from '../format';
import { CopyButton } from '../parts/copy-button';
import { DropFiles } from '../parts/drop-files';
import { Failure, Page, Panel } from '../parts/page';
import { setQuery, usePlace } from '../router';
import { texts } from '../texts';
import { type Choice, hasPictures, noChoice, readPages, toOptions } from './choice';
import { conversion } from './client';
import { History } from './history';
import { Outputs } from './outputs';
import { formatNames, programs } from './programs';

/** The poll returns earlier when the state changes. */
const waitSeconds = 2;

/** Converts a file to five outputs without indexing anything, and lists earlier conversions. */
export function ConvertScreen() {
  const taskId = usePlace().query.get('task') ?? undefined;
  const queries = useQueryClient();
  const [file, setFile] = useState<File>();
  const [choice, setChoice] = useState(noChoice);
  const isWrong = choice.pages.trim() !== '' && readPages(choice.pages) === undefined;
  const options = toOptions(choice, file);
  const submit = useMutation({
    mutationFn: (file: File) =>
      conversion.submit({
        files: [{ name: file.name, content: file }],
        options: { to_formats: [...formatNames], ...toOptions(choice, file), ...getPageImages(file) },
        target: { kind: 'inbody' },
      }),
    onSuccess: ({ task_id: id }) => {
      setQuery({ task: id });
      void queries.invalidateQueries({ queryKey: ['conversions'] });
    },
  });
  const start = (event: FormEvent) => {
    event.preventDefault();
    if (file && !isWrong) submit.mutate(file);
  };
  return (
    <Page title={texts.convert.title}>
      <p className="muted">{texts.convert.help}</p>
      <form onSubmit={start}>
        <DropFiles isSingle words={texts.convert} onFiles={([given]) => setFile(given)} />
        <p role="status">{file ? texts.convert.chosen(file.name) : null}</p>
        <Panel title={texts.convert.options}>
          <Options choice={choice} isWrong={isWrong} onChange={(change) => setChoice({ ...choice, ...change })} />
          <p className="actions">
            <Button type="submit" disabled={!file || isWrong} loading={submit.isPending}>
              {texts.convert.run}
            </Button>
          </p>
          <details>
            <summary>{texts.convert.copy}</summary>
            <p className="actions">
              {programs(file?.name ?? 'document.pdf', options).map(([language, text]) => (
                <CopyButton key={language} text={text} label={texts.convert.copyAs(language)} />
              ))}
            </p>
          </details>
        </Panel>
      </form>
      {submit.isError ? <Failure error={submit.error} isAction /> : null}
      {taskId ? <Task key={taskId} taskId={taskId} /> : null}
      <History onOpen={(id) => setQuery({ task: id })} />
    </Page>
  );
}

function Options({
  choice,
  isWrong,
  onChange,
}: {
  choice: Choice;
  isWrong: boolean;
  onChange: (change: Partial<Choice>) => void;
}) {
  return (
    <>
      <Checkbox
        label={texts.convert.ocr}
        mb={12}
        checked={choice.withOcr}
        onChange={(event) => onChange({ withOcr: event.currentTarget.checked })}
      />
      <div className="filters">
        <TextInput
          label={texts.convert.languages}
          placeholder="en, de"
          disabled={!choice.withOcr}
          value={choice.languages}
          maxLength={200}
          onChange={(event) => onChange({ languages: event.currentTarget.value })}
        />
        <TextInput
          label={texts.convert.pages}
          placeholder="1-5"
          value={choice.pages}
          error={isWrong ? texts.convert.pagesWrong : undefined}
          onChange={(event) => onChange({ pages: event.currentTarget.value })}
        />
        <PasswordInput
          label={texts.convert.password}
          autoComplete="off"
          value={choice.password}
          maxLength={255}
          onChange={(event) => onChange({ password: event.currentTarget.value })}
        />
      </div>
    </>
  );
}

/** One task, followed until its end; then its outputs. */
function Task({ taskId }: { taskId: string }) {
  const queries = useQueryClient();
  const [begun] = useState(() => Date.now());
  const task = useQuery({
    queryKey: ['conversion', taskId],
    queryFn: ({ signal, queryKey }) =>
      conversion.poll(taskId, queries.getQueryData(queryKey) === undefined ? 0 : waitSeconds, signal),
    refetchInterval: ({ state }) => (state.data && !isOver(state.data) ? 100 : false),
  });
  const isDone = task.data?.task_status === 'success';
  const isEnded = task.data !== undefined && isOver(task.data);
  useEffect(() => {
    if (isEnded) void queries.invalidateQueries({ queryKey: ['conversions'] });
  }, [isEnded, queries]);
  const result = useQuery({
    queryKey: ['conversion', taskId, 'result'],
    enabled: isDone,
    queryFn: () => conversion.result(taskId),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const cancel = useMutation({
    mutationFn: () => conversion.cancel(taskId),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['conversion', taskId] }),
  });
  if (task.isError) return <Failure error={task.error} />;
  return (
    <>
      {task.data && !isEnded ? (
        <Panel title={texts.convert.states[task.data.task_status]}>
          <p role="status">
            {task.data.task_position === null
              ? texts.convert.working(formatDuration(Math.round((task.dataUpdatedAt - begun) / 1_000)))
              : texts.convert.waiting(task.data.task_position)}
          </p>
          <Pages task={task.data} />
          <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate()}>
            {texts.convert.cancel}
          </Button>
        </Panel>
      ) : null}
      {cancel.isError ? <Failure error={cancel.error} isAction /> : null}
      {task.data?.task_status === 'failure' ? (
        <Failure
          error={task.data.error_message ?? texts.convert.states.failure}
          title={texts.convert.failed}
          isAction
        />
      ) : null}
      {result.isError ? <Failure error={result.error} isAction /> : null}
      {result.data ? <Outputs outcome={result.data} /> : null}
    </>
  );
}

/** The pages that are done of a document that takes longer than a second. */
function Pages({ task: { task_meta: meta } }: { task: TaskDescriptor }) {
  const { num_pages: total, num_pages_processed: done } = meta ?? {};
  if (total === undefined || done === undefined || total === 0) return null;
  return (
    <>
      <div
        className="bar"
        data-tone="active"
        role="progressbar"
        aria-label={texts.convert.pagesDone(formatCount(done), formatCount(total))}
        aria-valuenow={done}
        aria-valuemin={0}
        aria-valuemax={total}
      >
        <span style={{ width: `${(100 * done) / total}%` }} />
      </div>
      <p>{texts.convert.pagesDone(formatCount(done), formatCount(total))}</p>
    </>
  );
}

/** Requests an image of each page, to show next to the outputs. */
function getPageImages(file: File) {
  return hasPictures(file) ? { include_page_images: true, images_scale: 1.5 } : {};
}

function isOver({ task_status: state }: TaskDescriptor): boolean {
  return state === 'success' || state === 'failure';
}
