import { listFurnitureTexts } from './header-footer';

test.each([
  ['&L&"Arial,Bold"&12Annual report&C&A&RPage &P of &N', ['Annual report', 'Costs', 'Page  of']],
  ['&"Times New Roman,Regular"&12&A', ['Costs']],
  ['Smith && Sons &K000000draft', ['Smith & Sons draft']],
  ['&P', []],
  ['&D &T', []],
  ['', []],
])('%s is %j', (code, texts) => {
  expect(listFurnitureTexts(code, 'Costs')).toEqual(texts);
});
