import { type Drawing, labelled, prose, readDrawn } from './pdf-test-support';

const steps = ['Read the gauge', 'Compare it', 'Report it'];

function boxes(pdf: Drawing): void {
  pdf.fontSize(8);
  steps.forEach((text, index) => {
    pdf.roundedRect(80 + index * 140, 100, 110, 40, 6).stroke();
    pdf.text(text, 90 + index * 140, 116, { lineBreak: false });
  });
  pdf.fontSize(10);
}

test('a few boxes whose caption names a figure are a picture with their words as labels', async () => {
  const document = await readDrawn((pdf) => {
    boxes(pdf);
    pdf.text('Figure 1: The steps of the morning', 72, 150).text(prose, 72, 180);
  });
  expect(document.pictures).toHaveLength(1);
  const labels = document.texts.filter(({ parent }) => parent?.$ref === '#/pictures/0').map(({ text }) => text);
  expect(labels).toEqual(expect.arrayContaining([...steps, 'Figure 1: The steps of the morning']));
});

test('without a caption the words in boxes are text', async () => {
  const document = await readDrawn((pdf) => {
    boxes(pdf);
    pdf.text(prose, 72, 180);
  });
  expect(document.pictures).toEqual([]);
  expect(labelled(document, 'text')).toEqual(expect.arrayContaining(steps));
});

test('a row of equal shapes with words past their sides is a diagram; boxes that contain their words are not', async () => {
  const shapes = (pdf: Drawing, wide: number) => {
    for (const [index, text] of steps.entries()) {
      const left = 80 + index * 140;
      pdf
        .moveTo(left, 120)
        .lineTo(left + wide, 95)
        .lineTo(left + wide, 145)
        .fill('#8888ff')
        .fillColor('black');
      pdf.text(text, left - 4, 115, { lineBreak: false });
    }
    pdf.text(prose, 72, 180);
  };
  expect((await readDrawn((pdf) => shapes(pdf, 60))).pictures).toHaveLength(1);
  const inside = await readDrawn((pdf) => {
    for (const [index, text] of steps.entries()) {
      pdf
        .ellipse(130 + index * 140, 120, 60, 25)
        .fill('#8888ff')
        .fillColor('black');
      pdf.text(text, 95 + index * 140, 115, { lineBreak: false });
    }
    pdf.text(prose, 72, 180);
  });
  expect(inside.pictures).toEqual([]);
});

test('numbers beside a drawing and the axis name below them are labels', async () => {
  const document = await readDrawn((pdf) => {
    pdf.fontSize(10).text(prose, 72, 60);
    for (let index = 0; index < 10; index += 1) pdf.ellipse(100 + index * 20, 150 + index * 8, 4, 4).fill('#8888ff');
    pdf.fillColor('black').fontSize(7);
    for (const [index, text] of ['0', '20', '40'].entries())
      pdf.text(text, 100 + index * 70, 232, { lineBreak: false });
    pdf.text('Recall', 180, 244, { lineBreak: false });
    pdf.fontSize(10).text(prose, 72, 290);
  });
  expect(labelled(document, 'text').filter((text) => text !== prose)).toEqual(['0', '20', '40', 'Recall']);
  const labels = document.texts.filter(({ parent }) => parent?.$ref === '#/pictures/0');
  expect(labels.map(({ text }) => text).toSorted()).toEqual(['0', '20', '40', 'Recall']);
});

test('links below each other with drawn bullets, or with backgrounds behind their names, are a list and no drawing', async () => {
  const names = ['Overview', 'Contributors', 'Changes', 'Matrix', 'Tools', 'Harbour'];
  const isListed = async (isCode: boolean) => {
    const { texts, pictures } = await readDrawn((pdf) => {
      pdf.fontSize(11).text(prose, 72, 72, { width: 450 }).text(prose, { width: 450 });
      names.forEach((name, index) => {
        const y = 260 + 18 * index;
        const width = pdf.widthOfString(name);
        pdf.roundedRect(80.2, y + 3.7, 3.6, 3.6, 1.8).fill('#000000');
        if (isCode)
          pdf
            .roundedRect(90, y - 2, width + 4, 14, 3)
            .fill('#eeeeee')
            .fillColor('#000000');
        pdf.text(`${name} of the pier`, 92, y, { lineBreak: false });
        pdf
          .moveTo(92, y + 11)
          .lineTo(92 + width, y + 11)
          .lineWidth(0.6)
          .stroke();
      });
    });
    return pictures.length === 0 && texts.filter(({ label }) => label === 'list_item').length === names.length;
  };
  expect(await isListed(false)).toBe(true);
  expect(await isListed(true)).toBe(true);
});

test('monospaced names behind drawn bullets are items of their own', async () => {
  const names = ['Z_NO_FLUSH', 'Z_SYNC_FLUSH', 'Z_FINISH', 'Z_BLOCK'];
  const document = await readDrawn((pdf) => {
    pdf.fontSize(11).text(prose, 72, 72, { width: 450 }).font('Courier');
    names.forEach((name, index) => {
      const y = 160 + 18 * index;
      pdf.roundedRect(80.2, y + 3.7, 3.6, 3.6, 1.8).fill('#000000');
      pdf.text(`zlib.${name}`, 92, y, { lineBreak: false });
    });
  });
  expect(labelled(document, 'list_item')).toEqual(names.map((name) => `zlib.${name}`));
});
