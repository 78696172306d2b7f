import type { FactPassage } from '../../model/graph/facts';
import { findText } from '../core/knowledge-graph';
import { type Attributes, type GraphValue, isRecord } from '../core/value';

const limits = { passages: 4, characters: 300 };

/** The passages that a node's provenance points to, with their text from the ledger. Empty if only the document is known. */
export function listPassages(view: GraphValue, ledger: Attributes | undefined): FactPassage[] {
  if (!isRecord(view)) return [];
  const spans = toList(view['spans']).filter(isRecord);
  const chunks = spans.length > 0 ? spans : toList(view['chunks']).map((chunk): Attributes => ({ chunk }));
  const passages = new Map<string, FactPassage>();
  for (const { chunk, start, end } of chunks) {
    if (typeof chunk !== 'number') continue;
    const known = findChunk(ledger, chunk);
    if (!known) continue;
    const text = cutExcerpt(findText(known['text']) ?? '', toNumber(start), toNumber(end));
    const [page] = toList(known['page_numbers']);
    passages.set(`${chunk} ${text}`, { chunk, ...(typeof page === 'number' ? { page } : {}), text });
    if (passages.size >= limits.passages) break;
  }
  return [...passages.values()];
}

const toList = (value: GraphValue | undefined): GraphValue[] => (Array.isArray(value) ? value : []);
const toNumber = (value: GraphValue | undefined) => (typeof value === 'number' ? value : 0);

function findChunk(ledger: Attributes | undefined, id: number): Attributes | undefined {
  const chunks = ledger?.['chunks'];
  const chunk = isRecord(chunks) ? chunks[String(id)] : undefined;
  return isRecord(chunk) ? chunk : undefined;
}

/** The lines around a span, cut to a readable length. Positions count code points, as in ledgers. */
function cutExcerpt(text: string, start: number, end: number): string {
  const characters = Array.from(text);
  const room = Math.max(0, limits.characters - (end - start));
  let from = Math.max(0, start - Math.floor(room / 2));
  let to = Math.min(characters.length, end + Math.floor(room / 2));
  const before = characters.slice(from, start).lastIndexOf('\n');
  if (before >= 0) from += before + 1;
  const after = characters.slice(end, to).indexOf('\n');
  if (after >= 0) to = end + after;
  return characters.slice(from, to).join('').trim();
}
