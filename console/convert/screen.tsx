import { Button, Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { TaskDescriptor } from '../../client';
import { formatCount, formatDuration } from '../format';
import { CopyButton } from '../parts/copy-button';
import { Failure, Page, Panel } from '../parts/page';
import { setQuery, usePlace } from '../router';
import { texts } from '../texts';
import { DropFiles } from '../upload/drop-files';
import { type Choice, hasPictures, defaultChoice, readPages, buildOptions } from './choice';
import { conversion } from './client';
import { History } from './history';
import { Outputs } from './outputs';
import { formatNames, writePrograms } from './programs';

/** How long a poll waits for a change of the state. */
const waitSeconds = 2;

/** Converts a file to five outputs without indexing anything, and lists earlier conversions. */
export function ConvertScreen() {
  const taskId = usePlace().query.get('task') ?? undefined;
  const queries = useQueryClient();
  const [file, setFile] = useState<File>();
  const [choice, setChoice] = useState(defaultChoice);
  const isWrong = choice.pages.trim() !== '' && readPages(choice.pages) === undefined;
  const options = buildOptions(choice, file);
  const submit = useMutation({
    mutationFn: (file: File) =>
      conversion.submit({
        files: [{ name: file.name, content: file }],
        options: { to_formats: [...formatNames], ...buildOptions(choice, file), ...choosePageImages(choice, file) },
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
        <DropFiles isSingle words={texts.convert} onFiles={([firstFile]) => setFile(firstFile)} />
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
              {writePrograms(file?.name ?? 'document.pdf', options).map(([language, text]) => (
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
      <div className="choices-in-line">
        <Checkbox
          label={texts.convert.ocr}
          checked={choice.withOcr}
          onChange={(event) => onChange({ withOcr: event.currentTarget.checked })}
        />
        <Checkbox
          label={texts.convert.withPages}
          description={texts.convert.withPagesHelp}
          checked={choice.withPages}
          onChange={(event) => onChange({ withPages: event.currentTarget.checked })}
        />
      </div>
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
  const top = useRef<HTMLDivElement>(null);
  const isShown = task.data !== undefined;
  useEffect(() => {
    // In a small window the form fills the screen, and the task would begin below it.
    if (isShown) top.current?.scrollIntoView({ block: 'nearest' });
  }, [isShown]);
  if (task.isError) return <Failure error={task.error} />;
  return (
    <>
      <div ref={top} />
      {task.data && !isEnded ? (
        <Panel title={texts.convert.states[task.data.task_status]}>
          <Progress task={task.data} seconds={Math.round((task.dataUpdatedAt - begun) / 1_000)} />
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

/** The place in the queue, then the pages that are done. The bar is there from the start, so that nothing moves when the pages are counted. */
function Progress({ task, seconds }: { task: TaskDescriptor; seconds: number }) {
  const { num_pages: total = 0, num_pages_processed: done = 0 } = task.task_meta ?? {};
  const pages =
    done < total
      ? texts.convert.pagesDone(formatCount(done), formatCount(total))
      : texts.convert.pagesRead(formatCount(total));
  return (
    <>
      <p role="status">
        {task.task_position === null
          ? texts.convert.working(formatDuration(seconds))
          : texts.convert.waiting(task.task_position)}
      </p>
      <div
        className="bar"
        data-tone="active"
        role="progressbar"
        aria-label={total > 0 ? pages : texts.convert.states.started}
        aria-valuenow={done}
        aria-valuemin={0}
        aria-valuemax={Math.max(1, total)}
      >
        <span style={{ width: `${(100 * done) / Math.max(1, total)}%` }} />
      </div>
      <p>{total === 0 ? texts.convert.pagesUnknown : pages}</p>
    </>
  );
}

/** Requests an image of each page, to show beside the outputs. */
function choosePageImages({ withPages }: Choice, file: File) {
  return withPages && hasPictures(file) ? { include_page_images: true, images_scale: 1.5 } : {};
}

function isOver({ task_status: state }: TaskDescriptor): boolean {
  return state === 'success' || state === 'failure';
}
