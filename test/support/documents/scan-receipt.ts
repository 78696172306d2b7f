import sharp from 'sharp';
import { openReader } from '../../../formats/pdf/engine/reader';
import { draw } from '../../../formats/pdf/pdf-test-support';

export const receiptTitle = 'Receipt of the harbour office';

/** What the receipt lists, with amounts. */
export const receiptArticles = [
  ['Anchor chain', '1.250,40'],
  ['Mooring lines', '86,95'],
  ['Harbour dues', '412,00'],
];

const page = { size: [300, 220], margin: 20 };

/** A receipt as a coarse scanner gives it: a PNG of 96 dpi, grey paper, blurred. */
export async function scanReceipt(): Promise<Buffer> {
  const printed = await draw((pdf) => {
    pdf.font('Helvetica').fontSize(12).text(receiptTitle, 20, 20);
    receiptArticles.forEach(([name = '', amount = ''], row) => {
      pdf.text(name, 20, 60 + 24 * row, { lineBreak: false });
      pdf.text(amount, 160, 60 + 24 * row, { width: 120, align: 'right' });
    });
  }, page);
  const reader = await openReader(printed, 'receipt.pdf');
  const { png } = await reader.render(1, 96 / 72).finally(() => reader.close());
  return sharp(png).greyscale().blur(0.7).linear(0.8, 35).withMetadata({ density: 96 }).png().toBuffer();
}

/** A PDF of one page, which is a picture of the receipt. */
export async function scanReceiptAsPdf(): Promise<Uint8Array> {
  const scan = await scanReceipt();
  return draw((pdf) => pdf.image(scan, 0, 0, { width: 300 }), page);
}
