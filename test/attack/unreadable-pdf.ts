import { writeRawPdf } from '../support/documents/raw-pdf';

/**
 * A PDF of two pages. The font of the second page names no characters, and its signs are too narrow for text recognition, so a
 * conversion of it is doubtful.
 */
export function unreadablePdf(readable: string, unreadable: string): Uint8Array {
  const escaped = (text: string) => text.replaceAll(/[\\()]/g, '\\$&');
  const drawing = (font: string, text: string, widthPercent = 100) => ({
    stream: `BT /${font} 14 Tf ${widthPercent} Tz 60 720 Td (${escaped(text)}) Tj ET`,
  });
  const map =
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n1 begincodespacerange <00> <FF> endcodespacerange\n1 beginbfrange <21> <7E> <E021> endbfrange\nendcmap end end';
  const page = (contents: number) =>
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${contents} 0 R /Resources << /Font << /F 7 0 R /G 8 0 R >> >> >>`;
  const font = '/Type /Font /Subtype /Type1 /BaseFont /Helvetica';
  return writeRawPdf([
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R 4 0 R] /Count 2 >>',
    page(5),
    page(6),
    drawing('F', readable),
    drawing('G', unreadable, 4),
    `<< ${font} >>`,
    `<< ${font} /ToUnicode 9 0 R >>`,
    { stream: map },
  ]);
}
