import { toStoredAccess, omitAccessFields } from '../../model/access-list';
import { getDocumentId, type Row } from '../../model/flow/row';
import { toShownPlace } from '../../model/source/shown-place';
import type { IndexRecord } from '../../services/search/ports';
import type { RunFacts } from '../operator';
import { type Feature, readFeatures } from './features';

/** Facts about a row that its record needs besides the columns. */
export interface RecordFacts {
  run: Pick<RunFacts, 'runId' | 'jobId' | 'startedAt'>;
  language: string | undefined;
  features: readonly Feature[];
}

/** The record of a row: a chunk, or a document when the flow has no chunker. Nobody can read a row without access list. */
export function toRecord(
  row: Row,
  vector: number[] | undefined,
  { run, language, features }: RecordFacts,
): IndexRecord {
  const { title: givenTitle, ...found } = readFeatures(row, features);
  const metadata: Record<string, unknown> = {
    ...buildMetadata(row, found),
    ...(language === undefined ? {} : { language }),
  };
  const title = givenTitle ?? metadata['title'];
  return {
    id: row.id,
    document_id: getDocumentId(row),
    job_id: run.jobId,
    run_id: run.runId,
    content: row.content ?? '',
    title: typeof title === 'string' && title.trim() !== '' ? title : row.name,
    metadata,
    ...toStoredAccess(row),
    created_at: row.modified_time ?? run.startedAt,
    updated_at: run.startedAt,
    ...(vector === undefined ? {} : { embedding: vector }),
  };
}

/** Metadata from the source and the operators. Columns override members of the same name from the source. */
function buildMetadata(row: Row, features: Record<string, unknown>): Record<string, unknown> {
  const columns = {
    name: row.name,
    ...toShownPlace(row),
    mimetype: row.mimetype,
    headings: row.headings,
    page_numbers: row.page_numbers,
    bbox: row.bbox,
    chunk_index: row.chunk_index,
    start_index: row.start_index,
    document_id: getDocumentId(row),
  };
  const sourceMetadata = omitAccessFields(row.metadata ?? {});
  return {
    ...(toIndexable({ ...sourceMetadata, ...features }) as Record<string, unknown>),
    ...Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined && value !== null)),
  };
}

/** Repairs names that the engine rejects (empty, or with empty parts between dots). Values stay unchanged. */
function toIndexable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toIndexable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [repairFieldName(name), toIndexable(member)]),
  );
}

function repairFieldName(name: string): string {
  const parts = name.split('.').map((part) => part.trim());
  return parts.filter(Boolean).join('.') || '_';
}
