import { decode, encodingExists } from 'iconv-lite';
import type { Formatting } from '../../document/model';
import { AppError } from '../../model/errors';
import { encodingOfCharset, encodingOfPage } from './encodings';
import { tokensOf } from './tokens';

/** Text of one look. */
export interface Run {
  text: string;
  formatting: Formatting | null;
  hyperlink: string | null;
}
/** A paragraph and where it stands. */
export interface Paragraph {
  kind: 'body' | 'header' | 'footer' | 'footnote' | 'note';
  runs: Run[];
  /** 0 is the highest heading. */
  level: number | undefined;
  /** Of a list item, as it is written. */
  marker: string | undefined;
}
/** A paragraph, or a table as rows of cells of paragraphs. */
export type Block = Paragraph | { kind: 'table'; rows: Paragraph[][][] };

type Destination = Paragraph['kind'] | 'skip' | 'fonts' | 'instruction' | 'marker';

interface State {
  destination: Destination;
  bold: boolean;
  italic: boolean;
  underline: boolean;
  strike: boolean;
  script: Formatting['script'];
  hidden: boolean;
  encoding: string | undefined;
  /** Signs that stand for one of Unicode where a reader knows none. */
  fallback: number;
  level: number | undefined;
  isInTable: boolean;
  link: { address: string | null; instruction: string };
}

/** Groups that hold no text of the document (RTF 1.9.1, "Document area"). */
const skipped: ReadonlySet<string> = new Set(
  (
    'stylesheet colortbl info generator listtable listoverridetable rsidtbl themedata colorschememapping latentstyles ' +
    'datastore xmlnstbl pict object filetbl revtbl mmathPr fldtype pnseclvl wgrffmtfilter blipuid bkmkstart bkmkend ' +
    'atnid atnref atndate annotationdate sp passwordhash private nonshppict falt panose userprops docvar ftnsep ftnsepc aftnsep aftnsepc'
  ).split(' '),
);
/** Optional groups whose text is read. */
const read: ReadonlySet<string> = new Set(['shppict', 'shpinst', 'shptxt', 'pntext', 'fldinst']);
const destinations: Readonly<Record<string, Destination>> = {
  header: 'header',
  headerl: 'header',
  headerr: 'header',
  headerf: 'header',
  footer: 'footer',
  footerl: 'footer',
  footerr: 'footer',
  footerf: 'footer',
  footnote: 'footnote',
  annotation: 'note',
  fonttbl: 'fonts',
  fldinst: 'instruction',
  listtext: 'marker',
  pntext: 'marker',
};
const signs: Readonly<Record<string, string>> = {
  tab: '\t',
  line: '\n',
  emdash: '\u2014',
  endash: '\u2013',
  lquote: '\u2018',
  rquote: '\u2019',
  ldblquote: '\u201c',
  rdblquote: '\u201d',
  bullet: '\u2022',
  emspace: ' ',
  enspace: ' ',
  '~': '\u00a0',
  _: '-',
};

/** Reads the text of a file into paragraphs and tables; counts pictures and objects, which are not read. */
export function readBlocks(bytes: Buffer, maxDepth: number): { blocks: Block[]; pictures: number; objects: number } {
  const reader = createReader(maxDepth);
  for (const token of tokensOf(bytes)) {
    if (token.kind === 'open') reader.open();
    else if (token.kind === 'close') reader.close();
    else if (token.kind === 'word') reader.word(token.word, token.number);
    else reader.text(token.bytes);
  }
  return reader.finish();
}

const plainState: State = {
  destination: 'body',
  bold: false,
  italic: false,
  underline: false,
  strike: false,
  script: 'baseline',
  hidden: false,
  encoding: undefined,
  fallback: 1,
  level: undefined,
  isInTable: false,
  link: { address: null, instruction: '' },
};

