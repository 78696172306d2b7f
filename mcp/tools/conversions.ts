import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import type { ConversionRequest, ConvertOptions, TaskDescriptor } from '../../client';
import { isFinalTask } from '../../model/conversion/task/task';
import { AppError } from '../../model/errors';
import { toDataContent, portionInput, getPortion } from '../answer';
import { type LongWork, tool, type ToolContext, type WorkState } from '../tool';

/** How long one poll waits for a change. */
const pollSeconds = 5;
/** Less than the 60 seconds after which common clients give up on a call. */
const maxWaitSeconds = 40;
/** Of a failed conversion. */
const maxShownErrors = 5;
const formats = { markdown: 'md', text: 'text', html: 'html', json: 'json' } as const;
type Output = keyof typeof formats;
const output = Type.Optional(
  Type.Union(
    (Object.keys(formats) as Output[]).map((name) => Type.Literal(name)),
    { default: 'markdown' },
  ),
);

/** Converts a document, and returns the first portion of the result if it is ready soon. */
export const convertDocument = tool({
  name: 'convert_document',
  title: 'Convert a document',
  description:
    'Converts a PDF, Office file, web page, image or other document without storing it in an index. Give `url`, or `filename` with `content_base64`. Returns a task_id and the first portion of the result, or the state of a long conversion; continue with get_conversion.',
  effect: 'write',
  isOpenWorld: true,
  input: Type.Object(
    {
      url: Type.Optional(Type.String({ format: 'uri', maxLength: 4_000 })),
      filename: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      content_base64: Type.Optional(
        Type.String({ minLength: 1, maxLength: 4_000_000, description: 'The file, of at most 3 MB.' }),
      ),
      output,
      max_characters: portionInput.max_characters,
    },
    { additionalProperties: false },
  ),
  async run(input, context) {
    const task_id = await submit(input, context);
    try {
      return await readResult(context, { ...input, task_id });
    } catch (error) {
      if (context.signal.aborted) await context.conversion.cancel(task_id).catch(() => undefined);
      throw error;
    }
  },
  work: createConversionWork(),
});

/** Reads the result of a conversion in portions. */
export const getConversion = tool({
  name: 'get_conversion',
  title: 'Read a converted document',
  description: 'The result of convert_document from `offset` on, in the same output format, or its state.',
  input: Type.Object(
    { task_id: Type.String({ format: 'uuid' }), output, ...portionInput },
    { additionalProperties: false },
  ),
  run: (input, context) => readResult(context, input),
});

interface ConversionInput {
  url?: string;
  filename?: string;
  content_base64?: string;
  output?: Output;
  max_characters?: number;
}

async function submit(
  { url, filename, content_base64: content, output: to = 'markdown' }: ConversionInput,
  { conversion }: ToolContext,
): Promise<string> {
  const options: Partial<ConvertOptions> = { to_formats: [formats[to]], image_export_mode: 'placeholder' };
  return (await conversion.submit({ sources: [buildSource({ url, filename, content })], options })).task_id;
}

/** A conversion as a task. Its id is `output/characters/conversion id`: the result needs the first two. */
function createConversionWork(): LongWork<ConversionInput> {
  return {
    async start(input, context) {
      const { output: to = 'markdown', max_characters = 12_000 } = input;
      return [to, max_characters, await submit(input, context)].join('/');
    },
    async read(id, { conversion }) {
      return describeState(await conversion.poll(parseWorkId(id).task_id));
    },
    async result(id, context) {
      const request = parseWorkId(id);
      const task = await waitForTask(request.task_id, context, Number.POSITIVE_INFINITY);
      const { status, message } = describeState(task);
      if (status === 'cancelled') throw new AppError('CONVERSION_FAILED', message);
      return showResult(task, context, request);
    },
    async cancel(id, { conversion }) {
      await conversion.cancel(parseWorkId(id).task_id);
    },
  };
}

