import { type BrotliOptions, brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { AppError } from '../../../model/errors';
import type { SourceProvider } from '../../../model/source/list';
import { createModelEndpoints } from '../../../services/llm/model-endpoint';
import { createAddressGuard } from '../../../services/net/address-guard';
import { createGuardedFetch } from '../../../services/net/guarded-fetch';
import { createSources } from '../../../services/source/sources';
import { useLyingServer } from '../../support/sources/lying-server';

/** Small compressed answers that become large ones, from servers that flows and requests name. */
const lying = useLyingServer();
const guard = createAddressGuard(['127.0.0.1']);
const { signal } = new AbortController();
const megabyte = 1024 * 1024;
const zeros = Buffer.alloc(96 * megabyte);
const quick: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const bombs = { gzip: gzipSync(zeros), br: brotliCompressSync(zeros, quick), 'gzip, gzip': gzipSync(gzipSync(zeros)) };
const answerWith = (encoding: string, body: Buffer) => {
  lying.answer = (request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding }).end(body);
  };
};

test.each(Object.entries(bombs))('the limit of a response counts what %s becomes', async (encoding, bomb) => {
  expect(bomb.length).toBeLessThan(megabyte);
  const http = createGuardedFetch(guard, megabyte);
  answerWith(encoding, bomb);
  let size = 0;
  const read = async () => {
    for await (const part of (await http.fetch(lying.origin)).body ?? []) size += part.length;
  };
  await expect(read()).rejects.toThrow('terminated');
  expect(size).toBeLessThanOrEqual(megabyte);
  http.close();
});

test('a compressed response within the limit keeps its status, its headers and its content', async () => {
  const http = createGuardedFetch(guard, megabyte);
  lying.answer = (_request, response) =>
    response.writeHead(404, { 'content-encoding': 'gzip', 'x-fact': 'kept' }).end(gzipSync('{"a":1}'));
  const response = await http.fetch(lying.origin);
  expect([response.status, response.headers.get('x-fact'), await response.json()]).toEqual([404, 'kept', { a: 1 }]);
  http.close();
});

test('a model host fails with such an answer, whether it agrees or refuses', async () => {
  const models = createModelEndpoints({ allowed: ['127.0.0.1'], own: [] }, 0);
  const endpoint = {
    url: `${lying.origin}/v1/chat/completions`,
    headers: {},
    params: {},
    isConfigured: false,
    timeoutMs: 20_000,
    concurrency: 1,
  };
  for (const status of [200, 400]) {
    lying.answer = (request, response) => {
      request.resume();
      response.writeHead(status, { 'content-encoding': 'gzip' }).end(bombs.gzip);
    };
    await expect(models.post(endpoint, { body: '{}' }, signal)).rejects.toMatchObject({
      code: expect.stringMatching(/_CONNECTION_FAILED$|^CONNECTION_ERROR$|^EXTERNAL_SERVICE_ERROR$/),
    });
  }
  models.close();
});

const listingBomb = () => gzipSync(Buffer.alloc(130 * megabyte, ' '));
async function findMessage(provider: SourceProvider, config: Record<string, unknown>): Promise<string | undefined> {
  const sources = createSources({ roots: [], guard });
  const list = async () => {
    for await (const _entry of sources.list(provider, config, signal)) return undefined;
    return undefined;
  };
  return await list().catch(({ code, message }: AppError) => `${code}: ${message}`);
}
const tooLarge = /^INVALID_RESPONSE: .* has more than \d+ bytes\.$/;

test.each([
  ['azure', 'container_url', '/account/box'],
  ['gcs', 'endpoint_url', ''],
  ['confluence', 'site_url', ''],
] as const)('a listing of %s that is larger than it may be ends', async (provider, name, place) => {
  answerWith('gzip', listingBomb());
  const connection_params = { bucket: 'box', [name]: `${lying.origin}${place}` };
  const credentials = { username: 'alice', api_token: 'secret' };
  expect(await findMessage(provider, { connection_params, credentials })).toMatch(tooLarge);
});
