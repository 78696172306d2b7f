import type { Reader } from '../../model/access';
import { mayRead } from '../../model/access-list';
import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { listAllColumns, chooseColumns, type ColumnChoice, buildShape } from '../document-set/set-columns';
import { showRow, type Shown } from '../document-set/set-files';
import type { TablesStore } from '../table/tables';
import type { Ledger } from './ledger';
import type { RunRecord } from './run-record';

/** Rows read at a time. */
const pageSize = 200;
/** Number of rows that determine the columns of a file, in addition to the declared columns of the table. */
const maxSampled = 1_000;

/** The rows that an operator of a run wrote, as one user may see them. */
export interface StepRows {
  /** The first `limit` rows after `offset`, and whether there are more. Fewer where their JSON exceeds 4 MB. */
  readPage(step: Step, query: ColumnChoice & { limit: number; offset: number }): Promise<StepPage>;
  /** All rows, with the columns of a file. Holds one page in memory. */
  readAll(step: Step, choice: ColumnChoice): Promise<{ columns: string[]; pages: AsyncGenerator<Shown[]> }>;
}

/** The selected rows and their reader. `operator` may name a branch, as in `name.branch`. */
export interface Step {
  run: RunRecord;
  operator: string;
  user: Reader;
}

/** Some rows of a step. */
export interface StepPage {
  columns: string[];
  rows: Shown[];
  hasMore: boolean;
}

const maxBytes = 4 * 1024 * 1024;

/**
 * Reads the stored tables of a run. A row is visible if its access list includes the user, both then and now in the ledger.
 * Users other than the owner of the run see rows only if its flow masks and withholds no text, because a later step may remove
 * text of an earlier one.
 */
export function createStepRows(deps: {
  tables: Pick<TablesStore, 'listParts' | 'read'>;
  ledger: Pick<Ledger, 'lookup' | 'listRemoved'>;
}): StepRows {
  return {
    async readPage(step, { limit, offset, ...choice }) {
      const rows: Row[] = [];
      let skipped = 0;
      let bytes = 0;
      for await (const page of iterateVisibleRows(deps, step)) {
        for (const row of page) {
          if (skipped < offset) {
            skipped += 1;
            continue;
          }
          bytes += JSON.stringify(row).length;
          if (rows.length === limit || (rows.length > 0 && bytes > maxBytes)) return buildPage(rows, choice, true);
          rows.push(row);
        }
      }
      return buildPage(rows, choice, false);
    },
    async readAll(step, choice) {
      const sample: Row[] = [];
      for await (const page of iterateVisibleRows(deps, step)) {
        sample.push(...page);
        if (sample.length >= maxSampled) break;
      }
      const columns = listColumns(sample, choice);
      return { columns, pages: showPages(iterateVisibleRows(deps, step), columns) };
    },
  };
}

async function* showPages(pages: AsyncIterable<Row[]>, columns: string[]): AsyncGenerator<Shown[]> {
  for await (const page of pages) yield page.map((row) => showRow(row, columns));
}

function buildPage(rows: readonly Row[], choice: ColumnChoice, hasMore: boolean): StepPage {
  const columns = listColumns(rows, choice);
  return { columns, rows: rows.map((row) => showRow(row, columns)), hasMore };
}

function listColumns(rows: readonly Row[], choice: ColumnChoice): string[] {
  return chooseColumns(listAllColumns(rows.map(buildShape)), choice);
}

type Deps = Parameters<typeof createStepRows>[0];

async function* iterateVisibleRows(deps: Deps, { run, operator, user }: Step): AsyncGenerator<Row[]> {
  const { job_run_id: runId } = run;
  const stored = await deps.tables.listParts(runId, operator);
  if (stored.length === 0) refuseRemovedTables(run, operator);
  // A part that was halved after this operator wrote it exists both as a whole and in pieces.
  for (const part of stored.filter((name) => !stored.some((other) => name.startsWith(`${other}-`)))) {
    for (let from = 0; ; from += pageSize) {
      const rows = await deps.tables.read({ runId, operator, part }, { from, to: from + pageSize });
      yield await selectVisible(deps, rows, run, user);
      if (rows.length < pageSize) break;
    }
  }
}

async function selectVisible(
  { ledger }: Deps,
  rows: readonly Row[],
  { job_id, owner }: RunRecord,
  reader: Reader,
): Promise<Row[]> {
  const readableRows = rows.filter((row) => mayRead(reader, row));
  if (readableRows.length === 0) return [];
  const ids = [...new Set(readableRows.map(getDocumentId))];
  const entries = await ledger.lookup(job_id, ids);
  const removed = await ledger.listRemoved(job_id, ids);
  return readableRows.filter((row) => {
    const id = getDocumentId(row);
    const entry = entries.get(id);
    if (owner !== reader.username && entry?.withholds_text !== false) return false;
    // Entries of earlier versions have no access list.
    return !removed.has(id) && (entry?.allowed_users === undefined || mayRead(reader, entry));
  });
}

/** An operator that has written nothing yet has no rows; tables that were removed are an error. */
function refuseRemovedTables({ job_run_id, tables_removed_at }: RunRecord, operator: string): void {
  if (tables_removed_at === undefined) return;
  throw new AppError(
    'TABLE_NOT_FOUND',
    `The rows of '${operator}' in the run '${job_run_id}' were removed at ${tables_removed_at}.`,
  );
}

function getDocumentId({ document_id, id }: Row): string {
  return document_id ?? id;
}
