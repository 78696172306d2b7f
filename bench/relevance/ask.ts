import type { Question } from './collection';

export type Mode = 'text' | 'vector' | 'hybrid';

/** Documents ranked by their best record, and the milliseconds for the first page. */
export interface Answer {
  ranking: string[];
  relevant: ReadonlyMap<string, number>;
  milliseconds: number;
  kind?: string;
  /** For a question with an answer: the rank of the first record that contains it, from 1, and the characters up to there. */
  read?: { records: number; characters: number };
}
interface Page {
  documents: { content: string; metadata: Record<string, unknown> }[];
  has_more: boolean;
}

const depth = 100;
/** Records of one document may fill a page; no more than these are read for 100 documents. */
const maxPages = 5;

/** Where the API is, and what to search. */
export interface Place {
  api: string;
  token: string;
  jobId: string;
}

async function search({ api, token, jobId }: Place, asked: Record<string, unknown>): Promise<Page> {
  const response = await fetch(`${api}/api/v1/documents/search`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ limit: depth, filters: { job_id: jobId }, ...asked }),
  });
  if (!response.ok) throw new Error(`${JSON.stringify(asked)}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Page;
}

/** The text of each document by file name, joined of its records. */
export async function readTexts(place: Place): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (let offset = 0; ; offset += depth) {
    const { documents, has_more: hasMore } = await search(place, { offset });
    for (const { metadata, content } of documents) {
      const name = String(metadata['name']);
      texts.set(name, `${texts.get(name) ?? ''}\n${content}`);
    }
    if (!hasMore) return texts;
  }
}

/** Sends each question through the API and returns the documents in the order of their first record. */
export async function askAll(questions: readonly Question[], mode: Mode, place: Place): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const { text, relevant, kind, answer } of questions) {
    const ranking = new Set<string>();
    let milliseconds = 0;
    let read: Answer['read'];
    for (let page = 0; page < maxPages && ranking.size < depth; page += 1) {
      const started = performance.now();
      const { documents, has_more: hasMore } = await search(place, { query: text, mode, offset: page * depth });
      if (page === 0) {
        milliseconds = performance.now() - started;
        if (answer !== undefined) read = readUntil(documents, answer);
      }
      for (const { metadata } of documents) ranking.add(String(metadata['name']));
      if (!hasMore) break;
    }
    answers.push({
      ranking: [...ranking].slice(0, depth),
      relevant,
      milliseconds,
      ...(kind ? { kind } : {}),
      ...(read ? { read } : {}),
    });
  }
  return answers;
}

/** Infinite if no record of the page contains the answer. */
function readUntil(documents: Page['documents'], answer: string): NonNullable<Answer['read']> {
  const plain = (text: string) => text.replaceAll(/[\s*\\]+/g, ' ');
  let characters = 0;
  for (const [position, { content }] of documents.entries()) {
    characters += content.length;
    if (plain(content).includes(plain(answer))) return { records: position + 1, characters };
  }
  return { records: Infinity, characters: Infinity };
}
