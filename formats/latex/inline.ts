import { readArgument, findGroup, findOption, removeMarks } from './source';
import { accents, symbols, ignoredCommands } from './symbols';

/** A piece of text with one link or none. */
export interface Run {
  text: string;
  hyperlink: string | null;
}

/** The text of a paragraph and the notes in it. */
export interface Inline {
  text: string;
  notes: string[];
  /** The same text, split at the start and end of links; a single run without links. */
  runs: Run[];
}

/** Marks before and after the text of a link. */
const [linkStart, linkEnd] = ['\uFDD1', '\uFDD2'];

interface WriteContext {
  notes: string[];
  /** Addresses of the links, in order. */
  links: string[];
  /** Whether references are written as their keys in brackets or as in the source. */
  citations: 'keys' | 'source';
}

/** Characters with a meaning in TeX or in its fonts. */
const specials = /[\\${}~`'!?-]/g;
const tiedKeys = /^~\\(?:cite[pt]?|(?:eq)?ref)\b/;
const maxDepth = 100;

/**
 * Converts source to text: styles and layout are dropped, formulas stay between dollar signs, references become their keys in
 * brackets, lines stay as in the source.
 */
export function readInline(source: string, citations: WriteContext['citations'] = 'keys'): Inline {
  const notes: string[] = [];
  const links: string[] = [];
  const written = write(removeMarks(source), { notes, citations, links }, 0)
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .normalize('NFC');
  if (links.length === 0) return { text: written, notes, runs: [{ text: written, hyperlink: null }] };
  const runs = listRuns(written, links);
  return { text: runs.map(({ text }) => text).join(''), notes, runs };
}

/** Returns the text with the address of each link after it, for places that allow only plain text. */
export function writeAddresses({ runs }: Inline): string {
  return runs
    .map(({ text, hyperlink }) => (hyperlink === null || text.includes(hyperlink) ? text : `${text} (${hyperlink})`))
    .join('');
}

/** Splits converted text at the marks of links. Links do not nest: an inner link ends the outer one. */
function listRuns(written: string, links: readonly string[]): Run[] {
  let next = 0;
  return written.split(/(\uFDD1[^\uFDD1\uFDD2]*)/).flatMap((piece) => {
    if (!piece.startsWith(linkStart)) {
      const text = piece.replaceAll(linkEnd, '');
      return text === '' ? [] : [{ text, hyperlink: null }];
    }
    const hyperlink = links[next] || null;
    next += 1;
    const text = piece.slice(1);
    return text.trim() === '' ? [] : [{ text, hyperlink }];
  });
}

function write(source: string, context: WriteContext, depth: number): string {
  if (depth > maxDepth) return '';
  let written = '';
  let at = 0;
  specials.lastIndex = 0;
  while (at < source.length) {
    specials.lastIndex = at;
    const match = specials.exec(source);
    const stop = match?.index ?? source.length;
    written += source.slice(at, stop);
    if (!match) break;
    const step = convertSpecial(source, stop, context, depth);
    written += step.text;
    at = step.end;
  }
  return written;
}

/** Converted text, and the position after its source. */
type Step = { text: string; end: number };

function convertSpecial(source: string, at: number, context: WriteContext, depth: number): Step {
  const character = source[at]!;
  switch (character) {
    case '\\':
      return readControl(source, at, context, depth);
    case '$':
      return readMath(source, at);
    case '~':
      // As in the reference, the keys of a reference follow the word before them without a blank.
      return { text: tiedKeys.test(source.slice(at, at + 12)) ? '' : ' ', end: at + 1 };
    case '`':
    case "'":
      if (source[at + 1] === character) return { text: '"', end: at + 2 };
      return { text: character === '`' ? '‘' : character, end: at + 1 };
    case '!':
    case '?':
      if (source[at + 1] === '`') return { text: character === '!' ? '¡' : '¿', end: at + 2 };
      return { text: character, end: at + 1 };
    case '-': {
      const length = /^-{1,3}/.exec(source.slice(at, at + 3))![0].length;
      return { text: ['-', '–', '—'][length - 1]!, end: at + length };
    }
    default:
      return { text: '', end: at + 1 };
  }
}

const linkMarks = /[\uFDD1\uFDD2]/g;