function createReader(maxDepth: number) {
  const blocks: Block[] = [];
  const later: Block[] = [];
  const stack: State[] = [];
  const fonts = new Map<number, string | undefined>();
  const counts = { pictures: 0, objects: 0 };
  let state: State = { ...plainState };
  let encoding = 'cp1252';
  let font = 0;
  let toSkip = 0;
  let isOptional = false;
  let pending: Buffer[] = [];
  const open: Record<Paragraph['kind'], Run[]> = { body: [], header: [], footer: [], footnote: [], note: [] };
  let marker: string | undefined;
  let rows: Paragraph[][][] = [];
  let cells: Paragraph[][] = [];
  let inCell: Paragraph[] = [];

  /** Bytes of two-byte signs may come one at a time. */
  function flush(): void {
    if (pending.length === 0) return;
    const bytes = Buffer.concat(pending);
    pending = [];
    const name = state.encoding ?? encoding;
    put(decode(bytes, encodingExists(name) ? name : 'cp1252'));
  }
  function put(text: string): void {
    const { destination } = state;
    if (destination === 'skip' || destination === 'fonts') return;
    if (destination === 'instruction') state.link.instruction += text;
    else if (destination === 'marker') marker = (marker ?? '') + text;
    else if (!state.hidden) {
      const { bold, italic, underline, strike: strikethrough, script } = state;
      const isPlain = !bold && !italic && !underline && !strikethrough && script === 'baseline';
      const formatting = isPlain ? null : { bold, italic, underline, strikethrough, script };
      open[destination].push({ text, formatting, hyperlink: state.link.address });
    }
  }
  function takeParagraph(kind: Paragraph['kind']): Paragraph {
    const { level } = state;
    const paragraph: Paragraph = {
      kind,
      runs: open[kind],
      level: kind === 'body' ? level : undefined,
      marker: undefined,
    };
    if (kind === 'body' && marker !== undefined) paragraph.marker = marker.trim();
    open[kind] = [];
    if (kind === 'body') marker = undefined;
    return paragraph;
  }
  function endTable(): void {
    if (inCell.length > 0) cells.push(inCell);
    if (cells.length > 0) rows.push(cells);
    if (rows.length > 0) blocks.push({ kind: 'table', rows });
    [rows, cells, inCell] = [[], [], []];
  }
  function endParagraph(): void {
    const { destination } = state;
    if (destination === 'skip' || destination === 'fonts' || destination === 'instruction' || destination === 'marker')
      return;
    const paragraph = takeParagraph(destination);
    if (destination !== 'body') later.push(paragraph);
    else if (state.isInTable) inCell.push(paragraph);
    else {
      endTable();
      blocks.push(paragraph);
    }
  }
  function onTable(word: string): boolean {
    if (state.destination !== 'body') return false;
    if (word === 'cell' || word === 'nestcell') {
      cells.push([...inCell, takeParagraph('body')]);
      inCell = [];
    } else if (word === 'row' || word === 'nestrow') {
      if (cells.length > 0) rows.push(cells);
      cells = [];
    } else return false;
    return true;
  }
  function onLook(word: string, number: number | undefined): void {
    const isOn = number !== 0;
    if (word === 'b') state.bold = isOn;
    else if (word === 'i') state.italic = isOn;
    else if (word === 'ul') state.underline = isOn;
    else if (word === 'ulnone') state.underline = false;
    else if (word === 'strike') state.strike = isOn;
    else if (word === 'super') state.script = isOn ? 'super' : 'baseline';
    else if (word === 'sub') state.script = isOn ? 'sub' : 'baseline';
    else if (word === 'nosupersub') state.script = 'baseline';
    else if (word === 'v' || word === 'deleted') state.hidden = isOn;
    else if (word === 'plain') {
      const { bold, italic, underline, strike, script, hidden } = plainState;
      Object.assign(state, { bold, italic, underline, strike, script, hidden });
    } else if (word === 'outlinelevel') state.level = number !== undefined && number < 9 ? number : undefined;
    else if (word === 'pard') Object.assign(state, { level: undefined, isInTable: false });
    else if (word === 'intbl') state.isInTable = true;
  }
  function onEncoding(word: string, number = 0): void {
    if (word === 'ansicpg') encoding = encodingOfPage(number);
    else if (word === 'mac') encoding = 'macintosh';
    else if (word === 'pc') encoding = 'cp437';
    else if (word === 'uc') state.fallback = number;
    else if (word === 'fcharset' && state.destination === 'fonts') fonts.set(font, encodingOfCharset(number));
    else if (word === 'f' && state.destination === 'fonts') font = number;
    else if (word === 'f') state.encoding = fonts.get(number);
  }

  return {
    open() {
      flush();
      if (stack.length >= maxDepth) throw new AppError('DOCUMENT_TOO_LARGE', 'Groups of the RTF are nested too deep.');
      stack.push(state);
      state = { ...state };
      isOptional = false;
    },
    close() {
      flush();
      const { destination, link } = state;
      const outer = stack.pop();
      if (outer === undefined) return;
      if (destination !== outer.destination && destination in open && open[destination as Paragraph['kind']].length > 0)
        later.push(takeParagraph(destination as Paragraph['kind']));
      if (destination === 'instruction' && outer.destination !== 'instruction') {
        const [, address = null] = /HYPERLINK\s+(?:\\\w\s+)*"([^"]+)"/i.exec(link.instruction) ?? [];
        outer.link.address = address;
      }
      state = outer;
      toSkip = 0;
    },
    word(word: string, number: number | undefined) {
      flush();
      if (word === '*') {
        isOptional = true;
        return;
      }
      const known = destinations[word];
      if (word === 'pict') counts.pictures += state.destination === 'skip' ? 0 : 1;
      if (word === 'object') counts.objects += state.destination === 'skip' ? 0 : 1;
      if (state.destination === 'skip') return;
      if (word === 'field') state.link = { address: null, instruction: '' };
      else if (known) state.destination = known;
      else if (skipped.has(word) || (isOptional && !read.has(word))) state.destination = 'skip';
      else if (word === 'u' && number !== undefined) {
        put(String.fromCharCode(number & 0xffff));
        toSkip = state.fallback;
      } else if (signs[word] !== undefined) put(signs[word]);
      else if (word === 'par' || word === 'sect' || word === '\r' || word === '\n' || word === 'page') endParagraph();
      else if (!onTable(word)) {
        onLook(word, number);
        onEncoding(word, number);
        if (word === '{' || word === '}' || word === '\\') put(word);
      }
      isOptional = false;
    },
    text(bytes: Buffer) {
      const left = bytes.subarray(Math.min(toSkip, bytes.length));
      toSkip -= bytes.length - left.length;
      if (left.length > 0 && state.destination !== 'skip') pending.push(left);
    },
    finish() {
      flush();
      if (open.body.length > 0) blocks.push(takeParagraph('body'));
      endTable();
      return { blocks: [...blocks, ...later], ...counts };
    },
  };
}
