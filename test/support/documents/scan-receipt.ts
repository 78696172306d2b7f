import Pdf from 'pdfkit';
import sharp from 'sharp';
import { openReader } from '../../../formats/pdf/engine/reader';

export const receiptTitle = 'Receipt of the harbour office';

/** What the receipt lists, with amounts. */
export const receiptArticles = [
  ['Anchor chain', '1.250,40'],
  ['Mooring lines', '86,95'],
  ['Harbour dues', '412,00'],
];

async function writePage(size: [number, number], draw: (pdf: InstanceType<typeof Pdf>) => void): Promise<Buffer> {
  const pdf = new Pdf({ size, margin: 20 });
  const parts: Buffer[] = [];
  pdf.on('data', (part: Buffer) => parts.push(part));
  const ended = new Promise((resolve) => pdf.on('end', resolve));
  draw(pdf);
  pdf.end();
  await ended;
  return Buffer.concat(parts);
}

/** A receipt as a coarse scanner gives it: a PNG of 96 dpi, grey paper, blurred. */
export async function scanReceipt(): Promise<Buffer> {
  const printed = await writePage([300, 220], (pdf) => {
    pdf.font('Helvetica').fontSize(12).text(receiptTitle, 20, 20);
    receiptArticles.forEach(([name = '', amount = ''], row) => {
      pdf.text(name, 20, 60 + 24 * row, { lineBreak: false });
      pdf.text(amount, 160, 60 + 24 * row, { width: 120, align: 'right' });
    });
  });
  const reader = await openReader(printed, 'receipt.pdf');
  const { png } = await reader.render(1, 96 / 72).finally(() => reader.close());
  return sharp(png).greyscale().blur(0.7).linear(0.8, 35).withMetadata({ density: 96 }).png().toBuffer();
}

/** A PDF of one page, which is a picture of the receipt. */
export async function scanReceiptAsPdf(): Promise<Buffer> {
  const scan = await scanReceipt();
  return writePage([300, 220], (pdf) => pdf.image(scan, 0, 0, { width: 300 }));
}
