import { encode } from 'iconv-lite';
import { guessEncoding } from './guess';

test.each([
  ['shift_jis', '名前,都市\n太郎,東京\n花子,大阪\n'],
  ['euc-jp', 'これは日本語の文章です。文字コードを調べます。'],
  ['euc-kr', '이름,도시\n철수,서울\n영희,부산에 있는 사람\n'],
  ['gb18030', '姓名,城市\n我们的国家是中国,上海的人\n'],
  ['big5', '姓名,城市\n我們的國家是中國,臺北的人\n'],
  ['windows-1251', 'имя,город\nИван,Москва\n'],
  ['windows-1251', 'ПРИВЕТ, это обычный русский текст.'],
  ['koi8-r', 'Привет, это обычный русский текст.'],
  ['windows-1252', 'José lebt in Málaga, Größe: 5 €, déjà vu – señor “quoted”.'],
  ['windows-1252', 'Ä Ö Ü'],
])('%s is recognized by its characters', (encoding, text) => {
  expect(guessEncoding(encode(text, encoding))).toBe(encoding);
});

test('bytes of no known script are windows-1252', () => {
  const bytes = Uint8Array.from({ length: 4096 }, (_, at) => 0x80 + ((at * 37) % 128));
  expect(guessEncoding(bytes)).toBe('windows-1252');
});
