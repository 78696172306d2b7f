import type { RunRecord, RunsStore } from '../../services/run/run-record';
import type { RunResult } from '../../services/run/facts';
import { anonymousResult } from './names';

const columns = ['GUID', 'File name', 'Status', 'Status reason', 'Time stamp', 'Pages', 'Processing time'];
const page = 500;

/**
 * The report of a finished run as CSV (RFC 4180), line by line: every document that was settled, then those that failed before;
 * named when `isNamed`.
 */
export async function* runCsv(
  store: Pick<RunsStore, 'results' | 'documents'>,
  run: RunRecord,
  isNamed: boolean,
): AsyncGenerator<string, void, void> {
  yield line(columns);
  const seen = new Set<string>();
  for await (const result of store.results(run.job_run_id)) {
    if (result.status !== 'Completed') seen.add(result.id);
    yield line(cells(isNamed ? result : anonymousResult(result)));
  }
  for (let offset = 0; ; offset += page) {
    const { items } = await store.documents(run.job_run_id, { limit: page, offset });
    for (const { id, name, code, message, outcome } of items) {
      if (seen.has(id)) continue;
      seen.add(id);
      const status = outcome === 'failed' ? ('Failed' as const) : ('Skipped' as const);
      const reason = `${code}: ${message}`;
      const result: RunResult = { id, name, status, reason, time: run.ended_at ?? '', pages: 0, seconds: 0 };
      yield line(cells(isNamed ? result : anonymousResult(result)));
    }
    if (items.length < page) return;
  }
}

function cells({ id, name, status, reason, time, pages, seconds }: RunResult): string[] {
  return [id, name, status, reason, time, String(pages), seconds.toFixed(3)];
}

function line(values: readonly string[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

/** Quoted where it must be. A text that a spreadsheet would take for a formula gets an apostrophe before it. */
function cell(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
