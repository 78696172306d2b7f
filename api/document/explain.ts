import { Type } from '@sinclair/typebox';
import { isAdmin } from '../../model/access';
import { AppError } from '../../model/errors';
import { listOperators } from '../../model/flow/plan';
import { DocumentId } from '../../model/search/wire';
import { AccessExplanation, DocumentLife } from '../../model/search/wire-access';
import { type AccessRule, accessRules } from '../../model/source/access-rule';
import type { LedgerEntry } from '../../services/run/ledger';
import { type RequestContext, runPolicy, createDocumentNotFoundError } from '../http/policies';
import { route } from '../http/route';
import { findReadable, readForms, type ReadableDocument, listReadableEntries } from './whole';

const maxReaders = 1_000;
const params = Type.Object({ document_id: DocumentId });

export const explainDocumentAccess = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/access',
  audit: 'read',
  summary: 'Who may read a document, and which rule decided it.',
  description:
    'A reader learns why they may read it. The owner of a run that ingested it also gets everybody whom their own runs let read it. Administrators get everybody who may read it anywhere; they need its id, not the right to read it.',
  params,
  replies: { 200: AccessExplanation },
  errors: ['DOCUMENT_NOT_FOUND', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ params: { document_id }, ...context }) => {
    const { user, services, options } = context;
    const readable = await findReadable(document_id, context).catch(ignoreMissing);
    const isForAdmin = isAdmin(user, options.adminGroups);
    const documentId = readable?.documentId ?? document_id;
    const entries = await services.keptDocuments.find(documentId);
    const summary = { document_id: documentId, you_may_read: readable !== undefined };
    if (!isForAdmin) {
      if (!readable) throw createDocumentNotFoundError();
      const rule = getRule(readable.record.metadata['access_rule']);
      return { ...summary, rule, ...buildReaders(entries.filter(({ owner }) => owner === user.username)) };
    }
    const { records, readers, accessRule, ...held } = await services.indexHoldings.listHoldings(documentId);
    if (records === 0) throw createDocumentNotFoundError();
    const owners = [...new Set(entries.flatMap(({ owner }) => owner ?? []))].toSorted();
    const names = buildPrincipalNames(
      held.principals.map(({ principal }) => principal),
      held.denied.map(({ principal }) => principal),
    );
    return { ...summary, rule: getRule(accessRule), readers, ...names, records, owners };
  },
});

export const getDocumentLife = route({
  method: 'GET',
  path: '/api/v1/documents/{document_id}/life',
  audit: 'read',
  summary: 'The history of a document: its changes, the runs that processed it, and where it is indexed.',
  description: 'Available to everyone who may read the document. Runs are shown only to users who may see them.',
  params,
  replies: { 200: DocumentLife },
  errors: ['DOCUMENT_NOT_FOUND', 'SEARCH_CONNECTION_FAILED', 'SEARCH_BUSY'],
  handler: async ({ params: { document_id }, ...context }) => {
    const readable = await findReadable(document_id, context);
    const entries = await listReadableEntries(readable.documentId, context);
    const [kept, ingestions] = await Promise.all([
      readForms(readable.documentId, context),
      Promise.all(entries.map((entry) => readIngestion(entry, context))),
    ]);
    const forms: string[] = ['chunks', ...kept];
    return { document_id: readable.documentId, ...buildTimes(readable, entries), forms, ingestions };
  },
});

/** The readers that the user's own runs gave the document. Runs of others and their readers stay private. */
function buildReaders(
  entries: readonly LedgerEntry[],
): Pick<AccessExplanation, 'readers' | 'principals' | 'denied' | 'owners'> {
  if (entries.length === 0) return {};
  const users = new Set(entries.flatMap(({ allowed_users: names }) => names ?? []));
  const owners = new Set(entries.flatMap(({ owner }) => owner ?? []));
  return {
    readers: [...users]
      .toSorted()
      .slice(0, maxReaders)
      .map((user) => ({ user })),
    ...buildPrincipalNames(
      entries.flatMap(({ allowed_principals: allowed = [] }) => allowed),
      entries.flatMap(({ denied_principals: denied = [] }) => denied),
    ),
    owners: [...owners],
  };
}

function buildPrincipalNames(allowed: readonly string[], denied: readonly string[]) {
  const dedupe = (names: readonly string[]) => [...new Set(names)].toSorted().slice(0, maxReaders);
  return {
    ...(allowed.length > 0 ? { principals: dedupe(allowed) } : {}),
    ...(denied.length > 0 ? { denied: dedupe(denied) } : {}),
  };
}

function buildTimes({ record }: ReadableDocument, entries: readonly LedgerEntry[]) {
  const changed = entries.map((entry) => entry.modified_time).filter(Boolean);
  return { changed_at: changed.toSorted().at(-1) ?? null, indexed_at: record.updated_at };
}

async function readIngestion(
  { name, status, content_hash: version, indexes, run_id }: LedgerEntry,
  context: RequestContext,
) {
  const run = await runPolicy.find(run_id, context);
  const facts = { name, status, version, indexes: Object.keys(indexes).toSorted() };
  if (!run) return facts;
  const stats = await context.services.runsStore.readOperatorStats(run_id);
  const steps = listOperators(run.snapshot.plan).map(({ name: step, type }) => ({
    name: step,
    type,
    ended_at: stats.find((operatorStats) => operatorStats.name === step)?.ended_at ?? null,
  }));
  return { ...facts, run: { job_run_id: run.job_run_id, flow_name: run.flow_name, steps } };
}

/** The access rule of a record; empty for records of earlier versions. */
export function getRule(value: unknown): AccessRule | null {
  return accessRules.find((rule) => rule === value) ?? null;
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'DOCUMENT_NOT_FOUND') return undefined;
  throw error;
}
