import { array, assert, constantFrom, property } from 'fast-check';
import { treeProblems } from '../../document/validate';
import { defaultLimits } from '../format';
import { readDoclang } from './read';
import { repairDoclang } from './repair';

const read = (written: string) =>
  readDoclang(Buffer.from(repairDoclang(written)), { name: 'p.dclg', limits: defaultLimits }, () => undefined, {
    pageNo: 4,
    width: 1_024,
    height: 512,
  });

test.each([
  ['well-formed', '<doclang version="0.7"><text>a &amp; b</text></doclang>', ['a & b']],
  ['with text around it', 'Here:\n```xml\n<doclang><text>a</text></doclang>\n```', ['a']],
  ['without its end tag', '<doclang><text>a</text><text>b', ['a', 'b']],
  ['cut off within an element', '<doclang><text>a</text><text>b</te', ['a', 'b']],
  [
    'with end tags in the wrong order',
    '<doclang><text>a <bold>b</text></bold><text>c</text></doclang>',
    ['', 'a', 'b', 'c'],
  ],
  ['with signs of XML as text', '<doclang><text>1 < 2 & 3 > 2 &lt; 4</text></doclang>', ['1 < 2 & 3 > 2 < 4']],
  ['with unescaped code', '<doclang><code><![CDATA[if (a < b && c) {}]]></code></doclang>', ['if (a < b && c) {}']],
  ['with unclosed code', '<doclang><code><![CDATA[x < y', ['x < y']],
])('an answer %s', (_name, written, expected) => {
  const texts = read(written).texts.map(({ text }) => text);
  expect(texts.filter((text) => text !== '')).toEqual(expected.filter((value) => value !== ''));
});

test('positions are points on the displayed page', () => {
  const places = [0, 128, 256, 512].map((value) => `<location value="${value}"/>`).join('');
  const document = read(`<doclang><text>${places}a</text></doclang>`);
  expect(document.texts[0]?.prov[0]).toMatchObject({ page_no: 4, bbox: { l: 0, t: 128, r: 512, b: 512 } });
  expect(document.pages['4']?.size).toEqual({ width: 1_024, height: 512 });
});

test('any model output becomes readable', () => {
  const piece = constantFrom(
    ...'<doclang>|</doclang>|<text>|</text>|<list class="ordered">|</list>|<ldiv/>|<table>|<fcel/>|<nl/>|</table>|<bold>|</bold>|<location value="7"/>|<picture>|<label value=\'a&b\'/>|<![CDATA[|]]>|&|<|x|<a b="|<heading level="2">|<page_break/>'.split(
      '|',
    ),
  );
  assert(
    property(array(piece, { maxLength: 50 }), (pieces) => {
      expect(treeProblems(read(`<doclang>${pieces.join('')}`))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
