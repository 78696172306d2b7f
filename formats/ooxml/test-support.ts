import { strToU8, zipSync } from 'fflate';
import { defaultLimits, type ReadOptions } from '../format';

const namespaces =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ' +
  'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ' +
  'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" ' +
  'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ' +
  'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" ' +
  'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ' +
  'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" ' +
  'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ' +
  'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ' +
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" ' +
  'xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ' +
  'xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"';
const relationshipBase = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships/';

/** Returns the options of a reader under test. */
export function readOptions(name: string, limits: Partial<ReadOptions['limits']> = {}): ReadOptions {
  return { name, limits: { ...defaultLimits, ...limits } };
}

/** Creates a root element with the namespaces of all Office vocabularies. */
export function rootXml(name: string, inner: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><${name} ${namespaces}>${inner}</${name}>`;
}

/** `[id, type, target]`, with `External` as fourth value for URLs. */
export type RelationshipRow = [id: string, type: string, target: string, mode?: 'External'];

/** Creates a relationships part. */
export function relationshipsXml(rows: readonly RelationshipRow[]): string {
  const items = rows.map(
    ([id, type, target, mode]) =>
      `<Relationship Id="${id}" Type="${relationshipBase}${type}" Target="${target}"${mode === undefined ? '' : ` TargetMode="${mode}"`}/>`,
  );
  return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`;
}

/** Creates an Office file with these parts; `main` is its office document. */
export function officeFile(main: string, parts: Record<string, string | Uint8Array>): Uint8Array {
  const types =
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
    '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/></Types>';
  const all: Record<string, string | Uint8Array> = {
    '[Content_Types].xml': types,
    '_rels/.rels': relationshipsXml([['rId1', 'officeDocument', main]]),
    ...parts,
  };
  return zipSync(
    Object.fromEntries(
      Object.entries(all).map(([name, part]) => [name, typeof part === 'string' ? strToU8(part) : part]),
    ),
  );
}

/** Creates a Word document with this body. `parts` are named relative to `word/`: styles, numbering, … */
export function wordFile(
  body: string,
  {
    parts = {},
    relationships = [],
  }: { parts?: Record<string, string | Uint8Array>; relationships?: RelationshipRow[] } = {},
): Uint8Array {
  const known: RelationshipRow[] = [
    ['rIdStyles', 'styles', 'styles.xml'],
    ['rIdNumbering', 'numbering', 'numbering.xml'],
    ['rIdComments', 'comments', 'comments.xml'],
    ['rIdFootnotes', 'footnotes', 'footnotes.xml'],
  ];
  const present = known.filter(([, , target]) => parts[target] !== undefined);
  const namedEntries = Object.fromEntries(Object.entries(parts).map(([name, part]) => [`word/${name}`, part]));
  return officeFile('word/document.xml', {
    'word/document.xml': rootXml('w:document', `<w:body>${body}</w:body>`),
    'word/_rels/document.xml.rels': relationshipsXml([...present, ...relationships]),
    ...namedEntries,
  });
}

/** Creates a paragraph with an optional style and further properties. */
export function paragraph(
  text: string,
  { style, properties = '' }: { style?: string; properties?: string } = {},
): string {
  const named = style === undefined ? '' : `<w:pStyle w:val="${style}"/>`;
  return `<w:p><w:pPr>${named}${properties}</w:pPr>${text === '' ? '' : run(text)}</w:p>`;
}

/** Creates a run with optional run properties. */
export function run(text: string, properties = ''): string {
  return `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
}

/** Creates a paragraph in a list. */
export function listParagraph(text: string, number: number, level = 0): string {
  return paragraph(text, { properties: `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${number}"/></w:numPr>` });
}

/** Creates the header of a PNG with this size, which is all that readers use. */
export function pngHeader(width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(40);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
}

/** Creates a workbook with these sheets, each given as the XML inside `worksheet`. */
export function workbookFile(
  sheets: Record<string, string>,
  {
    parts = {},
    sheetAttributes = {},
    relationships = [],
  }: {
    parts?: Record<string, string | Uint8Array>;
    sheetAttributes?: Record<string, string>;
    relationships?: RelationshipRow[];
  } = {},
): Uint8Array {
  const names = Object.keys(sheets);
  const list = names.map(
    (name, index) =>
      `<x:sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}" ${sheetAttributes[name] ?? ''}/>`,
  );
  const own = names.map((_, index): RelationshipRow => [
    `rId${index + 1}`,
    'worksheet',
    `worksheets/sheet${index + 1}.xml`,
  ]);
  const worksheets = names.map((name, index) => [
    `xl/worksheets/sheet${index + 1}.xml`,
    rootXml('x:worksheet', sheets[name]!),
  ]);
  return officeFile('xl/workbook.xml', {
    'xl/workbook.xml': rootXml('x:workbook', `<x:sheets>${list.join('')}</x:sheets>`),
    'xl/_rels/workbook.xml.rels': relationshipsXml([...own, ...relationships]),
    ...Object.fromEntries(worksheets),
    ...parts,
  });
}

/** Creates `sheetData` from rows of inline strings and numbers, starting at A1; undefined is an empty cell. */
export function sheetData(rows: (string | number | undefined)[][]): string {
  const lines = rows.map((row, index) => {
    const cells = row.map((value, column) => {
      if (value === undefined) return '';
      const place = `r="${String.fromCharCode(65 + column)}${index + 1}"`;
      if (typeof value === 'number') return `<x:c ${place}><x:v>${value}</x:v></x:c>`;
      return `<x:c ${place} t="inlineStr"><x:is><x:t>${value}</x:t></x:is></x:c>`;
    });
    return `<x:row r="${index + 1}">${cells.join('')}</x:row>`;
  });
  return `<x:sheetData>${lines.join('')}</x:sheetData>`;
}

/** Creates a presentation with these slides, each given as the XML inside `p:spTree`. */
export function presentationFile(
  slides: string[],
  {
    parts = {},
    slideRelationships = {},
  }: { parts?: Record<string, string | Uint8Array>; slideRelationships?: Record<number, RelationshipRow[]> } = {},
): Uint8Array {
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join('');
  const files: Record<string, string | Uint8Array> = {
    'ppt/presentation.xml': rootXml(
      'p:presentation',
      `<p:sldIdLst>${ids}</p:sldIdLst><p:sldSz cx="9144000" cy="6858000"/>`,
    ),
    'ppt/_rels/presentation.xml.rels': relationshipsXml(
      slides.map((_, index) => [`rId${index + 1}`, 'slide', `slides/slide${index + 1}.xml`] as RelationshipRow),
    ),
  };
  for (const [index, slide] of slides.entries()) {
    const isWhole = slide.startsWith('<?xml');
    files[`ppt/slides/slide${index + 1}.xml`] = isWhole
      ? slide
      : rootXml('p:sld', `<p:cSld><p:spTree>${slide}</p:spTree></p:cSld>`);
    files[`ppt/slides/_rels/slide${index + 1}.xml.rels`] = relationshipsXml(slideRelationships[index] ?? []);
  }
  return officeFile('ppt/presentation.xml', { ...files, ...parts });
}
