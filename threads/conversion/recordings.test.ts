import type { DoclingDocument } from '../../document/model';
import { buildDefaultConvertOptions } from '../../model/conversion/request/options';
import { addSpeech } from '../../model/conversion/speech/speech';
import type { VisionSettings } from '../../model/conversion/vision/vision-settings';
import { createSpeechServer, type SpeechServer } from '../../test/support/servers/speech-server';
import { convert } from './entry';
import { exportDocument } from './export-document';

let server: SpeechServer;
let settings: VisionSettings;
beforeEach(async () => {
  server = await createSpeechServer();
  settings = {
    remoteServices: true,
    network: { allowed: [], own: [] },
    speech: {
      url: server.url,
      headers: {},
      params: { model: 'whisper' },
      timeoutMs: 5_000,
      concurrency: 1,
      isConfigured: true,
    },
  };
  server.answer = () => ({
    body: {
      text: 'Good morning. Welcome to the harbour.',
      segments: [
        { start: 0, end: 1.5, text: ' Good morning.' },
        { start: 1.5, end: 4.2, text: ' Welcome to the harbour.', speaker: 'Ann' },
      ],
    },
  });
});
afterEach(() => server.stop());

async function exported(
  name: string,
  { used = settings, mimetype }: { used?: VisionSettings; mimetype?: string } = {},
) {
  const options = { ...buildDefaultConvertOptions(), to_formats: ['md' as const, 'json' as const, 'vtt' as const] };
  const vision = addSpeech(undefined, used, { name, mimetype });
  const bytes = Buffer.from('any sound');
  const file = { name, bytes, options, packaging: 'inbody' as const, ...(mimetype === undefined ? {} : { mimetype }) };
  const answer = await exportDocument({ ...file, ...(vision ? { vision } : {}) });
  if ('failure' in answer) throw new Error(answer.failure.message);
  const result = answer.exported;
  const text = (format: string) => Buffer.from(result.outputs[format] ?? []).toString();
  return { ...result, text };
}

test.each([
  ['talk.wav', 'audio', 'audio/wav'],
  ['TALK.MP4', 'video', 'video/mp4'],
])('%s becomes a document with times', async (name, format, mimetype) => {
  const { status, format: found, errors, text } = await exported(name);
  expect([status, found, errors]).toEqual(['success', format, []]);
  expect(text('md')).toBe('Good morning.\n\nWelcome to the harbour.');
  expect(text('vtt')).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nGood morning.\n\n00:00:01.500 --> 00:00:04.200\n<v Ann>Welcome to the harbour.</v>\n',
  );
  const { texts, origin } = JSON.parse(text('json')) as DoclingDocument;
  expect(texts[1]!.source).toMatchObject([{ kind: 'track', start_time: 1.5, end_time: 4.2, voice: 'Ann' }]);
  expect(origin?.mimetype).toContain(format);
  expect(server.asked[0]!.file).toMatchObject({ name, mimetype });
});

test('a recording without an extension is known by its media type', async () => {
  expect(await exported('download', { mimetype: 'audio/mpeg' })).toMatchObject({ status: 'success', format: 'audio' });
});

test.each<[string, Partial<VisionSettings>]>([
  ['without a model', { speech: undefined }],
  ['if models on other servers are not allowed', { remoteServices: false }],
])('%s, a recording is refused by name and nothing is sent', async (_, change) => {
  const { speech, ...others } = { ...settings, ...change };
  const { status, errors } = await exported('talk.mp3', { used: { ...others, ...(speech ? { speech } : {}) } });
  expect(status).toBe('skipped');
  expect(errors[0]!.error_message).toContain("'talk.mp3' is audio or video, and no speech model is set");
  expect(server.asked).toEqual([]);
  const vision = addSpeech(undefined, { ...settings, ...change }, { name: 'talk.mp3' });
  expect(vision).toBeUndefined();
  const answer = await convert({ name: 'talk.mp3', bytes: Buffer.from('any sound') });
  expect(answer).toMatchObject({ failure: { code: 'FORMAT_UNSUPPORTED' } });
});

test('documents that are not recordings do not wait for the model', () => {
  expect(addSpeech(undefined, settings, { name: 'a.pdf', mimetype: 'application/pdf' })).toBeUndefined();
});

test('a text without times is kept with a warning, and so is silence', async () => {
  server.answer = () => ({ body: { text: 'One.\n\nTwo.' } });
  const reply = await exported('talk.ogg');
  expect(reply.text('md')).toBe('One.\n\nTwo.');
  expect(reply.warnings).toEqual(["The speech model returned no times for 'talk.ogg', so its texts have none."]);
  server.answer = () => ({ body: { text: ' ', segments: [] } });
  expect((await exported('talk.ogg')).warnings).toEqual(["The speech model found no speech in 'talk.ogg'."]);
});

test('a model that fails is the reason why the document fails', async () => {
  server.answer = () => ({ status: 401, body: {} });
  const { status, errors } = await exported('talk.flac');
  expect(status).toBe('failure');
  expect(errors).toMatchObject([{ component_type: 'model', error_message: expect.stringContaining('401') }]);
});

test('flows read recordings too', async () => {
  const vision = addSpeech(undefined, settings, { name: 'talk.m4a' })!;
  const answer = await convert({ name: 'talk.m4a', bytes: Buffer.from('any sound'), vision });
  expect(answer).toMatchObject({
    converted: { format: 'audio', markdown: 'Good morning.\n\nWelcome to the harbour.' },
  });
});
