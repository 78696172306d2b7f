import { errorCatalogue } from '../../model/errors';
import type { Plan } from '../../model/flow/plan';
import { isFinal, type RunState } from '../../model/run/run';
import type { RunLogEntry } from '../../model/run/wire-log';
import type { RunPart, SettledResult } from '../../services/run/facts';
import type { RunDocument, RunRecord } from '../../services/run/run-record';

/** An entry and its sort key in the log: the time, then a unique part, so that equal keys are the same entry. */
export interface KeyedEntry {
  key: string;
  entry: RunLogEntry;
}

/** Events of the run itself. */
export function* iterateRunEntries(run: RunRecord): Generator<KeyedEntry> {
  const { created_at, started_at, ended_at, status, message, warnings } = run;
  yield addKey('!', { time: created_at, level: 'info', event: 'run_created', message: 'The run was created.' });
  if (started_at !== null)
    yield addKey('"', { time: started_at, level: 'info', event: 'run_started', message: 'The run started.' });
  if (ended_at === null || !isFinal(status)) return;
  for (const [index, warning] of warnings.entries())
    yield addKey(`}${index}`, { time: ended_at, level: 'warning', event: 'warning', message: toOneLine(warning) });
  const text = message === '' ? '' : ` ${toOneLine(message)}`;
  yield addKey('~', {
    time: ended_at,
    level: getEndLevel(status),
    event: 'run_ended',
    message: `The run is ${status}.${text}`,
  });
}

function getEndLevel(status: RunState): RunLogEntry['level'] {
  if (status === 'COMPLETED') return 'info';
  return status === 'COMPLETED_WITH_WARNINGS' ? 'warning' : 'error';
}

/** The report of an operator about one batch: beginning, end, warnings, and the first 20 failed documents. */
export function* iteratePartEntries({ operator, part, report, started_at, ended_at }: RunPart): Generator<KeyedEntry> {
  const at = { operator, ...(part === '' ? {} : { batch: part }) };
  const place = `${operator}/${part}`;
  const started = { level: 'info', event: 'operator_started', message: `${operator} started.` } as const;
  yield addKey(`#${place}`, { time: started_at, ...started, ...at });
  if (!report) return;
  const time = ended_at ?? started_at;
  const { in: rowsIn, out, failed, skipped, seconds, warnings, failures } = report;
  for (const { id, name, code, message } of failures)
    yield addKey(`$${place}/${id}`, {
      time,
      level: 'error',
      event: 'document_failed',
      message: toOneLine(message),
      ...at,
      ...buildDocumentFacts(id, name),
      outcome: 'failed',
      code,
    });
  for (const [index, warning] of warnings.entries())
    yield addKey(`%${place}/${index}`, {
      time,
      level: 'warning',
      event: 'warning',
      message: toOneLine(warning),
      ...at,
    });
  yield addKey(`&${place}`, {
    time,
    level: 'info',
    event: 'operator_finished',
    message: `${operator} finished: ${rowsIn} in, ${out} out, ${failed} failed, ${skipped} skipped.`,
    ...at,
    seconds,
    rows: { in: rowsIn, out, failed, skipped },
  });
}

const outcomes = { Completed: 'completed', Failed: 'failed', Skipped: 'skipped' } as const;

/** The outcome of a document. */
export function createResultEntry({ id, name, status, reason, time, pages, seconds, part }: SettledResult): KeyedEntry {
  const [code = ''] = reason.split(':');
  const outcome = outcomes[status];
  return addKey(`'${part}/${id}`, {
    time,
    level: outcome === 'failed' ? 'error' : 'info',
    event: 'document_finished',
    message: reason === '' ? `The document is ${outcome}.` : toOneLine(reason),
    ...buildDocumentFacts(id, name),
    outcome,
    ...(code in errorCatalogue ? { code } : {}),
    seconds,
    pages,
  });
}

/**
 * The time that one document took in the operators of its batch, up to the operator that failed or skipped it. Only the last stage of a
 * flow knows which batch a document was in, so the times are those of its batch.
 */
export function* iterateDocumentSteps(
  plan: Plan,
  parts: readonly RunPart[],
  { id, name, part }: Pick<SettledResult, 'id' | 'name' | 'part'>,
  stoppedBy: Pick<RunDocument, 'operator'> | undefined,
): Generator<KeyedEntry> {
  const stage = plan.stages.at(-1);
  if (stage?.scope !== 'row') return;
  for (const { name: operator } of stage.operators) {
    if (stoppedBy?.operator === operator) return;
    const runPart = parts.find((runPart) => runPart.operator === operator && runPart.part === part);
    if (!runPart?.report) continue;
    const seconds = runPart.report.seconds / Math.max(1, runPart.report.documents);
    yield addKey(`#${operator}/${part}/${id}`, {
      time: runPart.ended_at ?? runPart.started_at,
      level: 'info',
      event: 'document_processed',
      message: `${operator} processed the document.`,
      operator,
      batch: part,
      ...buildDocumentFacts(id, name),
      seconds,
    });
  }
}

function buildDocumentFacts(document_id: string, document_name: string) {
  return { document_id, document_name };
}

/**
 * The first character of `place`, in ASCII order, decides the order of entries of the same time: the run was created (`!`) and
 * started (`"`), operators and documents (`#` to `'`), warnings of the run (`}`), its end (`~`).
 */
function addKey(place: string, entry: RunLogEntry): KeyedEntry {
  return { key: `${entry.time} ${place}`, entry };
}

/** The text with every run of white space as one blank. */
export function toOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
