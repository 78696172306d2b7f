import { randomUUID } from 'node:crypto';
import type { ApiServices } from '../../../api/services';
import { mayRead } from '../../../model/access-list';
import { hiddenColumns } from '../../../model/document-set/document-set';
import { AppError } from '../../../model/errors';
import type { Row } from '../../../model/flow/row';
import type { DocumentLibraryRecord } from '../../../services/document-set/document-libraries-store';
import { createRowExport } from '../../../services/document-set/document-set-export';
import type { DocumentSetRecord, ResourceAsker } from '../../../services/document-set/document-sets-store';
import { createDuckdb } from '../../../services/table/duckdb';

const visible = (asker: ResourceAsker) => (resource: { owner: string; readers: string[] }) =>
  asker.everyone || resource.owner === asker.user.username || resource.readers.includes(asker.user.username);
const matches = (name: string | undefined) => (resource: { name: string }) =>
  !name || resource.name.toLowerCase().includes(name.toLowerCase());

/** Document sets and libraries in memory, with the behaviour of their stores that the routes rely on. */
export function memoryDocumentSets(
  newId: () => string = randomUUID,
): Pick<ApiServices, 'documentSets' | 'documentLibraries' | 'exportRows'> {
  const sets = new Map<string, DocumentSetRecord>();
  const rowsOf = new Map<string, Map<string, Row>>();
  const libraries = new Map<string, DocumentLibraryRecord>();
  const rows = (setId: string) => [...(rowsOf.get(setId)?.values() ?? [])];
  const allowed = (username: string, setId: string) =>
    rows(setId).filter(({ allowed_users }) => allowed_users?.includes(username));
  const counted = (set: DocumentSetRecord, username: string): DocumentSetRecord => {
    const found = allowed(username, set.id);
    const documents = new Map(found.map((row) => [row.document_id ?? row.id, row]));
    const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
    const size = sum([...documents.values()].map((row) => row.size ?? 0));
    const pages = sum([...documents.values()].map((row) => row.pages_processed ?? 0));
    return { ...set, totals: { documents: documents.size, rows: found.length, size, pages } };
  };
  const readable = (username: string, setId: string, columns: readonly string[], documentId?: string) =>
    allowed(username, setId)
      .filter((row) => documentId === undefined || (row.document_id ?? row.id) === documentId)
      .map((row) => Object.fromEntries(columns.map((name) => [name, row[name]])));
  const documentSets: ApiServices['documentSets'] = {
    getOrCreate: async ({
      name,
      owner,
      description = null,
      metadata = {},
      readers = [],
      retain_deleted_docs = null,
    }) => {
      const known = [...sets.values()].find((set) => set.owner === owner && set.name === name);
      if (known) return { set: counted(known, owner), created: false };
      const now = new Date().toISOString();
      const totals = { documents: 0, rows: 0, size: 0, pages: 0 };
      const set = { id: newId(), name, owner, description, metadata, readers, retain_deleted_docs, totals };
      const made = { ...set, created_at: now, updated_at: now };
      sets.set(made.id, made);
      return { set: made, created: true };
    },
    get: async (asker, id) =>
      [...sets.values()]
        .filter(visible(asker))
        .filter((set) => set.id === id)
        .map((set) => counted(set, asker.user.username))[0],
    find: async (owner, key) =>
      [...sets.values()].find(
        (set) => set.owner === owner && ('id' in key ? set.id === key.id : set.name === key.name),
      ),
    list: async (asker, { limit, offset, name, ids }) => {
      const matchingSets = [...sets.values()]
        .filter(visible(asker))
        .filter(matches(name))
        .filter(({ id }) => !ids || ids.includes(id));
      const items = matchingSets.slice(offset, offset + limit).map((set) => counted(set, asker.user.username));
      return { items, total: matchingSets.length };
    },
    countVisible: async (asker, ids) =>
      [...sets.values()].filter(visible(asker)).filter(({ id }) => ids.includes(id)).length,
    update: async (asker, id, change) => {
      const set = [...sets.values()].filter(visible(asker)).find((documentSetRecord) => documentSetRecord.id === id);
      if (!set) return undefined;
      const changed = { ...set, ...change };
      sets.set(id, changed);
      return counted(changed, asker.user.username);
    },
    remove: async (id) => {
      sets.delete(id);
      rowsOf.delete(id);
    },
    write: async (id, _origin, input) => {
      rowsOf.set(id, new Map([...(rowsOf.get(id) ?? []), ...input.map((row) => [row.id, row] as const)]));
      return sets.has(id);
    },
    purge: async () => 0,
    removeRows: async () => 0,
    listColumns: async ({ username }, id, { columns, vectors }) => {
      const there = [...new Set(allowed(username, id).flatMap((row) => Object.keys(row)))].filter(
        (name) => !hiddenColumns.includes(name),
      );
      const unknown = columns?.filter((name) => !there.includes(name)) ?? [];
      if (unknown.length > 0) throw new AppError('VALIDATION_ERROR', `The set has no column ${unknown.join(', ')}.`);
      return columns ? [...columns] : there.filter((name) => vectors || name !== 'embeddings');
    },
    listSetsWith: async ({ username }, documentId, limit) =>
      [...sets.keys()]
        .filter((id) => allowed(username, id).some((row) => (row.document_id ?? row.id) === documentId))
        .slice(0, limit),
    preview: async ({ username }, id, { columns, limit, offset, documentId }) => {
      const found = readable(username, id, columns, documentId);
      return { rows: found.slice(offset, offset + limit), totalRows: found.length };
    },
    findReadableDocuments: async (user, id, documentIds) => {
      const of = (documentId: string) => rows(id).filter((row) => (row.document_id ?? row.id) === documentId);
      const all = documentIds.filter(
        (documentId) => of(documentId).length > 0 && of(documentId).every((row) => mayRead(user, row)),
      );
      return new Set(all);
    },
    readAll: async function* ({ username }, id, columns) {
      yield readable(username, id, columns);
    },
  };
  const documentLibraries: ApiServices['documentLibraries'] = {
    create: async (library) => {
      if ([...libraries.values()].some(({ owner, name }) => owner === library.owner && name === library.name))
        throw new AppError('DOCUMENT_LIBRARY_ALREADY_EXISTS', `'${library.name}' exists already.`);
      libraries.set(library.library_id, library);
      return library;
    },
    get: async (asker, id) =>
      [...libraries.values()].filter(visible(asker)).find(({ library_id }) => library_id === id),
    list: async (asker, { limit, offset, name, tags }) => {
      const matchingLibraries = [...libraries.values()]
        .filter(visible(asker))
        .filter(matches(name))
        .filter((library) => !tags || tags.some((tag) => library.tags.includes(tag)));
      return { items: matchingLibraries.slice(offset, offset + limit), total: matchingLibraries.length };
    },
    update: async (id, change) => {
      const library = libraries.get(id);
      if (library) libraries.set(id, { ...library, ...change });
      return libraries.get(id);
    },
    remove: async (id) => void libraries.delete(id),
    addSets: async (asker, id, setIds) => {
      const library = libraries.get(id);
      const { total } = await documentSets.list(asker, { limit: 1, offset: 0, ids: setIds });
      if (total < setIds.length) throw new AppError('DOCUMENT_SET_NOT_FOUND', 'No such document set.');
      if (!library) throw new AppError('DOCUMENT_LIBRARY_NOT_FOUND', 'No such library.');
      const set_ids = [...new Set([...library.set_ids, ...setIds])];
      libraries.set(id, { ...library, set_ids });
      return set_ids.length > library.set_ids.length;
    },
    removeSets: async (id, setIds) => {
      const library = libraries.get(id);
      if (!library || setIds.some((set) => !library.set_ids.includes(set)))
        throw new AppError('DOCUMENT_SET_NOT_FOUND', 'Not in the library.');
      libraries.set(id, { ...library, set_ids: library.set_ids.filter((set) => !setIds.includes(set)) });
    },
    unlinkEverywhere: async (setId) => {
      for (const [id, library] of libraries)
        libraries.set(id, { ...library, set_ids: library.set_ids.filter((set) => set !== setId) });
    },
  };
  return { documentSets, documentLibraries, exportRows: createRowExport(createDuckdb()) };
}
