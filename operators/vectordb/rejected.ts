import { countNouns } from '../../model/count-nouns';
import { getDocumentId, type Row, type RowFailure } from '../../model/flow/row';

/** One failure per document, with the first reason and the number of rejected records. */
export function findFailures(rows: readonly Row[], refused: ReadonlyMap<string, string>): Map<string, RowFailure> {
  const failures = new Map<string, RowFailure>();
  for (const row of rows) {
    const reason = refused.get(row.id);
    const id = getDocumentId(row);
    if (reason === undefined || failures.has(id)) continue;
    const count = rows.filter((other) => getDocumentId(other) === id && refused.has(other.id)).length;
    failures.set(id, {
      id,
      name: row.name,
      code: 'SEARCH_INDEX_ERROR',
      message: `The index refused ${countNouns(count, 'record')} of the document: ${reason}`,
    });
  }
  return failures;
}
