import type { ConvertPlan } from '../model/conversion/work';
import type { TaskRecord } from '../services/conversion-record';
import { lightOf, type OpenTask } from './convert-sources';

/** Formats that there is a writer for. */
const writable = new Set(['md', 'json', 'html', 'text', 'doctags', 'doclang', 'chunks']);

/** The plan for a task that has ended. */
export const nothingToDo: ConvertPlan = {
  over: true,
  documents: 0,
  light: '',
  abortOnError: false,
  callbacks: false,
  deliver: false,
  needsOutput: false,
};

/** What the workflow does with the task; `open` is absent while the documents are not known. */
export function planOf({ request, packaging }: TaskRecord, open: OpenTask | undefined): ConvertPlan {
  if (!request) return nothingToDo;
  const { kind } = request.target;
  const formats: readonly string[] = request.task_type === 'chunk' ? ['chunks'] : request.options.to_formats;
  return {
    documents: open?.sources.length ?? 0,
    light: open ? lightOf(open.sources) : '',
    abortOnError: request.options.abort_on_error,
    callbacks: request.callbacks.length > 0,
    deliver: kind === 'put' || kind === 's3' || kind === 'presigned_url',
    needsOutput: packaging !== 'inbody',
    ...(packaging !== 'inbody' && !formats.some((format) => writable.has(format))
      ? { impossible: `None of the formats ${formats.join(', ')} can be written.` }
      : {}),
  };
}
