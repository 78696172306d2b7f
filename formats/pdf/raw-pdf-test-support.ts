import { defaultLimits } from '../format';
import { read } from './read';

/** A font and the lines that it draws, as bytes of the file. */
export interface RawFont {
  /** The entries of its dictionary. */
  entries: string;
  /** The character of each code in its ToUnicode map. */
  toUnicode?: ReadonlyMap<number, string>;
  lines: readonly string[];
}

/** A file of one page whose fonts are described entry by entry: printers write no such maps and encodings. */
export function writeRawPdf(fonts: readonly RawFont[]): Uint8Array {
  const page = 3;
  const firstFont = 5;
  let y = 800;
  const content = fonts
    .flatMap(({ lines }, index) =>
      lines.map(
        (line) =>
          `BT /F${index} 12 Tf 1 0 0 1 72 ${(y -= 18)} Tm <${Buffer.from(line, 'latin1').toString('hex')}> Tj ET`,
      ),
    )
    .join('\n');
  const names = fonts.map((_, index) => `/F${index} ${firstFont + 2 * index} 0 R`).join('');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${page} 0 R]/Count 1>>`,
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<<${names}>>>>/Contents 4 0 R>>`,
    writeStream(content),
    ...fonts.flatMap(({ entries, toUnicode }, index) => [
      `<</Type/Font${entries}${toUnicode ? `/ToUnicode ${firstFont + 2 * index + 1} 0 R` : ''}>>`,
      writeStream(toUnicode ? writeMap(toUnicode) : ''),
    ]),
  ];
  let file = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const at = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const start = file.length;
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  file += `xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(file, 'latin1'));
}

/** The document read from such a file. */
export function readRawPdf(fonts: readonly RawFont[]) {
  return read(writeRawPdf(fonts), { name: 'raw.pdf', limits: defaultLimits });
}

function writeStream(text: string): string {
  return `<</Length ${text.length}>>\nstream\n${text}\nendstream`;
}

function writeMap(map: ReadonlyMap<number, string>): string {
  const entries = [...map].map(([code, text]) => `<${toHex(code, 2)}> <${toHex(text.charCodeAt(0), 4)}>`);
  const head =
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange';
  return `${head} ${entries.length} beginbfchar ${entries.join('\n')} endbfchar endcmap end end`;
}

function toHex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
