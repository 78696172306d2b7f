import { decode, encodingExists } from 'iconv-lite';
import type { Formatting } from '../../document/model';
import { AppError } from '../../model/errors';
import { findCharsetEncoding, getPageEncoding } from './encodings';
import { iterateTokens } from './tokens';

/** Text with one style. */
export interface Run {
  text: string;
  formatting: Formatting | null;
  hyperlink: string | null;
}
/** A paragraph, and the part of the document it belongs to. */
export interface Paragraph {
  kind: 'body' | 'header' | 'footer' | 'footnote' | 'note';
  runs: Run[];
  /** 0 is the highest heading. */
  level: number | undefined;
  /** Marker of a list item as written. */
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
  /** Number of fallback characters after each Unicode character, for readers without Unicode. */
  fallback: number;
  level: number | undefined;
  isInTable: boolean;
  link: { address: string | null; instruction: string };
}

/** Groups without document text (RTF 1.9.1, "Document area"). */
const skippedGroups: ReadonlySet<string> = new Set(
  (
    'stylesheet colortbl info generator listtable listoverridetable rsidtbl themedata colorschememapping latentstyles ' +
    'datastore xmlnstbl pict object filetbl revtbl mmathPr fldtype pnseclvl wgrffmtfilter blipuid bkmkstart bkmkend ' +
    'atnid atnref atndate annotationdate sp passwordhash private nonshppict falt panose userprops docvar ftnsep ftnsepc aftnsep aftnsepc'
  ).split(' '),
);
/** Optional groups whose text is read. */
const readOptionalGroups: ReadonlySet<string> = new Set([
  'shppict',
  'shpinst',
  'shptxt',
  'pntext',
  'fldinst',
  'moMathPara',
  'moMath',
]);
/** Groups with properties of a part of a formula. */
const formulaProperties = /^m\w+Pr$/;
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
/** Characters of control words. */
const characters: Readonly<Record<string, string>> = {
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
  // Formulas are read as text, with signs between their parts.
  mden: '/',
  msup: '^',
  msub: '_',
};

function isSkipped(word: string, isOptional: boolean): boolean {
  return skippedGroups.has(word) || formulaProperties.test(word) || (isOptional && !readOptionalGroups.has(word));
}

interface RtfContent {
  blocks: Block[];
  pictures: number;
  objects: number;
  /** True if the file ends within a group. */
  isCut: boolean;
}

/** Reads the text of a file into paragraphs and tables. Pictures and objects are not read, only counted. */
export function readBlocks(bytes: Buffer, maxDepth: number): RtfContent {
  const reader = new RtfReader(maxDepth);
  for (const token of iterateTokens(bytes)) {
    if (token.kind === 'open') reader.open();
    else if (token.kind === 'close') reader.close();
    else if (token.kind === 'word') reader.word(token.word, token.number);
    else reader.text(token.bytes);
  }
  return reader.finish();
}

/** A character has few fallback characters. A larger count would hide the text after it. */
const maxFallback = 16;

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

/** Processes tokens in order and collects the resulting blocks. */
class RtfReader {
  private readonly blocks: Block[] = [];
  /** Headers, footers and notes, which come after the text. */
  private readonly trailing: Block[] = [];
  private readonly stack: State[] = [];
  private readonly fonts = new Map<number, string | undefined>();
  private readonly counts = { pictures: 0, objects: 0 };
  private state: State = { ...plainState };
  private encoding = 'cp1252';
  private font = 0;
  /** Number of fallback characters still to skip. */
  private toSkip = 0;
  /** True after `\*`, before the word of an optional group. */
  private isOptional = false;
  /** Bytes of text that are not decoded yet. */
  private pending: Buffer[] = [];
  private readonly runs: Record<Paragraph['kind'], Run[]> = {
    body: [],
    header: [],
    footer: [],
    footnote: [],
    note: [],
  };
  private marker: string | undefined;
  /** The open table: finished rows, finished cells of the current row, paragraphs of the current cell. */
  private rows: Paragraph[][][] = [];
  private cells: Paragraph[][] = [];
  private inCell: Paragraph[] = [];

  constructor(private readonly maxDepth: number) {}

