import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { detectLanguage, run } from './run';

const texts: Record<string, string> = {
  en: 'The invoice was paid on the last day of the month, and the delivery arrived two days later.',
  es: 'La factura fue pagada el último día del mes y la entrega llegó dos días después.',
  de: 'Die Rechnung wurde am letzten Tag des Monats bezahlt, und die Lieferung kam zwei Tage später.',
  fr: 'La facture a été payée le dernier jour du mois et la livraison est arrivée deux jours plus tard.',
  ja: '請求書は月末に支払われ、納品は二日後に届きました。',
  ru: 'Счёт был оплачен в последний день месяца, а доставка пришла через два дня.',
};

test.each(Object.entries(texts))('%s is recognized', (language, text) => {
  const detected = detectLanguage(text);
  expect(detected.lang_name).toBe(language);
  expect(detected.lang_score).toBeGreaterThan(0.5);
  expect(detected.lang_score).toBeLessThanOrEqual(1);
});

test.each(['', '   \n', '12 345,67', '😀😀', 'a'.repeat(200)])('%j has no known language', (text) => {
  expect(detectLanguage(text)).toEqual({ lang_name: 'UNKNOWN', lang_score: 0 });
});

test('a long text is recognized by its beginning, middle and end', () => {
  const long = `${texts['de']} `.repeat(20_000);
  expect(detectLanguage(long).lang_name).toBe('de');
});

test('adds the columns, and drops rows of unknown languages on request', async () => {
  const rows = [documentRow('a', texts['en']), documentRow('b', '123'), documentRow('c', undefined)];
  const all = await run(rows, {}, contextFor());
  expect(all.rows.map((row) => row['lang_name'])).toEqual(['en', 'UNKNOWN', 'UNKNOWN']);
  expect(all.metrics).toEqual({ unknown_languages: 2 });
  const known = await run(rows, { filter_unknown_language: true }, contextFor());
  expect(known.rows.map(({ id }) => id)).toEqual(['a']);
  expect(known.skipped?.map(({ id }) => id)).toEqual(['b', 'c']);
});

test('the language of another column can be detected', async () => {
  const { rows } = await run(
    [documentRow('a', texts['en'], { summary: texts['es'] })],
    { doc_column: 'summary' },
    contextFor(),
  );
  expect(rows[0]?.['lang_name']).toBe('es');
});

test('cached words give the same result as new ones', async () => {
  const rows = Object.entries(texts).flatMap(([id, text]) => [0, 1].map((copy) => documentRow(`${id}${copy}`, text)));
  const { rows: labelled } = await run(rows, {}, contextFor());
  expect(labelled.map((row) => row['lang_name'])).toEqual(
    Object.keys(texts).flatMap((language) => [language, language]),
  );
});
