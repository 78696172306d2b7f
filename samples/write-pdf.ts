import Pdf from 'pdfkit';
import type { Block } from './texts';

type Document = InstanceType<typeof Pdf>;

/** A PDF with a text layer, ruled tables, and page numbers at the foot. The same blocks give the same bytes. */
export async function writePdf(title: string, blocks: readonly Block[], userPassword?: string): Promise<Uint8Array> {
  const document = new Pdf({
    size: 'A4',
    margin: 64,
    pdfVersion: '1.4',
    // The date of the file: a clock here would change the bytes with every run.
    info: { Title: title, Author: 'Brackwater Instruments Ltd', CreationDate: new Date('2025-02-03T09:00:00Z') },
    ...(userPassword ? { userPassword, ownerPassword: `${userPassword}-owner` } : {}),
  });
  const chunks: Buffer[] = [];
  const finished = new Promise<void>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', resolve);
    document.on('error', reject);
  });
  let page = 1;
  for (const block of blocks) {
    if ('pageBreak' in block) {
      drawFooter(document, page);
      document.addPage();
      page += 1;
    } else draw(document, block);
  }
  drawFooter(document, page);
  document.end();
  await finished;
  return Buffer.concat(chunks);
}

function draw(document: Document, block: Exclude<Block, { pageBreak: true }>): void {
  document.font('Helvetica').fontSize(10.5).fillColor('#1a1a1a');
  if ('heading' in block) {
    const size = [0, 20, 14, 12][block.level ?? 2] ?? 12;
    document.moveDown(0.6).font('Helvetica-Bold').fontSize(size).text(block.heading).moveDown(0.4);
  } else if ('text' in block) document.text(block.text).moveDown(0.6);
  else if ('list' in block) {
    block.list.forEach((item, index) =>
      document.text(`${block.ordered ? `${index + 1}.` : '•'} ${item}`, { indent: 14 }),
    );
    document.moveDown(0.6);
  } else if ('table' in block) drawTable(document, block.table);
  else document.fillColor('#1a4e8a').text(`${block.link}: ${block.url}`).moveDown(0.6);
}

function drawTable(document: Document, rows: readonly (readonly string[])[]): void {
  const { left, right } = document.page.margins;
  const width = document.page.width - left - right;
  const columns = Math.max(...rows.map((row) => row.length));
  const cell = width / columns;
  const edges = [document.y];
  rows.forEach((row, index) => {
    const top = edges[index] ?? 0;
    document.font(index === 0 ? 'Helvetica-Bold' : 'Helvetica');
    row.forEach((text, column) => document.text(text, left + column * cell + 5, top + 5, { width: cell - 10 }));
    edges.push(top + 8 + Math.max(...row.map((text) => document.heightOfString(text, { width: cell - 10 }))));
  });
  const [top = 0, bottom = 0] = [edges[0], edges.at(-1)];
  document.lineWidth(0.6);
  for (const edge of edges)
    document
      .moveTo(left, edge)
      .lineTo(left + width, edge)
      .stroke();
  for (let column = 0; column <= columns; column++) {
    document
      .moveTo(left + column * cell, top)
      .lineTo(left + column * cell, bottom)
      .stroke();
  }
  document.x = left;
  document.y = bottom;
  document.font('Helvetica').moveDown(1);
}

function drawFooter(document: Document, page: number): void {
  const { y } = document;
  document.page.margins.bottom = 20;
  document.font('Helvetica').fontSize(8).fillColor('#666666');
  document.text(`Brackwater Instruments Ltd  |  page ${page}`, 64, document.page.height - 48, { lineBreak: false });
  document.page.margins.bottom = 64;
  document.x = 64;
  document.y = y;
}
