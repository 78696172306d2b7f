import Pdf from 'pdfkit';
import type { DoclingDocument } from '../../document/model';
import { defaultLimits, type Profile } from '../format';
import { describeText } from './account/page-text';
import { read } from './read';

/** The account of a page without text. */
export const noText = describeText([], { hidden: [], outside: [], unnamed: [] });

/** A PDF under construction. */
export type Drawing = InstanceType<typeof Pdf>;

/** A paragraph of three lines. */
export const prose =
  'The harbour office keeps a daily record of the water level at the northern pier, and every morning the reading is compared with the table of the tides. Differences of more than ten centimetres are reported to the engineer on duty, who looks at the gauge before noon.';

/** The bytes of a PDF with this content. */
export function draw(content: (pdf: Drawing) => void, options: Record<string, unknown> = {}): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pdf = new Pdf({ size: 'A4', margin: 72, ...options });
    const parts: Buffer[] = [];
    pdf.on('data', (part: Buffer) => parts.push(part));
    pdf.on('end', () => resolve(new Uint8Array(Buffer.concat(parts))));
    pdf.on('error', reject);
    content(pdf);
    pdf.end();
  });
}

/** The document read from such a PDF. */
export async function readDrawn(
  content: (pdf: Drawing) => void,
  options: Record<string, unknown> = {},
  profile: Profile = 'reader',
): Promise<DoclingDocument> {
  return read(await draw(content, options), { name: 'report.pdf', limits: defaultLimits, profile });
}

/** The texts with this label. */
export const labelled = ({ texts }: DoclingDocument, label: string) =>
  texts.filter((item) => item.label === label).map(({ text }) => text);

/** The paragraphs. */
export const paragraphs = (document: DoclingDocument) => labelled(document, 'text');

/** The texts of a table by row and column. */
export function grid(document: DoclingDocument, index = 0): string[][] {
  const { data } = document.tables[index]!;
  const rows = Array.from({ length: data.num_rows }, () => Array<string>(data.num_cols).fill(''));
  for (const cell of data.table_cells) rows[cell.start_row_offset_idx]![cell.start_col_offset_idx] = cell.text;
  return rows;
}

/** Draws a table with a ruling around each cell. */
export function ruledTable(
  pdf: Drawing,
  rows: string[][],
  at: { x: number; y: number; width: number; height: number },
): void {
  rows.forEach((cells, row) =>
    cells.forEach((text, column) => {
      const [x, y] = [at.x + column * at.width, at.y + row * at.height];
      pdf.rect(x, y, at.width, at.height).stroke();
      pdf.text(text, x + 4, y + 4, { width: at.width - 8, lineBreak: false });
    }),
  );
}
