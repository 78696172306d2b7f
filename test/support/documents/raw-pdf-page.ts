import { defaultLimits } from '../../../formats/format';
import { read } from '../../../formats/pdf/read';
import { writeRawPdf, writeToUnicodeMap } from './raw-pdf';

/** A font and the lines that it draws, as bytes of the file. */
interface RawFont {
  /** The entries of its dictionary. */
  entries: string;
  /** The character of each code in its ToUnicode map. */
  toUnicode?: ReadonlyMap<number, string>;
  lines: readonly string[];
}

/** A file of one page whose fonts are described entry by entry: printers write no such maps and encodings. */
export function writeFontPage(fonts: readonly RawFont[]): Uint8Array {
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
  return writeRawPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<<${names}>>>>/Contents 4 0 R>>`,
    { stream: content },
    ...fonts.flatMap(({ entries, toUnicode }, index) => [
      `<</Type/Font${entries}${toUnicode ? `/ToUnicode ${firstFont + 2 * index + 1} 0 R` : ''}>>`,
      writeToUnicodeMap(new Map([...(toUnicode ?? [])].map(([code, text]) => [code, text.charCodeAt(0)]))),
    ]),
  ]);
}

/** The document read from such a page. */
export function readRawPdf(fonts: readonly RawFont[]) {
  return read(writeFontPage(fonts), { name: 'raw.pdf', limits: defaultLimits });
}
