import { zipSync } from 'fflate';

/** The text of one XPS file. Entries are made as a Windows printer makes them, or as OpenXPS. */
export interface XpsParts {
  /** The content of each page. */
  pages: readonly string[];
  /** Further parts by name, such as fonts and images. */
  parts?: Readonly<Record<string, Uint8Array | string>>;
  /** Default: XPS 1.0. */
  isOpenXps?: boolean;
  /** Splits the parts of the pages into pieces. */
  isInterleaved?: boolean;
  /** The attributes of each page. Default: A4 in units of 1/96 inch. */
  size?: string;
}

const xps = { space: 'http://schemas.microsoft.com/xps/2005/06', relation: 'http://schemas.microsoft.com/xps/2005/06' };
const oxps = { space: 'http://schemas.openxps.org/oxps/v1.0', relation: 'http://schemas.openxps.org/oxps/v1.0' };

/** Creates an XPS file. */
export function xpsFile(xpsParts: XpsParts): Uint8Array {
  const { pages, parts = {}, isInterleaved, size = 'Width="793.7" Height="1122.5"' } = xpsParts;
  const { space, relation } = xpsParts.isOpenXps ? oxps : xps;
  const content = pages.map((_, index) => `<PageContent Source="Pages/${index + 1}.fpage"/>`).join('');
  const relations = (rows: readonly [type: string, target: string][]) =>
    `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${rows
      .map(([type, target], index) => `<Relationship Id="R${index}" Type="${type}" Target="${target}"/>`)
      .join('')}</Relationships>`;
  const all: Record<string, Uint8Array | string> = {
    '_rels/.rels': relations([[`${relation}/fixedrepresentation`, '/FixedDocSeq.fdseq']]),
    'FixedDocSeq.fdseq': `<FixedDocumentSequence xmlns="${space}"><DocumentReference Source="Documents/1/FixedDoc.fdoc"/></FixedDocumentSequence>`,
    'Documents/1/FixedDoc.fdoc': `<FixedDocument xmlns="${space}">${content}</FixedDocument>`,
    'Documents/1/_rels/FixedDoc.fdoc.rels': relations([[`${relation}/documentstructure`, 'Structure/doc.struct']]),
    ...parts,
  };
  for (const [index, page] of pages.entries()) {
    const name = `Documents/1/Pages/${index + 1}.fpage`;
    const xml = `<FixedPage xmlns="${space}" xmlns:x="${space}/resourcedictionary-key" ${size} xml:lang="en">${page}</FixedPage>`;
    const half = Math.floor(xml.length / 2);
    if (isInterleaved) all[`${name}/[0].piece`] = xml.slice(0, half);
    if (isInterleaved) all[`${name}/[1].last.piece`] = xml.slice(half);
    if (!isInterleaved) all[name] = xml;
  }
  return zipSync(
    Object.fromEntries(
      Object.entries(all).map(([name, part]) => [name, typeof part === 'string' ? Buffer.from(part) : part]),
    ),
  );
}

/** A run of glyphs. */
export function glyphs(text: string, x: number, y: number, more = ''): string {
  return `<Glyphs UnicodeString="${text}" OriginX="${x}" OriginY="${y}" FontRenderingEmSize="16" Fill="#FF000000" ${more}/>`;
}

/** A paragraph of lines that fill a column of 600 units. */
export function lines(texts: readonly string[], y: number, more = ''): string {
  return texts.map((text, index) => glyphs(text, 96, y + 20 * index, more)).join('');
}

/** A table of the OpenType format. */
type Table = [tag: string, bytes: Buffer];

const words = (...values: number[]) => {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, 2 * index);
  return bytes;
};

/** A segment of characters: their first and last code, and what is added to a code for its glyph. */
type Segment = readonly [first: number, last: number, difference: number];
const letters: readonly Segment[] = [
  [65, 90, 1 - 65],
  [0xffff, 0xffff, 1],
];

/** A font of 1,000 units per em, each glyph `width` wide, with this PostScript name. It maps A to Z to glyphs 1 to 26 unless told. */
export function fontFile(name: string, width: number, segments = letters): Buffer {
  const label = Buffer.from(name, 'utf16le').swap16();
  const tables: Table[] = [
    ['cmap', Buffer.concat([words(0, 1, 3, 1, 0, 12), writeSegments(segments)])],
    ['head', Buffer.concat([Buffer.alloc(18), words(1000), Buffer.alloc(34)])],
    ['hhea', Buffer.concat([Buffer.alloc(34), words(1)])],
    ['hmtx', words(width, 0)],
    ['name', Buffer.concat([words(0, 1, 18, 3, 1, 0x409, 6, label.length, 0), label])],
  ];
  const start = 12 + 16 * tables.length;
  const records: Buffer[] = [];
  let at = start;
  for (const [tag, bytes] of tables) {
    const place = Buffer.alloc(12);
    place.writeUInt32BE(at, 4);
    place.writeUInt32BE(bytes.length, 8);
    records.push(Buffer.from(tag), place);
    at += bytes.length;
  }
  return Buffer.concat([words(0, 1, tables.length, 0, 0, 0), ...records, ...tables.map(([, bytes]) => bytes)]);
}

/** A character map of format 4. */
function writeSegments(segments: readonly Segment[]): Buffer {
  const count = segments.length;
  const [firsts, lasts, differences] = [0, 1, 2].map((index) => words(...segments.map((segment) => segment[index]!)));
  const head = words(4, 16 + 8 * count, 0, 2 * count, 4, 1, 0);
  return Buffer.concat([head, lasts!, words(0), firsts!, differences!, Buffer.alloc(2 * count)]);
}

/** The bytes as a font of this name, which contains a GUID, is stored. */
export function obfuscate(bytes: Buffer, guid: string): Buffer {
  const key = Buffer.from(guid.replaceAll('-', ''), 'hex');
  return Buffer.from(bytes.map((byte, index) => (index < 32 ? byte ^ key[15 - (index % 16)]! : byte)));
}
