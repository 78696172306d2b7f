import type { SpeechEndpoint } from '../../model/conversion/speech/speech';
import { createSpeechServer, type SpeechServer } from '../../test/support/servers/speech-server';
import { createSpeech } from './speech';

let server: SpeechServer;
const speech = createSpeech({ allowed: [], own: [] }, 1);
beforeEach(async () => void (server = await createSpeechServer()));
afterEach(() => server.stop());
afterAll(() => speech.close());

const recording = { bytes: Buffer.from('RIFF sound'), name: 'talk "1".wav', mimetype: 'audio/wav' };
const transcribe = (more: Partial<SpeechEndpoint> = {}, signal = new AbortController().signal) =>
  speech.transcribe(
    {
      url: server.url,
      headers: { Authorization: 'Bearer key-12345' },
      params: { model: 'whisper' },
      timeoutMs: 5_000,
      concurrency: 1,
      isConfigured: true,
      ...more,
    },
    recording,
    signal,
  );
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ code, message }: { code: string; message: string }) => ({ code, message }),
  );

test('a recording is sent as a form with the model, and segments come back with times and speakers', async () => {
  server.answer = () => ({
    body: {
      text: 'Good morning. Welcome. Bye.',
      segments: [
        { id: 0, start: 0, end: 1.5, text: ' Good morning.', speaker: 'A' },
        { start: 1.5, end: 4, text: ' Welcome.' },
        { text: ' Bye.' },
      ],
    },
  });
  expect(await transcribe()).toEqual({
    text: 'Good morning. Welcome. Bye.',
    segments: [
      { start: 0, end: 1.5, text: ' Good morning.', speaker: 'A' },
      { start: 1.5, end: 4, text: ' Welcome.' },
      { start: 4, end: 4, text: ' Bye.' },
    ],
  });
  const [ask] = server.asked;
  expect(ask).toMatchObject({
    path: '/v1/audio/transcriptions',
    authorization: 'Bearer key-12345',
    fields: { model: 'whisper', response_format: 'verbose_json', 'timestamp_granularities[]': 'segment' },
    file: { name: 'talk _1_.wav', mimetype: 'audio/wav' },
  });
  expect(ask!.file.bytes.equals(recording.bytes)).toBe(true);
});

test('an overloaded server is asked again with the same form', async () => {
  server.answer = (_, nth) =>
    nth === 1 ? { status: 429, headers: { 'retry-after': '0' }, body: {} } : { body: { text: 'heard' } };
  expect(await transcribe()).toEqual({ text: 'heard', segments: [] });
  expect(server.asked[1]).toEqual(server.asked[0]);
});

test.each<[string, object, RegExp]>([
  ['a refused key', { status: 401, body: { error: { message: 'bad key-12345' } } }, /refused|401/],
  ['a file that is too long', { status: 413, body: 'too long' }, /413/],
  ['an answer that is not JSON', { body: 'hello' }, /not with JSON/],
  ['an answer of another form', { body: { segments: 'none' } }, /transcription/],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }, /302/],
])('%s is an error that names no key', async (_, answer, message) => {
  server.answer = () => answer as { body: unknown };
  const found = await failure(transcribe());
  expect(found?.message).toMatch(message);
  expect(found?.message).not.toContain('key-12345');
});

test('a server that never answers is given up after the timeout', async () => {
  server.answer = () => null;
  expect(await failure(transcribe({ timeoutMs: 50 }))).toMatchObject({
    message: expect.stringContaining('has not answered within 0.05 s'),
  });
});

test('only the address in the settings may be private', async () => {
  expect(await failure(transcribe({ isConfigured: false }))).toMatchObject({ code: 'ADDRESS_NOT_ALLOWED' });
  expect(server.asked).toEqual([]);
});
