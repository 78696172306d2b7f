import type { User } from '../../model/access';
import { AppError } from '../../model/errors';
import { type Passage, buildPassage } from '../../model/graph/passages';
import type { DocumentSetsStore } from '../../services/document-set/document-sets-store';

type Sets = Pick<DocumentSetsStore, 'listColumns' | 'preview' | 'readAll'>;
interface SetDocument {
  setId: string;
  documentId: string;
}

const rowsPerPage = 100;

/** The rows of a document of a set that the user may read: the document itself, or its chunks. May be empty. */
export async function readSetPassages(user: User, sets: Sets, { setId, documentId }: SetDocument): Promise<Passage[]> {
  const all = await sets.listColumns(user, setId, {});
  if (all.length === 0) return [];
  if (!all.includes('content'))
    throw new AppError(
      'GRAPH_CONFIGURATION_INVALID',
      `The document set keeps no text: its rows have the columns ${all.join(', ')}; expected content.`,
      { target: { type: 'field', name: 'document_set_id' } },
    );
  const names = ['id', 'name', 'content', 'chunk_index', 'start_index', 'headings'];
  const columns = names.filter((name) => all.includes(name));
  const passages: Passage[] = [];
  for (const { from, to } of await readRanges(user, sets, { setId, documentId, all }))
    for (let offset = from; offset < to; offset += rowsPerPage) {
      const limit = Math.min(rowsPerPage, to - offset);
      const { rows } = await sets.preview(user, setId, { columns, limit, offset });
      passages.push(...rows.map((row) => buildPassage(row['content'], row['name'], row)));
    }
  return passages;
}

/** True while the set contains a row of the document that the user may read. */
export async function maySeeInSet(user: User, sets: Sets, document: SetDocument): Promise<boolean> {
  const all = await sets.listColumns(user, document.setId, {});
  return (await readRanges(user, sets, { ...document, all })).length > 0;
}

/** Positions of the document's rows among those that the user may read. Reads only ids. */
async function readRanges(
  user: User,
  sets: Sets,
  { setId, documentId, all }: SetDocument & { all: readonly string[] },
): Promise<{ from: number; to: number }[]> {
  const columns = ['id', 'document_id'].filter((name) => all.includes(name));
  const ranges: { from: number; to: number }[] = [];
  let position = 0;
  for await (const page of sets.readAll(user, setId, columns))
    for (const { id, document_id } of page) {
      if (id === documentId || document_id === documentId) {
        const last = ranges.at(-1);
        if (last?.to === position) last.to += 1;
        else ranges.push({ from: position, to: position + 1 });
      }
      position += 1;
    }
  return ranges;
}