function unescapeAddress(source: string): string {
  return source.replace(/\\([%#_&~{}])/g, '$1').trim();
}

function readMath(source: string, at: number): Step {
  const delimiter = source[at + 1] === '$' ? '$$' : '$';
  let end = at + delimiter.length;
  while (end < source.length && !source.startsWith(delimiter, end)) end += source[end] === '\\' ? 2 : 1;
  const tex = source.slice(at + delimiter.length, end).trim();
  return { text: tex === '' ? '' : `$${tex}$`, end: Math.min(end + delimiter.length, source.length) };
}

function readControl(source: string, at: number, context: WriteContext, depth: number): Step {
  const word = /^\\([A-Za-z@]+)\*?/.exec(source.slice(at, at + 64));
  if (!word) return readControlSign(source, at);
  const name = word[1]!;
  const end = at + word[0].length;
  const symbol = symbols.get(name);
  if (symbol !== undefined) return { text: symbol, end: end + /^(?:\{\}|[ \t]*)/.exec(source.slice(end))![0].length };
  if (name === 'nocite') return { text: '', end: readKeys(source, end).end };
  if (/cite/i.test(name) || /^(?:eq|auto|c|C|page|name|v|f)?ref$/.test(name)) {
    const keys = readKeys(source, end);
    const isKept = context.citations === 'source' && /^(?:cite[pt]?|(?:eq)?ref)$/.test(name);
    return isKept ? { text: source.slice(at, keys.end), end: keys.end } : keys;
  }
  if (name === 'footnotemark') {
    const mark = findOption(source, end);
    return mark ? { text: `[${mark.text}]`, end: mark.end } : { text: '', end };
  }
  const title = name === 'subfigure' || name === 'subfloat' ? findOption(source, end) : undefined;
  if (title) return { text: `[${write(title.text, context, depth + 1)}]`, end: title.end };
  if (name === 'footnote' || name === 'thanks' || name === 'footnotetext') {
    const note = readArgument(source, findOption(source, end)?.end ?? end);
    context.notes.push(writeAddresses(readInline(note.text)));
    return { text: '', end: note.end };
  }
  if (name === 'href') {
    const address = readArgument(source, end);
    const words = readArgument(source, address.end);
    context.links.push(unescapeAddress(address.text));
    const text = write(words.text, context, depth + 1).replace(linkMarks, '');
    return { text: `${linkStart}${text}${linkEnd}`, end: words.end };
  }
  if (name === 'url' || name === 'path' || name === 'nolinkurl') {
    const address = readArgument(source, end);
    return { text: unescapeAddress(address.text), end: address.end };
  }
  if (name === 'verb') {
    const close = source.indexOf(source[end] ?? '', end + 1);
    return close < 0 ? { text: '', end } : { text: source.slice(end + 1, close), end: close + 1 };
  }
  if (name === 'begin' || name === 'end') return { text: ' ', end: readArgument(source, end).end };
  if (name === 'newline' || name === 'linebreak') return { text: '\n', end };
  if (['and', 'And', 'AND', 'quad', 'qquad', 'item', 'par'].includes(name)) return { text: ' ', end };
  if (name.length === 1 && accents[name] !== undefined) return readAccent(source, end, accents[name]);
  return skipCommand(source, end, ignoredCommands.get(name));
}

/** Skips arguments that are not text. The braced arguments of an unknown command are text, its optional argument is not. */
function skipCommand(source: string, from: number, count: number | undefined): Step {
  let end = findOption(source, from)?.end ?? from;
  for (let remaining = count ?? 0; remaining > 0; remaining--) {
    const group = findGroup(source, end, '{', '}') ?? findGroup(source, end, '[', ']');
    end = group?.end ?? end + (/^\s*\\[A-Za-z@]+/.exec(source.slice(end, end + 64))?.[0].length ?? 0);
    const option = findOption(source, end);
    if (remaining > 1 && option) end = option.end;
  }
  // A control word swallows the blanks after it.
  const blanks = end === from ? (/^[ \t]+/.exec(source.slice(end, end + 64))?.[0].length ?? 0) : 0;
  return { text: '', end: end + blanks };
}

function readKeys(source: string, from: number): Step {
  let end = from;
  for (let option = findOption(source, end); option; option = findOption(source, end)) end = option.end;
  const keys = findGroup(source, end, '{', '}');
  return keys ? { text: `[${keys.text.trim()}]`, end: keys.end } : { text: '', end };
}

function readControlSign(source: string, at: number): Step {
  const character = source[at + 1] ?? '';
  if (character === '\\') {
    const star = source[at + 2] === '*' ? at + 3 : at + 2;
    return { text: '\n', end: findGroup(source, star, '[', ']')?.end ?? star };
  }
  if (character === '(' || character === '[') {
    const close = source.indexOf(character === '(' ? '\\)' : '\\]', at + 2);
    const end = close < 0 ? source.length : close;
    return { text: `$${source.slice(at + 2, end).trim()}$`, end: Math.min(end + 2, source.length) };
  }
  const accent = accents[character];
  if (accent !== undefined) return readAccent(source, at + 2, accent);
  if (/[,;:! \n]/.test(character)) return { text: character === '!' ? '' : ' ', end: at + 2 };
  return { text: /[-/@)\]]/.test(character) ? '' : character, end: at + 2 };
}

function readAccent(source: string, from: number, accent: string): Step {
  const base = readArgument(source, from);
  const text = base.text.replace(/^\\([ij])$/, '$1').replace(/[{}\\]/g, '');
  return { text: text === '' ? '' : text[0]! + accent + text.slice(1), end: base.end };
}
