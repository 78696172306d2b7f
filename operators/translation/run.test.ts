import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { paragraphs, writingModel } from '../../test/support/operators/writing-model';
import { run } from './run';

const settings = { provider_config: { model_id: 'm' } };

test('a translation keeps the order of sections, uses the glossary, and skips texts in the target language', async () => {
  const { llm, asked } = writingModel((text) => ({ text: text.slice(0, 7) }));
  const rows = [documentRow('a', paragraphs), documentRow('b', 'Der Pegel.', { lang_name: 'de' })];
  const config = { ...settings, target_language: 'de', max_doc_chars: 1_000, glossary: { word: 'Wort', other: 'x' } };
  const { rows: done } = await run(rows, config, contextFor({ llm }));
  expect(String(done[0]?.['translation']).split('\n\n')).toEqual(['Part 0.', 'Part 2.', 'Part 4.']);
  expect(done[1]?.['translation']).toBe('Der Pegel.');
  expect(asked.every(({ messages }) => messages[0]?.content.includes('- word: Wort'))).toBe(true);
  expect(asked.some(({ messages }) => messages[0]?.content.includes('other'))).toBe(false);
});
