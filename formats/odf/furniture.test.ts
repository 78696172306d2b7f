import { treeProblems } from '../../document/validate';
import { convertBytes } from '../convert';
import { odfFile, odfXml } from './test-support';

const p = (inner: string) => `<text:p>${inner}</text:p>`;
const master = (name: string, inner: string, more = '') =>
  `<style:master-page style:name="${name}" ${more}>${inner}</style:master-page>`;
const styles = (masters: string) =>
  odfXml('office:document-styles', `<office:master-styles>${masters}</office:master-styles>`);

async function getFurniture(bytes: Uint8Array, name: string, profile?: 'reference') {
  const { document } = await convertBytes({ bytes, name, ...(profile ? { profile } : {}) });
  expect(treeProblems(document)).toEqual([]);
  return document.texts.filter((text) => text.content_layer === 'furniture').map(({ text }) => text);
}

test('headers and footers of used masters are furniture, once; lone page numbers are omitted', async () => {
  const masters =
    master(
      'Standard',
      `<style:header>${p('Report')}</style:header><style:header-left style:display="false">${p('Left')}</style:header-left>` +
        `<style:footer>${p('<text:page-number>3</text:page-number>')}</style:footer>`,
    ) +
    master('First', `<style:header>${p('Cover')}</style:header>`, 'style:next-style-name="Next"') +
    master('Next', `<style:header>${p('Report')}</style:header><style:footer>${p('Confidential')}</style:footer>`) +
    master('Unused', `<style:header>${p('Envelope')}</style:header>`);
  const bytes = odfFile('text', p('Text.'), {
    styles: '<style:style style:name="P1" style:family="paragraph" style:master-page-name="First"/>',
    parts: { 'styles.xml': styles(masters) },
  });
  expect(await getFurniture(bytes, 'a.odt')).toEqual(['Report', 'Cover', 'Confidential']);
  expect(await getFurniture(bytes, 'a.odt', 'reference')).toEqual([]);
});

test('the three regions of a spreadsheet header are read in order', async () => {
  const regions = ['left', 'center', 'right'].map((at) => `<style:region-${at}>${p(at)}</style:region-${at}>`).join('');
  const masters = master('Default', `<style:header>${regions}</style:header>`);
  const bytes = odfFile('spreadsheet', '<table:table table:name="A"/>', { parts: { 'styles.xml': styles(masters) } });
  expect(await getFurniture(bytes, 'a.ods')).toEqual(['left', 'center', 'right']);
});

test('slides have the text of the master once, without its hints, and footers where they are shown', async () => {
  const box = (inner: string, more = '') =>
    `<draw:frame ${more}><draw:text-box>${p(inner)}</draw:text-box></draw:frame>`;
  const masters = master('M', box('Click to add', 'presentation:class="title"') + `<draw:g>${box('ACME')}</draw:g>`);
  const page = (style: string) =>
    `<draw:page draw:master-page-name="M" draw:style-name="${style}" presentation:use-footer-name="f">${box('Hi')}</draw:page>`;
  const look = (name: string, shows: boolean) =>
    `<style:style style:name="${name}" style:family="drawing-page"><style:drawing-page-properties presentation:display-footer="${shows}"/></style:style>`;
  const decl = '<presentation:footer-decl presentation:name="f">Spring 2026</presentation:footer-decl>';
  const bytes = odfFile('presentation', decl + page('yes') + page('no'), {
    styles: look('yes', true) + look('no', false),
    parts: { 'styles.xml': styles(masters) },
  });
  expect(await getFurniture(bytes, 'a.odp')).toEqual(['Spring 2026', 'ACME']);
  const typed = master('M', box('Typed by hand', 'presentation:class="footer"'));
  const own = (style: string) =>
    odfFile('presentation', page(style), {
      styles: look('yes', true) + look('no', false),
      parts: { 'styles.xml': styles(typed) },
    });
  expect(await getFurniture(own('yes'), 'a.odp')).toEqual(['Typed by hand']);
  expect(await getFurniture(own('no'), 'a.odp')).toEqual([]);
});

test('deleted text of an OpenDocument text is counted', async () => {
  const tracked = `<text:tracked-changes><text:changed-region><text:deletion>${p('two words')}</text:deletion></text:changed-region></text:tracked-changes>`;
  const { document, coverage } = await convertBytes({ bytes: odfFile('text', tracked + p('kept')), name: 'a.odt' });
  expect(document.texts.map(({ text }) => text)).toEqual(['kept']);
  expect(coverage).toEqual([{ kind: 'deleted text', count: 1, words: 2, in_json: false }]);
});
