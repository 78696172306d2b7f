import { treeProblems } from '../../../document/validate';
import { toMarkdown } from '../../../document/write/markdown';
import { convertBytes } from '../../convert';
import { odfFile, odfXml } from '../test-support';

const frame = (inner: string, attributes = '') => `<draw:frame ${attributes}>${inner}</draw:frame>`;
const box = (inner: string) => `<draw:text-box>${inner}</draw:text-box>`;
const p = (inner: string) => `<text:p>${inner}</text:p>`;
const slide = (name: string, inner: string, attributes = '') =>
  `<draw:page draw:name="${name}" ${attributes}>${inner}</draw:page>`;
const styles = odfXml(
  'office:document-styles',
  '<office:automatic-styles><style:page-layout style:name="PM1"><style:page-layout-properties fo:page-width="10in" fo:page-height="5in"/></style:page-layout></office:automatic-styles>' +
    '<office:master-styles><style:master-page style:name="M" style:page-layout-name="PM1"/></office:master-styles>',
);

async function readSlides(slides: string, options: { styles?: string } = {}) {
  const bytes = odfFile('presentation', slides, { ...options, parts: { 'styles.xml': styles } });
  const { document, pages, format } = await convertBytes({ bytes, name: 'talk.odp' });
  expect(treeProblems(document)).toEqual([]);
  expect(format).toBe('odp');
  return { document, pages };
}

test('a slide is a group and a page; its title is found by class, else in the first shape, else it is the name of the slide', async () => {
  const { document, pages } = await readSlides(
    slide(
      'a',
      frame(box(p('Text')), 'svg:x="1in" svg:y="1in" svg:width="2in" svg:height="0.5in"') +
        frame(box(p('Head')), 'presentation:class="title"'),
      'draw:master-page-name="M"',
    ) +
      slide(
        'b',
        `<draw:custom-shape>${p('Shape')}<draw:enhanced-geometry/></draw:custom-shape><draw:g><draw:rect>${p('In a group')}</draw:rect></draw:g>`,
      ) +
      slide('Third', frame(box(p('Only text')))),
  );
  expect(pages).toBe(3);
  expect(toMarkdown(document)).toBe('Text\n\n# Head\n\n# Shape\n\nIn a group\n\n# Third\n\nOnly text');
  expect(document.groups.map(({ name, label }) => [name, label])).toEqual([
    ['slide-0', 'chapter'],
    ['slide-1', 'chapter'],
    ['slide-2', 'chapter'],
  ]);
  expect(document.pages['1']!.size).toEqual({ width: 720, height: 360 });
  expect(document.texts[0]!.prov).toEqual([
    { page_no: 1, bbox: { l: 72, t: 72, r: 216, b: 108, coord_origin: 'TOPLEFT' }, charspan: [0, 4] },
  ]);
});

test('a title that nobody filled is no heading', async () => {
  const { document } = await readSlides(
    slide('a', frame(box(p('')), 'presentation:class="title"') + frame(box(p('Text')))),
  );
  expect(toMarkdown(document)).toBe('Text');
});

test("lists, tables and speaker's notes are read; a hidden slide is marked", async () => {
  const hidden =
    '<style:style style:name="dp" style:family="drawing-page"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>';
  const table =
    '<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell><table:table-cell/></table:table-row></table:table>';
  const { document } = await readSlides(
    slide(
      'a',
      frame(box(p('Head')), 'presentation:class="title"') +
        frame(box(`<text:list><text:list-item>${p('one')}</text:list-item></text:list>`)) +
        frame(`${table}<draw:image xlink:href="Pictures/preview.svm"/>`) +
        `<presentation:notes>${frame(box(p('Say hello.')), 'presentation:class="notes"')}</presentation:notes>`,
      'draw:style-name="dp"',
    ),
    { styles: hidden },
  );
  expect(toMarkdown(document)).toBe('# Head\n\n- one\n\n| a   |\n|-----|');
  expect(document.texts.find(({ text }) => text === 'Say hello.')?.content_layer).toBe('notes');
  expect(document.groups[0]!.meta).toEqual({ docloom__hidden: true });
  expect(document.pictures).toEqual([]);
});
