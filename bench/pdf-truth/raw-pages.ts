import { type PdfObject, writeRawPdf, writeToUnicodeMap } from '../../test/support/documents/raw-pdf';
import { paragraph, title } from '../support/prose';
import type { Random } from '../support/random';
import type { Truth, TruthBlock } from './truth';

/** Pages written object by object, for features that no available printer produces. */
export const rawKinds: Record<string, (random: Random) => { pdf: Uint8Array; truth: Truth }> = {
  chinese: (random) => createEastAsianPage(random, 'chinese'),
  japanese: (random) => createEastAsianPage(random, 'japanese'),
  korean: (random) => createEastAsianPage(random, 'korean'),
  'bad ToUnicode': createBadToUnicode,
  'turned page': createTurnedPage,
};

const page = { width: 595, height: 842, margin: 72 };

interface Run {
  x: number;
  y: number;
  size: number;
  /** The text as a string or hexadecimal string of the file. */
  shown: string;
}

/** A file of one page with one font, `/F`, which is object 5. */
function writePage(runs: readonly Run[], font: readonly PdfObject[], more: { rotate?: number; matrix?: string } = {}) {
  const content = [
    more.matrix ? `${more.matrix} cm` : '',
    ...runs.map(
      ({ x, y, size, shown }) => `BT /F ${size} Tf 1 0 0 1 ${x.toFixed(2)} ${y.toFixed(2)} Tm ${shown} Tj ET`,
    ),
  ].join('\n');
  const rotate = more.rotate ? `/Rotate ${more.rotate}` : '';
  const size = more.matrix ? [page.height, page.width] : [page.width, page.height];
  return writeRawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${size.join(' ')}]${rotate}/Resources<</Font<</F 5 0 R>>>>/Contents 4 0 R>>`,
    { stream: content },
    ...font,
  ]);
}

const scripts = {
  chinese: { first: 0x4e00, last: 0x9fa0, map: 'UniGB-UCS2-H', ordering: 'GB1', font: 'STSong-Light', stop: '。' },
  japanese: { first: 0x3042, last: 0x3093, map: 'UniJIS-UCS2-H', ordering: 'Japan1', font: 'HeiseiMin-W3', stop: '。' },
  korean: {
    first: 0xac00,
    last: 0xd7a0,
    map: 'UniKS-UCS2-H',
    ordering: 'Korea1',
    font: 'HYSMyeongJo-Medium',
    stop: '.',
  },
} as const;

/** Text without an embedded font, as predefined character maps allow, in full-width characters that may break anywhere. */
function createEastAsianPage(random: Random, script: keyof typeof scripts) {
  const { first, last, map, ordering, font, stop } = scripts[script];
  const sign = () => String.fromCharCode(random.integer(first, first + Math.floor((last - first) * random.next())));
  const signs = (count: number) => Array.from({ length: count }, sign).join('');
  const isSpaced = script === 'korean';
  const phrase = () =>
    isSpaced
      ? Array.from({ length: random.integer(4, 8) }, () => signs(random.integer(2, 4))).join(' ')
      : signs(random.integer(10, 40));
  const blocks: TruthBlock[] = [];
  const runs: Run[] = [];
  let y = page.height - page.margin;
  const write = (text: string, size: number) => {
    for (const line of breakSigns(text, Math.floor((page.width - 2 * page.margin) / size), isSpaced)) {
      runs.push({ x: page.margin, y, size, shown: `<${Buffer.from(line, 'utf16le').swap16().toString('hex')}>` });
      y -= 1.5 * size;
    }
    y -= 0.8 * size;
  };
  for (let section = 0; section < 2; section += 1) {
    blocks.push({ kind: 'heading', text: signs(random.integer(4, 12)) });
    write((blocks.at(-1) as { text: string }).text, 18);
    for (let index = 0; index < 2; index += 1) {
      const text = Array.from({ length: random.integer(2, 4) }, () => `${phrase()}${stop}`).join(isSpaced ? ' ' : '');
      blocks.push({ kind: 'text', text });
      write(text, 11);
    }
  }
  const fonts = [
    `<</Type/Font/Subtype/Type0/BaseFont/${font}/Encoding/${map}/DescendantFonts[6 0 R]>>`,
    `<</Type/Font/Subtype/CIDFontType0/BaseFont/${font}/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 0>>/DW 1000/FontDescriptor 7 0 R>>`,
    `<</Type/FontDescriptor/FontName/${font}/Flags 6/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 880/Descent -120/CapHeight 880/StemV 90>>`,
  ];
  return { pdf: writePage(runs, fonts), truth: { kind: script, blocks, furniture: [] } };
}

/** Lines of at most `most` full-width characters; Korean breaks at spaces. */
function breakSigns(text: string, most: number, isSpaced: boolean): string[] {
  if (!isSpaced) return text.match(new RegExp(`.{1,${most}}`, 'gu')) ?? [];
  return breakWords(text, (line) => line.length <= most);
}

function breakWords(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1) ?? ''} ${word}`.trim();
    if (lines.length > 0 && fits(longer)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** Latin headings and paragraphs in a monospaced font, at given positions. */
function createLatinRuns(random: Random, width: number, height: number): { runs: Run[]; blocks: TruthBlock[] } {
  const runs: Run[] = [];
  const blocks: TruthBlock[] = [];
  let y = height - page.margin;
  const write = (text: string, size: number) => {
    const most = Math.floor((width - 2 * page.margin) / (0.6 * size));
    for (const line of breakWords(text, (value) => value.length <= most)) {
      runs.push({ x: page.margin, y, size, shown: `(${line})` });
      y -= 1.3 * size;
    }
    y -= 0.7 * size;
  };
  for (let section = 0; section < 2; section += 1) {
    const [name, texts] = [title(random), [paragraph(random, 3), paragraph(random, 2)]];
    blocks.push({ kind: 'heading', text: name }, ...texts.map((text): TruthBlock => ({ kind: 'text', text })));
    write(name, 16);
    for (const text of texts) write(text, 10);
  }
  return { runs, blocks };
}

const courier = (more: string) => `<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding${more}>>`;

/**
 * The map to Unicode is useless (replacement characters) or contains the font's own codes (private use); the encoding is
 * right.
 */
function createBadToUnicode(random: Random) {
  const { runs, blocks } = createLatinRuns(random, page.width, page.height);
  const kinds: ((code: number) => number)[] = [() => 0xfffd, (code) => 0xf000 + code, () => 0];
  const target = kinds[random.integer(0, kinds.length - 1)] as (code: number) => number;
  const printable = Array.from({ length: 94 }, (_, index) => 33 + index);
  const fonts = [
    courier('/ToUnicode 6 0 R'),
    writeToUnicodeMap(new Map(printable.map((code) => [code, target(code)]))),
  ];
  return { pdf: writePage(runs, fonts), truth: { kind: 'bad ToUnicode', blocks, furniture: [] } };
}

/** Text that runs upwards or downwards in the file; on one half of the pages the page is turned, so that it is upright. */
function createTurnedPage(random: Random) {
  const { runs, blocks } = createLatinRuns(random, page.width, page.height);
  const isUp = random.chance(0.5);
  const matrix = isUp ? `0 1 -1 0 ${page.height} 0` : `0 -1 1 0 0 ${page.width}`;
  const more = random.chance(0.5) ? { matrix, rotate: isUp ? 90 : 270 } : { matrix };
  return { pdf: writePage(runs, [courier('')], more), truth: { kind: 'turned page', blocks, furniture: [] } };
}
