import type { Row } from '../../model/flow/row';
import { detectLanguage } from '../lang_detect/run';
import { detectLanguages } from './language';

const row = (id: string, content: string, columns: Partial<Row> = {}): Row => ({
  id,
  name: id,
  path: id,
  content,
  ...columns,
});
const code = Array.from({ length: 20 }, () => '=> { } B2 C3 d e f g h').join('\n');
const english = 'This function returns the number of values that were found before the given place.';
const german = 'Diese Funktion liefert die Anzahl der Werte, die vor der angegebenen Stelle gefunden wurden.';

test.each([
  ['en', english],
  ['de', german],
])('a document that is mostly code gets the language of its few sentences: %s', (language, sentence) => {
  const text = `${code}\n${sentence} ${sentence}`;
  expect(detectLanguage(text).lang_name).toBe('UNKNOWN');
  expect(detectLanguages([row('a', text)])).toEqual(new Map([['a', language]]));
});

test('no language is guessed for code alone, for a dump of bytes, and for a short text', () => {
  const dump = Array.from({ length: 40 }, () => '0x1f 22 b$ A1 Q9').join('\n');
  const short = `=> { } B2 C3 d e f g h\n${code.slice(0, 200)}\n${english}`;
  expect(detectLanguage(short).lang_name).toBe('UNKNOWN');
  expect(detectLanguages([row('code', code), row('dump', dump), row('short', short)])).toEqual(new Map());
});

test('a language that lang_detect wrote is not guessed again', () => {
  const written = row('a', `${code}\n${english}`, { lang_name: 'fr' });
  expect(detectLanguages([written])).toEqual(new Map([['a', 'fr']]));
});
