import { findOutputFile } from '../../model/conversion/request/formats';
import { isBucket } from '../../model/conversion/request/sources';
import type { ConvertEnd, ConvertPlan, DocumentOutcome } from '../../model/conversion/task/work';
import { listWantedTasks } from '../../model/conversion/vision/vision-plan';
import type { TaskRecord } from '../../services/conversion/record';
import { encodeLightDocuments, type OpenTask } from './sources';

/** Plan of a task that has already ended. */
export const nothingToDo: ConvertPlan = {
  over: true,
  documents: 0,
  light: '',
  abortOnError: false,
  callbacks: false,
  deliver: false,
  needsOutput: false,
};

/** The steps that the workflow runs for the task. `open` is absent until the documents are known. */
export function buildPlan({ request, packaging }: TaskRecord, open: OpenTask | undefined): ConvertPlan {
  if (!request) return nothingToDo;
  const { kind } = request.target;
  const sources = open?.sources ?? [];
  const formats: readonly string[] = request.task_type === 'chunk' ? ['chunks'] : request.options.to_formats;
  return {
    documents: sources.length,
    // Documents that wait for models may take long whatever their size.
    light: listWantedTasks(request.options).length === 0 ? encodeLightDocuments(sources) : '0'.repeat(sources.length),
    abortOnError: request.options.abort_on_error,
    callbacks: request.callbacks.length > 0,
    deliver: kind === 'put' || kind === 'presigned_url' || isBucket(request.target),
    needsOutput: packaging !== 'inbody',
    ...(packaging !== 'inbody' && !formats.some((format) => findOutputFile(format) !== undefined)
      ? { impossible: `None of the formats ${formats.join(', ')} can be written.` }
      : {}),
  };
}

/** True for a task of one small document whose end needs no decisions. Its workflow then runs a single activity. */
export function isSingleStep({ over, listing, documents, light, impossible, ...plan }: ConvertPlan): boolean {
  if (over || listing || impossible !== undefined || documents !== 1 || light !== '1') return false;
  return !plan.abortOnError && !plan.callbacks && !plan.deliver && !plan.needsOutput;
}

/** The end of such a task. The task succeeds even when its document failed. */
export function createSingleDocumentEnd(
  taskId: string,
  { status }: DocumentOutcome,
): ConvertEnd & Required<Pick<ConvertEnd, 'counts'>> {
  const count = (...statuses: DocumentOutcome['status'][]) => (statuses.includes(status) ? 1 : 0);
  return {
    taskId,
    state: 'success',
    counts: {
      num_docs: 1,
      num_processed: 1,
      num_succeeded: count('success'),
      num_partially_succeeded: count('partial_success'),
      num_failed: count('failure', 'skipped'),
    },
  };
}