function parseWorkId(id: string): ResultRequest & { output: Output } {
  const [to = '', characters = '', task_id = ''] = id.split('/');
  const output = (Object.keys(formats) as Output[]).find((key) => key === to);
  const max_characters = Number(characters);
  if (output === undefined || !Value.Check(portionInput.max_characters, max_characters))
    throw new AppError('CONVERSION_TASK_NOT_FOUND', 'The task does not exist.');
  return { task_id, output, max_characters };
}

function describeState({ task_status, task_position, task_meta, error_message, failure }: TaskDescriptor): WorkState {
  if (task_status === 'success') return { status: 'completed', message: 'The document is converted.' };
  if (task_status === 'failure')
    return {
      status: failure?.details['reason'] === 'cancelled' ? 'cancelled' : 'failed',
      message: failure?.message ?? error_message ?? 'The conversion failed.',
    };
  const waiting = task_position === null ? '' : ` It is number ${task_position} in the queue.`;
  const { num_pages: total, num_pages_processed: done } = task_meta ?? {};
  const pages = total === undefined || done === undefined ? '' : ` ${done} of ${total} pages are done.`;
  return { status: 'working', message: `The conversion is ${task_status}.${waiting}${pages}` };
}

function buildSource({ url, filename, content }: { url?: string; filename?: string; content?: string }): Source {
  if (url !== undefined && content === undefined) return { kind: 'http', url, headers: {} };
  if (url === undefined && content !== undefined && filename !== undefined)
    return { kind: 'file', base64_string: content, filename };
  throw new AppError('VALIDATION_ERROR', 'Give either `url`, or `filename` together with `content_base64`.');
}
type Source = NonNullable<ConversionRequest['sources']>[number];

/** Waits until the task has ended, or for `maxSeconds`, and returns it as it is then. */
async function waitForTask(
  taskId: string,
  { conversion, signal, progress }: ToolContext,
  maxSeconds: number,
): Promise<TaskDescriptor> {
  for (let waited = 0; ; waited += pollSeconds) {
    signal.throwIfAborted();
    const task = await conversion.poll(taskId, pollSeconds, signal);
    if (isFinalTask(task.task_status) || waited >= maxSeconds) return task;
    progress(waited, undefined, describeState(task).message);
  }
}

/** The portion of a result that is requested. */
interface ResultRequest {
  task_id: string;
  output?: Output;
  offset?: number;
  max_characters?: number;
}

async function readResult(context: ToolContext, request: ResultRequest) {
  return showResult(await waitForTask(request.task_id, context, maxWaitSeconds), context, request);
}

async function showResult(
  task: TaskDescriptor,
  context: ToolContext,
  { task_id, output: to = 'markdown', offset, max_characters }: ResultRequest,
) {
  if (task.task_status === 'failure')
    throw new AppError('CONVERSION_FAILED', task.failure?.message ?? 'The conversion failed.');
  if (task.task_status !== 'success')
    return toDataContent({
      task_id,
      status: task.task_status,
      next: 'Call get_conversion with this task_id a little later.',
    });
  const outcome = await context.conversion.result(task_id);
  if (outcome.type !== 'json' || !('document' in outcome.value))
    throw new AppError('VALIDATION_ERROR', 'The task has several documents or chunks; read it with the API.');
  const { document, status, errors } = outcome.value;
  const problems = errors.slice(0, maxShownErrors).map(({ error_message: message }) => message);
  if ((status === 'failure' || status === 'skipped') && problems.length > 0)
    throw new AppError('CONVERSION_FAILED', problems.join(' '));
  const json = document.json_content;
  const text = {
    markdown: document.md_content,
    text: document.text_content,
    html: document.html_content,
    json: json && JSON.stringify(json),
  }[to];
  if (text === null || text === undefined)
    throw new AppError(
      'VALIDATION_ERROR',
      `The conversion has no output ${to}; request the output that it was started with.`,
    );
  const facts = { task_id, filename: document.filename, status, ...(problems.length > 0 ? { problems } : {}) };
  return getPortion(text, { offset, max_characters }, facts);
}
