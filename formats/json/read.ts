import { createDocument } from '../../document/builder';
import type { DoclingDocument } from '../../document/model';
import { AppError } from '../../model/errors';
import { addAll } from '../../model/lists/add-all';
import { addData } from '../data/add-data';
import type { Data } from '../data/data';
import { read as readDoclingJson } from '../docling-json/read';
import { getExtension, type ReadDocument, type ReadOptions, getStem } from '../format';
import { decodeText } from '../text/decode';
import { JsonProblem, parseJsonValues } from './parse';

/** Reads any JSON as lists, tables and sections. Text that is not JSON is kept as written, with a warning. */
export const read: ReadDocument = (bytes, options) => {
  const { name } = options;
  const text = decodeText(bytes, { name });
  if (text.trim() === '') throw new AppError('DOCUMENT_EMPTY', `'${name}' has no text.`);
  const parsed = parse(text, options);
  if (typeof parsed === 'string') {
    options.warn?.(`'${name}' is not JSON: ${parsed}. Its text is kept as written.`);
    return createCodeDocument(text, name);
  }
  if (parsed.some(isDoclingDocument)) return readDoclingJson(bytes, options);
  const builder = createDocument(getStem(name));
  const [only] = parsed;
  addData(builder, parsed.length === 1 ? only! : { kind: 'list', items: parsed });
  return builder.document;
};

const lineExtensions: ReadonlySet<string> = new Set(['jsonl', 'ndjson']);

/** Returns the values of the text, or the reason why it is not JSON. */
function parse(text: string, options: ReadOptions): Data[] | string {
  const { name, limits, recordOmission, warn } = options;
  const reading = {
    name,
    maxDepth: limits.maxDepth,
    comment: (comment: string) => recordOmission?.('comment', comment),
  };
  try {
    return parseJsonValues(text, reading);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    if (!lineExtensions.has(getExtension(name))) return error.message;
  }
  // An invalid line, such as the last one of a log, does not affect the others.
  const values: Data[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      addAll(values, parseJsonValues(line, reading));
    } catch (error) {
      if (!(error instanceof JsonProblem)) throw error;
      warn?.(`Line ${index + 1} of '${name}' is not JSON and kept as written.`);
      values.push(line.trim());
    }
  }
  return values;
}

function isDoclingDocument(data: Data): boolean {
  if (typeof data === 'string' || data.kind !== 'map') return false;
  return data.entries.some(([key, value]) => key === 'schema_name' && value === 'DoclingDocument');
}

function createCodeDocument(text: string, name: string): DoclingDocument {
  const builder = createDocument(getStem(name));
  builder.code(text.trimEnd(), { language: 'JSON' });
  return builder.document;
}
