import type { ReadRelated } from '../format';
import { decodeText } from '../text/decode';
import { omitComments, leadingWordsMark } from './source';

/** Maximum depth of files in files. */
const maxDepth = 10;
const command =
  /\\(?:input|include|subfile|subfileinclude)\s*\{([^{}]*)\}|\\(?:sub)?import\*?\s*\{([^{}]*)\}\s*\{([^{}]*)\}|\\input\s+([^\s{}\\]+)/g;

/** The source of included files, and a callback for omitted ones. */
export interface Inputs {
  related: ReadRelated | undefined;
  warn: (message: string) => void;
  /** Maximum number of characters of all files together. */
  maxLength: number;
}

/**
 * Replaces input commands with the content of their files, without comments. A file that is missing, includes itself or would
 * make the text too long is omitted with a warning.
 */
export function insertInputs(source: string, inputs: Inputs): string {
  let left = inputs.maxLength - source.length;
  const recordOmission = (path: string, reason: string) => {
    inputs.warn(`The file '${path}' that the document includes was left out: ${reason}.`);
    return ' ';
  };
  const include = (text: string, open: readonly string[]): string =>
    text.replace(command, (_, plain?: string, folder?: string, file?: string, bare?: string) => {
      const path = getPath(plain ?? bare ?? `${folder ?? ''}/${file ?? ''}`);
      if (path === '') return ' ';
      if (!inputs.related) return recordOmission(path, 'only the document itself was given');
      if (open.includes(path)) return recordOmission(path, 'it includes itself');
      if (open.length >= maxDepth) return recordOmission(path, `files are nested deeper than ${maxDepth}`);
      const bytes = readFirst(inputs.related, path);
      if (!bytes) return recordOmission(path, 'there is no such file in the folder of the document');
      const content = getBody(omitComments(decodeText(bytes, { name: path })));
      left -= content.length;
      if (left < 0) return recordOmission(path, 'the files together are too long');
      // For the reference, the first words of the file do not start a paragraph.
      return `${content.startsWith('\n') ? '' : leadingWordsMark}${include(content, [...open, path])} `;
    });
  return include(source, []);
}

function getPath(written: string): string {
  return written
    .trim()
    .replace(/^"|"$/g, '')
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/')
    .replace(/^\.\//, '');
}

/** Reads a file. Like TeX, it tries the name with `.tex` first. */
function readFirst(related: ReadRelated, path: string): Uint8Array | undefined {
  return (/\.[A-Za-z]+$/.test(path) ? undefined : related(`${path}.tex`)) ?? related(path) ?? related(`${path}.tex`);
}

/** A sub-file may be a complete document. */
function getBody(source: string): string {
  const begin = /\\begin\s*\{document\}/.exec(source);
  if (!begin) return source;
  const end = source.indexOf('\\end{document}', begin.index);
  return source.slice(begin.index + begin[0].length, end < 0 ? undefined : end);
}
