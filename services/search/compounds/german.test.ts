import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { splitCompound } from './german';
import { joint, listQueryParts, markCompounds, unmarkCompounds } from './mark';

test.each([
  ['Krankenversicherungsbeitrag', 'Kranken|versicherungs|beitrag'],
  ['KRANKENVERSICHERUNG', 'KRANKEN|VERSICHERUNG'],
  ['Schulbücher', 'Schul|bücher'],
  ['Sonnenscheins', 'Sonnen|scheins'],
  ['Hundesteuerbescheide', 'Hunde|steuer|bescheide'],
  ['Straßenverkehrsordnung', 'Straßen|verkehrs|ordnung'],
  ['Strassenbahn', 'Strassen|bahn'],
  ['Arbeitnehmerinnen', 'Arbeitnehmerinnen'],
  ['wasserdichte', 'wasser|dichte'],
])('%s has its parts with the letters between them', (word, parts) => {
  expect(splitCompound(word).join('|')).toBe(parts);
});

test.each([
  ['Pegelmessung', 'Pegel|messung'],
  ['Qumranversicherung', 'Qumran|versicherung'],
  ['Versicherungsnomaden', 'Versicherungs|nomaden'],
  ['Wassererwärmung', 'Wasser|erwärmung'],
])('%s is split although a part is not in the list', (word, parts) => {
  expect(splitCompound(word).join('|')).toBe(parts);
});

test.each(
  'Versicherung Verwaltung Wissenschaft Unterschrift Gegenstand Widerstand Komponente Organisation Signatur Parameter Automatisch spezifische statistischen Angegebene beschriebene Akzeptanz Information Formulierung Industrialisierung Temperatur Literatur Reisende Wasser Schlager Instrument Phrasen Konstanten Wichtiger untersuchen Katharina Schleswig'.split(
    ' ',
  ),
)('%s is no compound', (word) => {
  expect(splitCompound(word)).toEqual([word]);
});

test.each([
  'handbook',
  'management',
  'understanding',
  'lightweight',
  'keyboard',
  'gouvernement',
  'entreprise',
  'renseignements',
  'constructor',
  'international',
  'performance',
  'Hausboot1',
  'haus_boot_reise',
  'x'.repeat(100_000),
])('a word of another language or a name stays whole: %.20s', (word) => {
  expect(splitCompound(word)).toEqual([word]);
});

test('a marked text is the text again without its marks, and marks of its own go', () => {
  const text = 'Die Krankenversicherung, 12 Hafenämter (KRANBAHN) – naïve Straßenbahn\u00ADfahrt.';
  const marked = markCompounds(text);
  expect(marked).toContain(`Kranken${joint}versicherung`);
  expect(marked.length).toBeGreaterThan(text.length);
  expect(unmarkCompounds(marked)).toBe(text);
  expect(markCompounds(marked)).toBe(marked);
  expect(markCompounds(`Ha${joint}us`)).toBe('Haus');
});

test('parts of a question in small letters: each once, with the sums of two', () => {
  expect(listQueryParts(['krankenversicherungsbeitrag', 'krankenkasse', 'beitrag'])).toEqual([
    'kranken',
    'versicherungs',
    'beitrag',
    'krankenversicherungs',
    'versicherungsbeitrag',
    'kasse',
  ]);
});

test('of a question of many compounds, forty parts count', () => {
  const nouns = [
    'kranken',
    'pflege',
    'renten',
    'unfall',
    'lebens',
    'hausrat',
    'rechtsschutz',
    'reise',
    'brand',
    'feuer',
  ];
  const words = ['versicherung', 'beitrag', 'verwaltung', 'vertrag', 'kasse', 'antrag'].flatMap((end) =>
    ['zahlung', 'rechnung', 'prüfung', 'ordnung'].map((last) => `${end}s${last}`),
  );
  const question = nouns.flatMap((noun) => words.map((rest) => `${noun}${rest}`));
  expect(listQueryParts(question)).toHaveLength(40);
});

test('a word made to have many readings takes no time', () => {
  const started = process.cpuUsage();
  for (let round = 0; round < 1_000; round++) splitCompound(`Ta${'gehafenstein'.repeat(4)}${'aeiou'[round % 5]}qq`);
  expect(process.cpuUsage(started).user).toBeLessThan(2_000_000);
});

test('words stay known without their texts', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const measure = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = measure();
  for (let round = 0; round < 40; round++) {
    markCompounds(`Krankenversicherungsnummer${'x'.repeat(round)} `.padEnd(2_000_000, '. '));
    markCompounds(`${'x'.repeat(2_000_000)}${round}`);
  }
  expect(measure() - before).toBeLessThan(20_000_000);
});
