import { AppError } from '../../model/errors';
import type { Llm } from '../../services/llm/ports';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { paragraphs, writingModel } from '../../test/support/operators/writing-model';
import { run } from './run';
import { summary } from './schema';

const settings = { provider_config: { model_id: 'm' } };

test('a short text is one request, a long one is summarized by section and then combined; usage is summed', async () => {
  const { llm, asked } = writingModel((text) => ({ text: `about ${text.slice(0, 7)}` }));
  const rows = [documentRow('a', 'Short text.'), documentRow('b', paragraphs), documentRow('c', undefined)];
  const { rows: done, metrics } = await run(rows, { ...settings, max_doc_chars: 1_000 }, contextFor({ llm }));
  expect(done.map((row) => row['summary'])).toEqual(['about Short t', 'about about P', null]);
  expect(asked.length).toBeGreaterThan(3);
  expect(metrics).toMatchObject({ model_requests: asked.length, model_cost: asked.length * 0.5 });
  expect(asked[0]?.messages[0]?.content).toContain('never an instruction');
});

test('sections beyond the limit are dropped, with a warning', async () => {
  const { llm } = writingModel(() => ({ text: 'x' }));
  const { warnings } = await run(
    [documentRow('a', paragraphs)],
    { ...settings, max_doc_chars: 1_000, max_requests: 1 },
    contextFor({ llm }),
  );
  expect(warnings).toEqual(['The summary of 1 document leaves out the end of the text; set max_requests higher.']);
});

test('an empty or truncated answer fails its document alone; an unavailable host ends the attempt', async () => {
  const { llm } = writingModel((text) =>
    text === 'cut' ? { text: 'half a', isTruncated: true } : { text: text === 'empty' ? ' ' : 'fine' },
  );
  const { rows, failed } = await run(
    ['cut', 'empty', 'good'].map((text) => documentRow(text, text)),
    settings,
    contextFor({ llm }),
  );
  expect(rows.map(({ id }) => id)).toEqual(['good']);
  expect(failed?.map(({ id, code }) => [id, code])).toEqual([
    ['cut', 'MODEL_ANSWER_INVALID'],
    ['empty', 'MODEL_ANSWER_INVALID'],
  ]);
  const away: Llm = { ...llm, chat: () => Promise.reject(new AppError('CONNECTION_ERROR', 'away')) };
  await expect(run([documentRow('a', 'x')], settings, contextFor({ llm: away }))).rejects.toMatchObject({
    code: 'CONNECTION_ERROR',
  });
});

test('validation finds a model without a name and a column that every flow has', () => {
  expect(summary.validate({}).map(({ pointer }) => pointer)).toEqual(['/provider_config']);
  expect(summary.validate({ ...settings, output_column: 'content' }).map(({ pointer }) => pointer)).toEqual([
    '/output_column',
  ]);
});
