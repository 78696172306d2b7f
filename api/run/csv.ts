import { toCsvCell, toExactCell } from '../../model/export/csv-cell';
import type { RunResult } from '../../services/run/facts';
import type { RunRecord, RunsStore } from '../../services/run/run-record';
import { anonymizeResult } from './names';

const columns = ['GUID', 'File name', 'Status', 'Status reason', 'Time stamp', 'Pages', 'Processing time'];
const documentsPerRead = 500;

/**
 * The report of a finished run as CSV (RFC 4180), line by line: all settled documents, then those that failed earlier. Includes
 * names when `isNamed`. Texts that look like spreadsheet formulas get a leading apostrophe, unless `exact`.
 */
export async function* writeRunCsv(
  store: Pick<RunsStore, 'iterateResults' | 'listDocuments'>,
  run: RunRecord,
  { isNamed, exact = false }: { isNamed: boolean; exact?: boolean },
): AsyncGenerator<string, void, void> {
  const formatLine = (values: readonly string[]) => `${values.map(exact ? toExactCell : toCsvCell).join(',')}\r\n`;
  yield formatLine(columns);
  const seen = new Set<string>();
  for await (const result of store.iterateResults(run.job_run_id)) {
    if (result.status !== 'Completed') seen.add(result.id);
    yield formatLine(listCells(isNamed ? result : anonymizeResult(result)));
  }
  for (let offset = 0; ; offset += documentsPerRead) {
    const { items } = await store.listDocuments(run.job_run_id, { limit: documentsPerRead, offset });
    for (const { id, name, code, message, outcome } of items) {
      if (seen.has(id)) continue;
      seen.add(id);
      const status = outcome === 'failed' ? ('Failed' as const) : ('Skipped' as const);
      const reason = `${code}: ${message}`;
      const result: RunResult = { id, name, status, reason, time: run.ended_at ?? '', pages: 0, seconds: 0 };
      yield formatLine(listCells(isNamed ? result : anonymizeResult(result)));
    }
    if (items.length < documentsPerRead) return;
  }
}

function listCells({ id, name, status, reason, time, pages, seconds }: RunResult): string[] {
  return [id, name, status, reason, time, String(pages), seconds.toFixed(3)];
}
