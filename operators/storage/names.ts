import type { Row } from '../../model/flow/row';

/** The placeholders of a name template and what they mean. */
export const placeholders = {
  folder: 'the folders of the document within its source',
  filename: 'its file name',
  name: 'its file name without extension',
  extension: 'the extension of its file name',
  id: 'its id',
  source: 'the source',
  year: 'the year of its last change',
  month: 'the month, 01 to 12',
  day: 'the day, 01 to 31',
  ext: 'the extension of the exported format, at the end',
} as const;
type Placeholder = keyof typeof placeholders;

/** Sorts and separates by folder as the source does; the name stays unique for `a.pdf` and `a.docx`. */
export const defaultTemplate = '{folder}/{filename}.{ext}';

const reference = /\{([^{}]*)\}/g;
const metadataPrefix = 'metadata.';
const longestSegment = 120;
const longestName = 800;

/** The problem of a template; undefined if it is valid. */
export function findTemplateProblem(template: string): string | undefined {
  for (const [whole, name = ''] of template.matchAll(reference)) {
    if (Object.hasOwn(placeholders, name) || name.startsWith(metadataPrefix)) continue;
    return `${whole} is not a placeholder; they are ${Object.keys(placeholders)
      .map((key) => `{${key}}`)
      .join(', ')} and {metadata.NAME}`;
  }
  if (!template.endsWith('.{ext}')) return 'it must end with `.{ext}`';
  const literal = template.replace(reference, 'x');
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[{}\\<>:"|?*\u0000-\u001f]/.test(literal)) return 'it contains a character that file names cannot have';
  const segments = template.split('/');
  if (segments.some((segment) => segment.trim() === '')) return 'it holds an empty folder name, or begins with a slash';
  if (segments.some((segment) => segment.startsWith('.'))) return 'a part of it begins with a dot';
  return undefined;
}

/**
 * The name of a document's file: a relative path without hidden, empty or reserved parts, whatever the document contains.
 * Placeholders without a value drop their folder; within a file name they become `_`.
 */
export function buildName(template: string, row: Row, ext: string): string {
  const parts = template
    .split('/')
    .map((segment) => segment.replace(reference, (_, name: string) => getValue(name, row, ext)));
  const folders = parts.slice(0, -1).flatMap((part) => part.split('/').filter((part) => part.trim() !== ''));
  const file = (parts.at(-1) ?? '').split('/').filter(Boolean).join('_');
  const segments = [...folders.map(toSafeSegment), toSafeFile(file, ext)];
  const whole = segments.join('/');
  // For deep folders the file name is kept, because it identifies the document.
  return countBytes(whole) <= longestName ? whole : shortenSegments(segments);
}

function getValue(name: string, row: Row, ext: string): string {
  if (name.startsWith(metadataPrefix)) {
    const value = row.metadata?.[name.slice(metadataPrefix.length)];
    return ['string', 'number', 'boolean'].includes(typeof value) ? String(value).replaceAll('/', '_') : '';
  }
  const path = getRelativePath(row);
  const filename = path.split('/').at(-1) ?? '';
  const dot = filename.lastIndexOf('.');
  const [year = '', month = '', day = ''] = (row.modified_time ?? '').slice(0, 10).split('-');
  const values: Record<Placeholder, string> = {
    folder: path.split('/').slice(0, -1).join('/'),
    filename,
    name: dot > 0 ? filename.slice(0, dot) : filename,
    extension: dot > 0 ? filename.slice(dot + 1) : '',
    id: row.id,
    source: (row.source ?? '').replaceAll('/', '_'),
    year,
    month,
    day,
    ext,
  };
  return values[name as Placeholder] ?? '';
}

/** The path within the source; of a file within a file, the path of the file and that within it. */
function getRelativePath(row: Row): string {
  const { relative_path: relative } = row.metadata ?? {};
  const path = typeof relative === 'string' && relative !== '' ? relative : row.name;
  return path.replaceAll('\\', '/');
}

/** Characters that Windows rejects in names, that control terminals, or that reorder displayed text. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unsafe = /[<>:"|?*\\\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]/g;
const surrogatePairs = /[\ud800-\udbff][\udc00-\udfff]/g;
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

function toSafeSegment(text: string): string {
  const parts: string[] = [];
  const marked = text.normalize('NFC').replace(surrogatePairs, (pair) => `\ue000${parts.push(pair) - 1}\ue001`);
  const clean = marked
    .replace(unsafe, '_')
    .replace(/\ue000(\d+)\ue001/g, (_, index: string) => parts[Number(index)] ?? '_')
    .replace(/^[.\s]+/, '_')
    .replace(/(?<![.\s])[.\s]+$/, '');
  const named = reserved.test(clean) ? `_${clean}` : clean;
  return cut(named === '' ? '_' : named, longestSegment);
}

function toSafeFile(file: string, ext: string): string {
  const stem = file.slice(0, -ext.length - 1);
  return `${toSafeSegment(stem)}.${ext}`;
}

/** Cuts between characters, so that no half of a surrogate pair stays. */
function cut(text: string, bytes: number): string {
  if (countBytes(text) <= bytes) return text;
  let shortened = '';
  let size = 0;
  for (const character of text) {
    size += countBytes(character);
    if (size > bytes) return shortened.trimEnd();
    shortened += character;
  }
  return shortened;
}

function shortenSegments(segments: readonly string[]): string {
  const file = segments.at(-1) ?? '';
  const folders: string[] = [];
  let size = countBytes(file);
  for (const folder of segments.slice(0, -1)) {
    size += countBytes(folder) + 1;
    if (size > longestName) break;
    folders.push(folder);
  }
  return [...folders, file].join('/');
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
