import type { ReadRelated } from '../format';
import { decodeText } from '../text/decode';
import { withoutComments, wordsEnd } from './source';

/** Files in files are read to this depth. */
const maxDepth = 10;
const command =
  /\\(?:input|include|subfile|subfileinclude)\s*\{([^{}]*)\}|\\(?:sub)?import\*?\s*\{([^{}]*)\}\s*\{([^{}]*)\}|\\input\s+([^\s{}\\]+)/g;

/** Where included files come from, and what to say of those that are left out. */
export interface Inputs {
  related: ReadRelated | undefined;
  warn: (message: string) => void;
  /** Most characters of all files together. */
  maxLength: number;
}

/**
 * The source with the files that it inputs in their places, without comments. A file that is not at hand, that includes
 * itself, or that would make the whole too long is left out with a warning.
 */
export function withInputs(source: string, inputs: Inputs): string {
  let left = inputs.maxLength - source.length;
  const leaveOut = (path: string, reason: string) => {
    inputs.warn(`The file '${path}' that the document includes was left out: ${reason}.`);
    return ' ';
  };
  const include = (text: string, open: readonly string[]): string =>
    text.replace(command, (_, plain?: string, folder?: string, file?: string, bare?: string) => {
      const path = pathOf(plain ?? bare ?? `${folder ?? ''}/${file ?? ''}`);
      if (path === '') return ' ';
      if (!inputs.related) return leaveOut(path, 'only the document itself was given');
      if (open.includes(path)) return leaveOut(path, 'it includes itself');
      if (open.length >= maxDepth) return leaveOut(path, `files are nested deeper than ${maxDepth}`);
      const found = readFirst(inputs.related, path);
      if (!found) return leaveOut(path, 'there is no such file in the folder of the document');
      const content = bodyOf(withoutComments(decodeText(found, { name: path })));
      left -= content.length;
      if (left < 0) return leaveOut(path, 'the files together are too long');
      // Its first words are no beginning of a paragraph, to the reference.
      return `${content.startsWith('\n') ? '' : wordsEnd}${include(content, [...open, path])} `;
    });
  return include(source, []);
}

function pathOf(written: string): string {
  return written
    .trim()
    .replace(/^"|"$/g, '')
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/')
    .replace(/^\.\//, '');
}

/** TeX looks for the name with `.tex` first. */
function readFirst(related: ReadRelated, path: string): Uint8Array | undefined {
  return (/\.[A-Za-z]+$/.test(path) ? undefined : related(`${path}.tex`)) ?? related(path) ?? related(`${path}.tex`);
}

/** A sub-file may be a document of its own. */
function bodyOf(source: string): string {
  const begin = /\\begin\s*\{document\}/.exec(source);
  if (!begin) return source;
  const end = source.indexOf('\\end{document}', begin.index);
  return source.slice(begin.index + begin[0].length, end < 0 ? undefined : end);
}
