import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { escapeFully, escapeHeading } from '../../document/write/markdown-dialect';

/** Documents, questions, and which documents answer them. */
export interface Collection {
  name: string;
  /** Files to write before the run; empty if `folder` already contains the documents. */
  documents: readonly { file: string; text: string }[];
  /** A folder of existing documents. */
  folder?: string;
  questions: readonly Question[];
}
export interface Question {
  id: string;
  text: string;
  /** Such as typo or name; figures are also printed by kind. */
  kind?: string;
  /** Words that answer the question, to measure how far one has to read until a record contains them. */
  answer?: string;
  /** The gain of each document by file name; other documents have none. */
  relevant: ReadonlyMap<string, number>;
}

/**
 * Reads a collection in one of three layouts: Cranfield, BEIR (corpus.jsonl, queries.jsonl, qrels), or files with questions.json, for
 * which `documents` names another folder.
 */
export function readCollection(folder: string, documents?: string): Collection {
  if (existsSync(path.join(folder, 'cran.qry'))) return readCranfield(folder);
  if (existsSync(path.join(folder, 'corpus.jsonl'))) return readBeir(folder);
  if (existsSync(path.join(folder, 'questions.json'))) return readOwn(folder, documents);
  throw new Error(
    `${folder} contains no collection: expected cran.all.1400, cran.qry and cranqrel; or corpus.jsonl, queries.jsonl and qrels; or questions.json.`,
  );
}

function readCranfield(folder: string): Collection {
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const entries = (text: string) => text.split(/^\.I /m).slice(1);
  const documents = entries(read('cran.all.1400')).map((entry) => {
    const id = entry.slice(0, entry.indexOf('\n')).trim();
    const title = /^\.T\n(.*?)^\.A/ms.exec(entry)?.[1] ?? '';
    const text = /^\.W\n(.*)/ms.exec(entry)?.[1] ?? '';
    return { file: `${id}.md`, text: `# ${title.replace(/\s+/g, ' ').trim()}\n\n${text.trim()}\n` };
  });
  const gains = new Map<string, Map<string, number>>();
  for (const line of read('cranqrel').split('\n')) {
    const [question, document, code] = line.trim().split(/\s+/).map(Number);
    if (question === undefined || document === undefined || code === undefined) continue;
    getGains(gains, String(question)).set(`${document}.md`, code > 0 ? Math.max(1, 5 - code) : 1);
  }
  // Judgements name questions by position, not by the number that comes before them.
  const questions = entries(read('cran.qry')).map((entry, index) => ({
    id: String(index + 1),
    text: entry
      .slice(entry.indexOf('.W\n') + 3)
      .replace(/\s+/g, ' ')
      .trim(),
    relevant: getGains(gains, String(index + 1)),
  }));
  return { name: 'cranfield', documents, questions: filterJudged(questions) };
}

function readBeir(folder: string): Collection {
  const lines = (name: string) =>
    readFileSync(path.join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '');
  const records = (name: string) =>
    lines(name).map((line) => JSON.parse(line) as { _id: string; title?: string; text: string });
  const buildFile = (id: string) => `${encodeURIComponent(id)}.md`;
  const qrels = existsSync(path.join(folder, 'qrels'))
    ? readdirSync(path.join(folder, 'qrels')).map((name) => path.join('qrels', name))
    : ['qrels.tsv'];
  const gains = new Map<string, Map<string, number>>();
  for (const line of qrels.flatMap(lines)) {
    const [question = '', document = '', score] = line.split('\t');
    const gain = Number(score);
    if (gain > 0) getGains(gains, question).set(buildFile(document), gain);
  }
  return {
    name: path.basename(folder),
    documents: records('corpus.jsonl').map(({ _id, title, text }) => ({
      file: buildFile(_id),
      text: `${title ? `# ${toMarkdown(title)}\n\n` : ''}${toMarkdown(text)}\n`,
    })),
    questions: filterJudged(
      records('queries.jsonl').map(({ _id, text }) => ({ id: _id, text, relevant: getGains(gains, _id) })),
    ),
  };
}

/** A paragraph of Markdown that reads as this text: "a<b and c>d" would be a tag. */
function toMarkdown(text: string): string {
  return escapeHeading(escapeFully(text.replaceAll(/\s+/g, ' ').trim()));
}

/** `questions.json`: the folder of the documents, and questions with the gains of files by name. */
function readOwn(folder: string, documentFolder: string | undefined): Collection {
  const { name, documents, questions } = JSON.parse(readFileSync(path.join(folder, 'questions.json'), 'utf8')) as {
    name: string;
    documents?: string;
    questions: { id: string; text: string; kind?: string; answer?: string; relevant: Record<string, number> }[];
  };
  if (documentFolder === undefined && documents === undefined)
    throw new Error(`${folder} contains only questions. Name the folder of their documents with --documents.`);
  return {
    name,
    documents: [],
    folder: documentFolder === undefined ? path.resolve(folder, documents ?? '') : path.resolve(documentFolder),
    questions: filterJudged(
      questions.map(({ relevant, ...question }) => ({ ...question, relevant: new Map(Object.entries(relevant)) })),
    ),
  };
}

/** The gains of a question, which it adds if they are missing. */
function getGains(gains: Map<string, Map<string, number>>, question: string): Map<string, number> {
  const known = gains.get(question) ?? new Map<string, number>();
  gains.set(question, known);
  return known;
}

/** A question without relevant documents cannot measure a ranking. */
function filterJudged(questions: readonly Question[]): Question[] {
  return questions.filter(({ relevant }) => relevant.size > 0);
}
