import type { ReadRelated } from '../format';
import { decodeText } from '../text/decode';
import { removeComments, leadingWordsMark } from './source';

/** Maximum depth of files in files. */
const maxDepth = 10;
/** `\input{file}`, `\include{file}`, `\import{folder}{file}` or `\input file`. */
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
  let remainingLength = inputs.maxLength - source.length;
  const omit = (path: string, reason: string) => {
    inputs.warn(`The included file '${path}' was omitted: ${reason}.`);
    return ' ';
  };
  const include = (text: string, open: readonly string[]): string =>
    text.replace(command, (_, plain?: string, folder?: string, file?: string, bare?: string) => {
      const path = normalisePath(plain ?? bare ?? `${folder ?? ''}/${file ?? ''}`);
      if (path === '') return ' ';
      if (!inputs.related) return omit(path, 'only the document itself was sent');
      if (open.includes(path)) return omit(path, 'it includes itself');
      if (open.length >= maxDepth) return omit(path, `files are nested more than ${maxDepth} levels deep`);
      const bytes = readInput(inputs.related, path);
      if (!bytes) return omit(path, 'it is not in the folder of the document');
      const content = extractBody(removeComments(decodeText(bytes, { name: path })));
      remainingLength -= content.length;
      if (remainingLength < 0) return omit(path, 'the files together are too long');
      // For the reference, the first words of the file do not start a paragraph.
      return `${content.startsWith('\n') ? '' : leadingWordsMark}${include(content, [...open, path])} `;
    });
  return include(source, []);
}

function normalisePath(written: string): string {
  return written
    .trim()
    .replace(/^"|"$/g, '')
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/')
    .replace(/^\.\//, '');
}

/** Reads a file. Like TeX, it tries the name with `.tex` first. */
function readInput(related: ReadRelated, path: string): Uint8Array | undefined {
  return (/\.[A-Za-z]+$/.test(path) ? undefined : related(`${path}.tex`)) ?? related(path) ?? related(`${path}.tex`);
}

/** Returns the body of a sub-file that is a complete document; other files are returned whole. */
function extractBody(source: string): string {
  const begin = /\\begin\s*\{document\}/.exec(source);
  if (!begin) return source;
  const end = source.indexOf('\\end{document}', begin.index);
  return source.slice(begin.index + begin[0].length, end < 0 ? undefined : end);
}
