import Pdf from 'pdfkit';
import { paragraph, sentence, title } from '../support/prose';
import type { Random } from '../support/random';
import type { Truth, TruthBlock } from './truth';

type Drawing = InstanceType<typeof Pdf>;

/** Pages that need no browser, because every element is drawn at a given position. */
export const drawnKinds: Record<string, (random: Random) => Promise<{ pdf: Uint8Array; truth: Truth }>> = {
  'drawn columns': drawColumns,
  'drawn boxes': drawBoxes,
  'drawn running heads': drawRunningHeads,
};

async function drawColumns(random: Random) {
  const [wide, gutter] = [random.integer(225, 232), random.integer(8, 20)];
  const blocks: TruthBlock[] = [];
  const pdf = await draw((page) => {
    blocks.push({ kind: 'heading', text: title(random) });
    page
      .font('Helvetica-Bold')
      .fontSize(18)
      .text(getText(blocks), 60, 60, { width: 480 })
      .font('Helvetica')
      .fontSize(10);
    const top = page.y + 16;
    let bottom = top;
    for (const column of [0, 1]) {
      page.y = top;
      for (let index = 0; index < 3; index += 1) {
        blocks.push({ kind: 'text', text: paragraph(random, random.integer(3, 5)) });
        const options = { width: wide, align: 'justify' as const };
        page.text(getText(blocks), 60 + column * (wide + gutter), page.y + 6, options);
      }
      bottom = Math.max(bottom, page.y);
    }
    blocks.push({ kind: 'text', text: paragraph(random, 3) });
    page.text(getText(blocks), 60, bottom + 14, { width: 2 * wide + gutter });
  });
  return { pdf, truth: { kind: 'drawn columns', blocks, furniture: [] } };
}

/** Text in coloured boxes, some with a frame, below each other. */
async function drawBoxes(random: Random) {
  const blocks: TruthBlock[] = [];
  const pdf = await draw((page) => {
    page.fontSize(10);
    for (let index = 0; index < 9; index += 1) {
      const [x, y] = [60 + (index % 3) * 165, 80 + Math.floor(index / 3) * 130];
      const text = sentence(random);
      page.rect(x, y, 155, 110).fill('#dde8ff');
      page.rect(x, y, 155, 110).stroke();
      page.fillColor('black').text(text, x + 8, y + 8, { width: 139 });
      blocks.push({ kind: 'text', text });
    }
    blocks.push({ kind: 'text', text: paragraph(random, 4) });
    page.text(getText(blocks), 60, 490, { width: 480 });
  });
  return { pdf, truth: { kind: 'drawn boxes', blocks, furniture: [] } };
}

async function drawRunningHeads(random: Random) {
  const blocks: TruthBlock[] = [];
  const furniture: string[] = [];
  const head = title(random);
  const pdf = await draw((page) => {
    for (let pageNo = 1; pageNo <= 4; pageNo += 1) {
      if (pageNo > 1) page.addPage();
      const left = pageNo % 2 === 0;
      furniture.push(head, String(pageNo));
      page.page.margins = { top: 0, bottom: 0, left: 0, right: 0 };
      page.fontSize(8).text(head, left ? 90 : 60, 36, { lineBreak: false });
      page.text(String(pageNo), left ? 60 : 530, 800, { lineBreak: false });
      page.fontSize(10).y = 80;
      for (let index = 0; index < 6; index += 1) {
        blocks.push({ kind: 'text', text: paragraph(random, 4) });
        page.text(getText(blocks), 60, page.y + 8, { width: 470 });
      }
    }
  });
  return { pdf, truth: { kind: 'drawn running heads', blocks, furniture } };
}

/** The text of the last block. */
function getText(blocks: readonly TruthBlock[]): string {
  const last = blocks.at(-1);
  return last && 'text' in last ? last.text : '';
}

function draw(content: (page: Drawing) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pdf = new Pdf({ size: 'A4', margin: 36, info: { CreationDate: new Date(0) } });
    const parts: Buffer[] = [];
    pdf.on('data', (part: Buffer) => parts.push(part));
    pdf.on('end', () => resolve(new Uint8Array(Buffer.concat(parts))));
    pdf.on('error', reject);
    content(pdf);
    pdf.end();
  });
}
