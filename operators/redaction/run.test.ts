import type { Row } from '../../model/flow/row';
import { contextFor, documentRow } from '../../test/support/operators/operator-test-support';
import { run } from './run';
import { redaction, type RedactionConfig } from './schema';

const masked = async (text: string, config: RedactionConfig) =>
  (await run([documentRow('a', text)], config, contextFor())).rows[0] as Row;

test('each match is masked, character for character, and counted', async () => {
  const rows = [documentRow('a', 'I am John.'), documentRow('b', 'nobody'), documentRow('c', 'John and John')];
  const config = { redaction_regex: 'John', redaction_masking_character: 'X' };
  const result = await run(rows, config, contextFor());
  expect(result.rows.map(({ content }) => content)).toEqual(['I am XXXX.', 'nobody', 'XXXX and XXXX']);
  expect(result.rows.map((row) => row['redaction_stats'])).toEqual([1, 0, 2]);
  expect(result.metrics).toEqual({ total_redactions: 3 });
});

test('a social security number becomes eleven stars, and only matches are masked', async () => {
  expect((await masked('SSN 123-45-6789, ssn xyz', { redaction_regex: '\\d{3}-\\d{2}-\\d{4}' })).content).toBe(
    'SSN ***********, ssn xyz',
  );
  // The literal that matched stays where the pattern does not match.
  expect((await masked('id: 42, page 42', { redaction_regex: 'id: \\d+' })).content).toBe('******, page 42');
});

test('several patterns may overlap; characters beyond the basic plane are one character', async () => {
  const row = await masked('call 😀😀 now', { redaction_regex: ['call 😀', '😀+'] });
  expect(row.content).toBe('******* now');
  expect(row['redaction_stats']).toBe(1);
});

test('letter case matters unless the pattern ignores it, and an empty match masks nothing', async () => {
  expect((await masked('John JOHN', { redaction_regex: 'john' })).content).toBe('John JOHN');
  expect((await masked('John JOHN', { redaction_regex: '(?i)john' })).content).toBe('**** ****');
  expect((await masked('abc', { redaction_regex: 'x*' })).content).toBe('abc');
});

test('columns derived from the text are masked too, and the reference to the full document is removed', async () => {
  const row = documentRow('a', '# Offer to John', {
    document_ref: 'documents/job/a.json',
    headings: ['Offer to John'],
    metadata: { title: 'Offer to John', extension: 'md' },
  });
  const before = structuredClone(row);
  const { rows } = await run(
    [row, documentRow('b', 'x', { document_ref: 'r' })],
    { redaction_regex: 'John' },
    contextFor(),
  );
  expect(rows[0]).toMatchObject({ headings: ['Offer to ****'], metadata: { title: 'Offer to ****', extension: 'md' } });
  expect(rows[0]).not.toHaveProperty('document_ref');
  expect(rows[1]?.document_ref).toBe('r');
  expect(row).toEqual(before);
});

test('a pattern that backtracks exponentially elsewhere takes linear time', async () => {
  const evil = `${'a'.repeat(200_000)}!`;
  expect((await masked(evil, { redaction_regex: '(a+)+$' })).content).toBe(evil);
  expect((await masked(evil, { redaction_regex: '(a|aa)+$' })).content).toBe(evil);
});

test('a text that is too slow even then fails alone, within its time', async () => {
  const slow = 'a'.repeat(400_000);
  const config = { redaction_regex: '(?s)(a.*b|a)', timeout: 0.2001 };
  const { rows, failed } = await run([documentRow('a', slow), documentRow('b', 'ab')], config, contextFor());
  expect(rows.map(({ content }) => content)).toEqual(['**']);
  expect(failed).toMatchObject([
    { id: 'a', code: 'OPERATOR_EXECUTION_FAILED', message: expect.stringContaining('0.2001 seconds') },
  ]);
});

test('a cancellation ends it amid a text', async () => {
  const controller = new AbortController();
  const rows = [documentRow('a', 'a'.repeat(400_000))];
  const running = run(rows, { redaction_regex: '(?s)(a.*b|a)' }, contextFor({}, { signal: controller.signal }));
  controller.abort();
  await expect(running).rejects.toThrow('abort');
});

test('patterns that RE2 does not support are rejected with their position', () => {
  const problems = redaction.validate({ redaction_regex: ['fine', '(unclosed', '(?<=x)y'] });
  expect(problems.map(({ pointer }) => pointer)).toEqual(['/redaction_regex/1', '/redaction_regex/2']);
  expect(redaction.validate({ redaction_regex: '\\1' })).toMatchObject([{ pointer: '/redaction_regex' }]);
  expect(redaction.validate({ redaction_regex: 'x', redaction_masking_character: 'ab' })).toMatchObject([
    { pointer: '/redaction_masking_character' },
  ]);
  expect(redaction.validate({ redaction_regex: 'x', redaction_masking_character: '█' })).toEqual([]);
});
