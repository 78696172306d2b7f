import { AppError } from '../../model/errors';
import type { Row } from '../../model/flow/row';
import { listProblems } from '../../model/validate';
import { contextFor } from '../../test/support/operators/operator-test-support';
import type { OperatorContext } from '../operator';
import { run } from './run';
import { config, embeddings } from './schema';

type Embed = OperatorContext<'embedder'>['services']['embedder']['embed'];

const context = (embed: Embed, progress: (done: number) => void = () => undefined) =>
  contextFor({ embedder: { embed } }, { progress });
const chunk = (document: string, index: number, content: string): Row => ({
  id: `${document}_${index}`,
  document_id: document,
  chunk_index: index,
  name: `${document}.md`,
  path: '',
  content,
});
const lengths: Embed = (texts) => Promise.resolve(texts.map((text) => [text.length]));

describe('embeddings', () => {
  test('each row stores the vector of its content in the named column', async () => {
    const rows = [chunk('a', 0, 'x'), chunk('a', 1, 'xx'), { id: 'b', name: 'b', path: '' }];
    const result = await run(rows, { embeddings_column: 'v' }, context(lengths));
    expect(result.rows).toEqual([
      { ...rows[0], v: [1] },
      { ...rows[1], v: [2] },
      { ...rows[2], v: null },
    ]);
    expect(result.metrics).toEqual({ total_embeddings: 2 });
    expect(result.warnings).toEqual(["'b' has no text and gets no vector."]);
    expect(rows[0]).not.toHaveProperty('v');
  });

  test('the configuration reaches the embedder and the default column is embeddings', async () => {
    const input: unknown[] = [];
    const result = await run(
      [chunk('a', 0, 'x')],
      { type: 'hashing', provider_config: { dimensions: 3 } },
      context((texts, settings, signal) => {
        input.push(settings);
        return lengths(texts, settings, signal);
      }),
    );
    expect(input).toEqual([{ type: 'hashing', provider_config: { dimensions: 3 } }]);
    expect(result.rows[0]?.['embeddings']).toEqual([1]);
  });

  test('a text that the host rejects fails its document with all its chunks; the others continue', async () => {
    let calls = 0;
    const refusing: Embed = (texts, settings, signal) => {
      calls++;
      if (texts.includes('bad')) return Promise.reject(new AppError('EMBEDDING_REFUSED', 'too long'));
      return lengths(texts, settings, signal);
    };
    const rows = [
      ...Array.from({ length: 20 }, (_, index) => chunk('good', index, 'x')),
      chunk('bad', 0, 'x'),
      chunk('bad', 1, 'bad'),
      chunk('bad', 2, 'bad'),
    ];
    const result = await run(rows, {}, context(refusing));
    expect(result.rows.map(({ document_id }) => document_id)).toEqual(Array.from({ length: 20 }, () => 'good'));
    expect(result.failed).toEqual([
      { id: 'bad', name: 'bad.md', code: 'EMBEDDING_REFUSED', message: 'Chunk 1: too long' },
    ]);
    expect(calls).toBeLessThan(15);
  });

  test('token counts of the model host are in the metrics', async () => {
    const counting: Embed = (texts, settings, signal, { onUsage } = {}) => {
      onUsage?.({ requests: 1, inputTokens: 7, outputTokens: 0, cost: 0.5, fromCache: 0 });
      onUsage?.({ requests: 1, inputTokens: 3, outputTokens: 0, cost: 0.25, fromCache: 2 });
      return lengths(texts, settings, signal);
    };
    const { metrics } = await run([chunk('a', 0, 'x')], {}, context(counting));
    expect(metrics).toEqual({
      total_embeddings: 1,
      model_requests: 2,
      model_input_tokens: 10,
      model_cost: 0.75,
      model_answers_from_cache: 2,
    });
  });

  test('if all rows lack text, no request is sent', async () => {
    const never: Embed = () => Promise.reject(new Error('asked'));
    const { rows, warnings } = await run([chunk('a', 0, ' \n'), chunk('a', 1, '')], {}, context(never));
    expect(rows.map((row) => row['embeddings'])).toEqual([null, null]);
    expect(warnings).toEqual([expect.stringContaining("2 rows, 'a.md' among them, have no text")]);
  });

  test('any other error of the host is passed on', async () => {
    const away: Embed = () => Promise.reject(new AppError('LOCALMODEL_CONNECTION_FAILED', 'away'));
    await expect(run([chunk('a', 0, 'x')], {}, context(away))).rejects.toMatchObject({
      code: 'LOCALMODEL_CONNECTION_FAILED',
    });
  });
});

describe('embeddings configuration', () => {
  const codes = (input: Record<string, unknown>) =>
    embeddings.validate(input).map(({ severity, messageCode }) => [severity, messageCode]);

  test.each([
    {},
    { type: 'hashing' },
    { type: 'local_api', provider_config: { model_id: 'm' } },
    { provider: 'ollama', provider_config: { model_id: 'm' } },
    { provider: 'openai', provider_config: { model_id: 'm' } },
    { type: 'gateway', provider_config: { model_id: 'm', api_base: 'http://gateway/v1' } },
    { provider: 'watsonx', provider_config: { model_id: 'm', container_id: 'c', api_key: 'k' } },
    { type: 'onnx', provider_config: { model_id: 'm' }, token_limit: 256, overlap_ratio: 0 },
  ])('%j is valid', (input) => {
    expect(codes(input)).toEqual([]);
    expect(listProblems(config, structuredClone(input))).toEqual([]);
  });

  test('defaults are not filled in if they would hide the alias', () => {
    const input = { provider: 'ollama' };
    listProblems(config, input);
    expect(input).not.toHaveProperty('type');
  });

  test.each([
    [{ type: 'word2vec' }, ['error', 'EMBEDDINGS_INVALID_TYPE']],
    [{ type: 5 }, ['error', 'EMBEDDINGS_INVALID_TYPE']],
    [{ provider: 'huggingface' }, ['error', 'EMBEDDINGS_INVALID_TYPE']],
    [{ type: 'local_api' }, ['error', 'MISSING_MODEL_ID_FOR_EMBEDDINGS']],
    [{ type: 'onnx' }, ['error', 'MISSING_MODEL_ID_FOR_EMBEDDINGS']],
    [{ type: 'gateway', provider_config: { model_id: 'm' } }, ['error', 'OPERATOR_VALIDATION_FAILED']],
    [{ provider: 'litellm', provider_config: { api_base: 'x' } }, ['error', 'MISSING_MODEL_ID_FOR_EMBEDDINGS']],
    [{ type: 'hosted', provider_config: { model_id: 'm', api_key: 'k' } }, ['error', 'OPERATOR_VALIDATION_FAILED']],
    [
      { type: 'hosted', provider_config: { model_id: 'm', container_id: 'c' } },
      ['error', 'OPERATOR_VALIDATION_FAILED'],
    ],
    [
      { type: 'local_api', provider_config: { model_id: 'm', 'batch/size': 1 } },
      ['warning', 'UNKNOWN_CONFIGURATION_KEY'],
    ],
    [{ embeddings_column: 'content' }, ['error', 'OPERATOR_VALIDATION_FAILED']],
  ])('%j is %s', (input, expected) => {
    expect(codes(input)).toEqual([expected]);
  });
});
