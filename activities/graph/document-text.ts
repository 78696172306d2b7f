import { hash } from 'node:crypto';
import { documentFromJson } from '../../document/json/json';
import { type Heading, listHeadings, markHeadings } from '../../graph/corpus/headings';
import { AppError } from '../../model/errors';
import { hasOwnHeadings, joinPassages, joinUnderHeadings, type Passage } from '../../model/graph/passages';
import type { FilesStore } from '../../services/storage/files';

type Files = Pick<FilesStore, 'get'>;

/** The inputs from which the text of a document is built. */
export interface TextSource {
  documentId: string;
  /** Hash of the rows, the template and the options. */
  rows: string;
  /** Hash of the headings of the rows; empty if there are none. */
  place: string;
  /** Key of the converted document; absent if the rows have their headings themselves, or none are known. */
  ref?: string;
}

/** The text of a document, with the signature under which its facts are stored. */
export interface DocumentText {
  text: string;
  signature: string;
  /** Marks of headings were put into the text of the rows. */
  isMarked: boolean;
  /** Whether the text has headings is not known: it is read as plain text. */
  isPlain: boolean;
}

/**
 * The text of the rows as Markdown. Only the places of headings are taken from the converted document, and not even those if its
 * headings are not the same lines in the rows.
 */
export async function readText(files: Files, source: TextSource, passages: readonly Passage[]): Promise<DocumentText> {
  const headings = await readHeadings(files, source);
  const signature = formatSignature(source, headings);
  if (source.ref === undefined && source.place !== '')
    return { text: joinUnderHeadings(passages), signature, isMarked: true, isPlain: false };
  const text = joinPassages(passages);
  const marked = headings && markHeadings(text, headings);
  const isPlain = marked === undefined && !/^#{1,6} \S/m.test(text);
  return { text: marked ?? text, signature, isMarked: marked !== undefined && marked !== text, isPlain };
}

/**
 * True if the facts under this stored signature need no update. The converted document is opened only if the rows refer to a
 * different one than before. If a model has to be paid (`isPaid`), documents that were read before their headings were known stay as
 * they are until their rows change.
 */
export async function isSameText(
  files: Files,
  source: TextSource,
  { signature, isPaid }: { signature: string; isPaid: boolean },
): Promise<boolean> {
  const [rows, place = ''] = signature.split('.');
  if (rows !== source.rows) return false;
  if (place === source.place || (place === '' && isPaid)) return true;
  const currentSignature = formatSignature(source, await readHeadings(files, source));
  return getHeadingsKey(signature) === getHeadingsKey(currentSignature);
}

/** A hash of where the headings of a document are: in its rows, or in the converted document. Empty when nothing says so. */
export function computePlace(ref: string | undefined, passages: readonly string[]): string {
  return ref === undefined && passages.length === 0 ? '' : computeHash(ref ?? null, passages.toSorted()).slice(0, 24);
}

/** The hash of a row's own headings; undefined if it has none. */
export function hashHeadings(id: string, passage: Passage): string | undefined {
  return hasOwnHeadings(passage) ? computeHash(id, passage.headings).slice(0, 24) : undefined;
}

/** A SHA-256 of values. */
export function computeHash(...parts: unknown[]): string {
  return hash('sha256', JSON.stringify(parts));
}

/** `<rows>`, as in earlier versions, or `<rows>.<place>.<headings>`; the last is empty if the document has no headings. */
function formatSignature({ rows, place, ref }: TextSource, headings: readonly Heading[] | undefined): string {
  if (place === '') return rows;
  if (ref === undefined) return `${rows}.${place}.${place}`;
  return `${rows}.${place}.${headings && headings.length > 0 ? computeHash(headings).slice(0, 24) : ''}`;
}

const getHeadingsKey = (signature: string) => signature.split('.')[2] ?? '';

/** The headings of the converted document; undefined if it is no longer stored, or is not that of this document. */
async function readHeadings(files: Files, { documentId, ref }: TextSource): Promise<Heading[] | undefined> {
  // No other document, and no other file, even if an operator wrote the column.
  if (ref === undefined || !ref.startsWith('documents/') || ref.split('/')[2] !== documentId) return undefined;
  try {
    return listHeadings(documentFromJson(new TextDecoder().decode(await files.get(ref))));
  } catch (error) {
    if (error instanceof AppError && unreadable.includes(error.code)) return undefined;
    throw error;
  }
}

const unreadable: readonly AppError['code'][] = [
  'TABLE_NOT_FOUND',
  'DOCUMENT_CORRUPT',
  'DOCUMENT_TOO_LARGE',
  // The key is not the key of a file.
  'VALIDATION_ERROR',
];