  /** Decodes the pending bytes together: those of a double-byte character may arrive one at a time. */
  private flush(): void {
    if (this.pending.length === 0) return;
    const bytes = Buffer.concat(this.pending);
    this.pending = [];
    const name = this.state.encoding ?? this.encoding;
    this.addText(decode(bytes, encodingExists(name) ? name : 'cp1252'));
  }
  private addText(text: string): void {
    const { destination } = this.state;
    if (destination === 'skip' || destination === 'fonts') return;
    if (destination === 'instruction') this.state.link.instruction += text;
    else if (destination === 'marker') this.marker = (this.marker ?? '') + text;
    else if (!this.state.hidden) {
      const { bold, italic, underline, strike: strikethrough, script } = this.state;
      const isPlain = !bold && !italic && !underline && !strikethrough && script === 'baseline';
      const formatting = isPlain ? null : { bold, italic, underline, strikethrough, script };
      this.runs[destination].push({ text, formatting, hyperlink: this.state.link.address });
    }
  }
  private takeParagraph(kind: Paragraph['kind']): Paragraph {
    const { level } = this.state;
    const paragraph: Paragraph = {
      kind,
      runs: this.runs[kind],
      level: kind === 'body' ? level : undefined,
      marker: undefined,
    };
    if (kind === 'body' && this.marker !== undefined) paragraph.marker = this.marker.trim();
    this.runs[kind] = [];
    if (kind === 'body') this.marker = undefined;
    return paragraph;
  }
  private endTable(): void {
    if (this.inCell.length > 0) this.cells.push(this.inCell);
    if (this.cells.length > 0) this.rows.push(this.cells);
    if (this.rows.length > 0) this.blocks.push({ kind: 'table', rows: this.rows });
    [this.rows, this.cells, this.inCell] = [[], [], []];
  }
  private endParagraph(): void {
    const { destination } = this.state;
    if (destination === 'skip' || destination === 'fonts' || destination === 'instruction' || destination === 'marker')
      return;
    const paragraph = this.takeParagraph(destination);
    if (destination !== 'body') this.trailing.push(paragraph);
    else if (this.state.isInTable) this.inCell.push(paragraph);
    else {
      this.endTable();
      this.blocks.push(paragraph);
    }
  }
  private handleTableWord(word: string): boolean {
    if (this.state.destination !== 'body') return false;
    if (word === 'cell' || word === 'nestcell') {
      this.cells.push([...this.inCell, this.takeParagraph('body')]);
      this.inCell = [];
    } else if (word === 'row' || word === 'nestrow') {
      if (this.cells.length > 0) this.rows.push(this.cells);
      this.cells = [];
    } else return false;
    return true;
  }
  private handleStyleWord(word: string, number: number | undefined): void {
    const isOn = number !== 0;
    if (word === 'b') this.state.bold = isOn;
    else if (word === 'i') this.state.italic = isOn;
    else if (word === 'ul') this.state.underline = isOn;
    else if (word === 'ulnone') this.state.underline = false;
    else if (word === 'strike') this.state.strike = isOn;
    else if (word === 'super') this.state.script = isOn ? 'super' : 'baseline';
    else if (word === 'sub') this.state.script = isOn ? 'sub' : 'baseline';
    else if (word === 'nosupersub') this.state.script = 'baseline';
    else if (word === 'v' || word === 'deleted') this.state.hidden = isOn;
    else if (word === 'plain') {
      const { bold, italic, underline, strike, script, hidden } = plainState;
      Object.assign(this.state, { bold, italic, underline, strike, script, hidden });
    } else if (word === 'outlinelevel') this.state.level = number !== undefined && number < 9 ? number : undefined;
    else if (word === 'pard') Object.assign(this.state, { level: undefined, isInTable: false });
    else if (word === 'intbl') this.state.isInTable = true;
  }
  private handleEncodingWord(word: string, number = 0): void {
    if (word === 'ansicpg') this.encoding = getPageEncoding(number);
    else if (word === 'mac') this.encoding = 'macintosh';
    else if (word === 'pc') this.encoding = 'cp437';
    else if (word === 'uc') this.state.fallback = number >= 0 && number <= maxFallback ? number : 1;
    else if (word === 'fcharset' && this.state.destination === 'fonts')
      this.fonts.set(this.font, findCharsetEncoding(number));
    else if (word === 'f' && this.state.destination === 'fonts') this.font = number;
    else if (word === 'f') this.state.encoding = this.fonts.get(number);
  }

  open() {
    this.flush();
    if (this.stack.length >= this.maxDepth)
      throw new AppError('DOCUMENT_TOO_LARGE', `The RTF nests groups more than ${this.maxDepth} levels deep.`);
    this.stack.push(this.state);
    this.state = { ...this.state };
    this.isOptional = false;
  }

  close() {
    this.flush();
    const { destination, link } = this.state;
    const outer = this.stack.pop();
    if (outer === undefined) return;
    if (
      destination !== outer.destination &&
      destination in this.runs &&
      this.runs[destination as Paragraph['kind']].length > 0
    )
      this.trailing.push(this.takeParagraph(destination as Paragraph['kind']));
    if (destination === 'instruction' && outer.destination !== 'instruction') {
      const [, address = null] = /HYPERLINK\s+(?:\\\w\s+)*"([^"]+)"/i.exec(link.instruction) ?? [];
      outer.link.address = address;
    }
    this.state = outer;
    this.toSkip = 0;
  }

  word(word: string, number: number | undefined) {
    this.flush();
    if (word === '*') {
      this.isOptional = true;
      return;
    }
    const destination = destinations[word];
    if (word === 'pict') this.counts.pictures += this.state.destination === 'skip' ? 0 : 1;
    if (word === 'object') this.counts.objects += this.state.destination === 'skip' ? 0 : 1;
    if (this.state.destination === 'skip') return;
    if (word === 'field') this.state.link = { address: null, instruction: '' };
    else if (destination) this.state.destination = destination;
    else if (isSkipped(word, this.isOptional)) this.state.destination = 'skip';
    else if (word === 'u' && number !== undefined) {
      this.addText(String.fromCharCode(number & 0xffff));
      this.toSkip = this.state.fallback;
    } else if (characters[word] !== undefined) this.addText(characters[word]);
    else if (word === 'par' || word === 'sect' || word === '\r' || word === '\n' || word === 'page')
      this.endParagraph();
    else if (!this.handleTableWord(word)) {
      this.handleStyleWord(word, number);
      this.handleEncodingWord(word, number);
      if (word === '{' || word === '}' || word === '\\') this.addText(word);
    }
    this.isOptional = false;
  }

  text(bytes: Buffer) {
    const content = bytes.subarray(Math.min(this.toSkip, bytes.length));
    this.toSkip -= bytes.length - content.length;
    if (content.length > 0 && this.state.destination !== 'skip') this.pending.push(content);
  }

  finish(): RtfContent {
    this.flush();
    if (this.runs.body.length > 0) this.blocks.push(this.takeParagraph('body'));
    this.endTable();
    return { blocks: [...this.blocks, ...this.trailing], ...this.counts, isCut: this.stack.length > 0 };
  }
}
