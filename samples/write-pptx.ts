import PptxGenJS from 'pptxgenjs';
import type { slides } from './plain-texts';
import { repack } from './repack';

/** A presentation with titles, bullet points, tables and speaker notes. The same slides give the same bytes. */
export async function writePptx(title: string, content: typeof slides): Promise<Uint8Array> {
  const presentation = new PptxGenJS();
  presentation.title = title;
  presentation.company = 'Brackwater Instruments Ltd';
  presentation.defineSlideMaster({
    title: 'PLAIN',
    background: { color: 'FFFFFF' },
    objects: [
      {
        placeholder: {
          options: { name: 'title', type: 'title', x: 0.5, y: 0.3, w: 9, h: 0.9, fontSize: 30, bold: true },
          text: '',
        },
      },
      {
        placeholder: { options: { name: 'body', type: 'body', x: 0.5, y: 1.4, w: 9, h: 2.2, fontSize: 18 }, text: '' },
      },
    ],
  });
  for (const { title: heading, points, table, notes } of content) {
    const slide = presentation.addSlide({ masterName: 'PLAIN' });
    slide.addText(heading, { placeholder: 'title' });
    slide.addText(
      points.map((text) => ({ text, options: { bullet: true, breakLine: true } })),
      { placeholder: 'body' },
    );
    if (table)
      slide.addTable(
        table.map((row) => row.map((text) => ({ text }))),
        { x: 0.5, y: 3.8, w: 9, fontSize: 14, border: { pt: 1, color: '888888' } },
      );
    slide.addNotes(notes);
  }
  return repack((await presentation.write({ outputType: 'uint8array' })) as Uint8Array);
}
