import { Type } from '@sinclair/typebox';
import type { ConversionRequest, ConvertOptions, TaskDescriptor } from '../../client';
import { isFinalTask } from '../../model/conversion/task/task';
import { AppError } from '../../model/errors';
import { data, portion, getPortion } from '../answer';
import { tool, type ToolContext } from '../tool';

/** How long one poll waits for a change. */
const pollSeconds = 5;
/** Less than the 60 seconds after which common clients give a call up. */
const longestWaitSeconds = 40;
const formats = { markdown: 'md', text: 'text', html: 'html', json: 'json' } as const;
type Output = keyof typeof formats;
const output = Type.Optional(
  Type.Union(
    (Object.keys(formats) as Output[]).map((name) => Type.Literal(name)),
    { default: 'markdown' },
  ),
);

/** Converts a document, and returns the first portion of the result when it is there soon. */
export const convertDocument = tool({
  name: 'convert_document',
  title: 'Convert a document',
  description:
    'Converts a PDF, Office file, web page, image or other document without storing it in an index. Give `url`, or `filename` with `content_base64`. Returns a task_id and the first portion of the result, or the state of a long conversion; go on with get_conversion.',
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
      max_characters: portion.max_characters,
    },
    { additionalProperties: false },
  ),
  async run({ url, filename, content_base64: content, output: to = 'markdown', max_characters }, context) {
    const sources = [getSource({ url, filename, content })];
    const options: Partial<ConvertOptions> = { to_formats: [formats[to]], image_export_mode: 'placeholder' };
    const { task_id } = await context.conversion.submit({ sources, options });
    try {
      return await getResult(context, { task_id, output: to, max_characters });
    } catch (error) {
      if (context.signal.aborted) await context.conversion.cancel(task_id).catch(() => undefined);
      throw error;
    }
  },
});

/** Reads the result of a conversion in portions. */
export const getConversion = tool({
  name: 'get_conversion',
  title: 'Read a converted document',
  description: 'The result of convert_document from `offset` on, in the same output format, or its state.',
  input: Type.Object({ task_id: Type.String({ format: 'uuid' }), output, ...portion }, { additionalProperties: false }),
  run: (asked, context) => getResult(context, asked),
});

function getSource({ url, filename, content }: { url?: string; filename?: string; content?: string }): Source {
  if (url !== undefined && content === undefined) return { kind: 'http', url, headers: {} };
  if (url === undefined && content !== undefined && filename !== undefined)
    return { kind: 'file', base64_string: content, filename };
  throw new AppError('VALIDATION_ERROR', 'Give either `url`, or `filename` together with `content_base64`.');
}
type Source = NonNullable<ConversionRequest['sources']>[number];

/** The task when it has ended, or as it is after the longest wait. */
async function awaitEnd(taskId: string, { conversion, signal, progress }: ToolContext): Promise<TaskDescriptor> {
  for (let waited = 0; ; waited += pollSeconds) {
    signal.throwIfAborted();
    const task = await conversion.poll(taskId, pollSeconds, signal);
    if (isFinalTask(task.task_status) || waited >= longestWaitSeconds) return task;
    progress(waited, undefined, `The conversion is ${task.task_status}.`);
  }
}

interface Asked {
  task_id: string;
  output?: Output;
  offset?: number;
  max_characters?: number;
}

async function getResult(context: ToolContext, { task_id, output: to = 'markdown', ...asked }: Asked) {
  const task = await awaitEnd(task_id, context);
  if (task.task_status === 'failure')
    throw new AppError('CONVERSION_FAILED', task.failure?.message ?? 'The conversion failed.');
  if (task.task_status !== 'success')
    return data({ task_id, status: task.task_status, next: 'Call get_conversion with this task_id a little later.' });
  const outcome = await context.conversion.result(task_id);
  if (outcome.type !== 'json' || !('document' in outcome.value))
    throw new AppError('VALIDATION_ERROR', 'The task has several documents or chunks; read it with the API.');
  const { document, status, errors } = outcome.value;
  const json = document.json_content;
  const text = {
    markdown: document.md_content,
    text: document.text_content,
    html: document.html_content,
    json: json && JSON.stringify(json),
  }[to];
  if (text === null || text === undefined)
    throw new AppError('VALIDATION_ERROR', `The conversion made no ${to}; ask for the output it was made with.`);
  const problems = errors.slice(0, 5).map(({ error_message: message }) => message);
  const facts = { task_id, filename: document.filename, status, ...(problems.length > 0 ? { problems } : {}) };
  return getPortion(text, asked, facts);
}
