import { defaultChoice, readPages, buildOptions } from './choice';

test.each([
  ['3', [3, 3]],
  [' 2-5 ', [2, 5]],
  ['2 – 5', [2, 5]],
  ['4-', [4, Number.MAX_SAFE_INTEGER]],
  ['5-2', undefined],
  ['0', undefined],
  ['one', undefined],
  ['1,3', undefined],
  ['1e3', undefined],
])('the pages %j are %j', (text, pages) => {
  expect(readPages(text)).toEqual(pages);
});

test('only what was chosen is sent; languages only if text is recognized', () => {
  expect(buildOptions(defaultChoice, { size: 5_000_001 })).toEqual({ do_ocr: false });
  expect(buildOptions(defaultChoice, { size: 5_000_000 })).toEqual({ do_ocr: false, image_export_mode: 'embedded' });
  expect(buildOptions({ ...defaultChoice, languages: 'de' }, undefined)).toEqual({ do_ocr: false });
  expect(
    buildOptions({ ...defaultChoice, withOcr: true, languages: 'de, en;fr', pages: '1-2', password: ' x ' }, undefined),
  ).toEqual({
    do_ocr: true,
    ocr_lang: ['de', 'en', 'fr'],
    page_range: [1, 2],
    password: ' x ',
  });
});
