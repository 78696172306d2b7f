import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { SpeechEndpoint, SpokenSegment, Transcribe, Transcript } from '../../model/conversion/speech/speech';
import type { NetworkRules } from '../../model/network-rules';
import { HostRefusal, withAttempts } from './attempts';
import { createConnections, getHeaders, getHost, usualRetries, withoutKeys, withoutUser } from './model-endpoint';
import { checkValue, readJson } from './protocol';

const Time = Type.Union([Type.Number(), Type.Null()]);
const Segment = Type.Object({
  start: Type.Optional(Time),
  end: Type.Optional(Time),
  text: Type.Optional(Type.String()),
  speaker: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const Transcription = Type.Object({
  text: Type.Optional(Type.String()),
  segments: Type.Optional(Type.Union([Type.Array(Segment), Type.Null()])),
});

/** Calls speech models. */
export interface Speech {
  /** Throws the error codes of model hosts. Messages never contain API keys. */
  transcribe(endpoint: SpeechEndpoint, recording: Parameters<Transcribe>[0], signal: AbortSignal): Promise<Transcript>;
  close(): void;
}

/**
 * Speech models with the OpenAI protocol (`/v1/audio/transcriptions`). Addresses pass the address guard, except those of the
 * server's own settings. Redirects are not followed. A request to an overloaded host is retried after the time that it names.
 */
export function createSpeech(rules: NetworkRules, maxRetries = usualRetries): Speech {
  const connections = createConnections(rules);
  return {
    async transcribe(endpoint, recording, signal) {
      const { fetch } = connections.of(endpoint);
      const host = { ...getHost(endpoint), maxRetries };
      const form = createForm(endpoint, recording);
      const headers = getHeaders(endpoint);
      headers.set('content-type', form.contentType);
      const address = withoutUser(endpoint.url);
      return await withAttempts({
        host,
        purpose: 'chat',
        signal,
        turn: async () => () => undefined,
        async work(ended) {
          const response = await fetch(address, { method: 'POST', headers, body: form.body, signal: ended });
          if (response.status === 200) return parseAnswer(await readJson(response, host.base), host.base);
          const text = withoutKeys(await response.text(), endpoint);
          throw new HostRefusal(host.base, response.status, response.headers, text);
        },
      });
    },
    close: () => connections.close(),
  };
}

/** The request as multipart/form-data. It is built here because every attempt sends the same bytes. */
function createForm(
  { params }: SpeechEndpoint,
  { bytes, name, mimetype }: Parameters<Transcribe>[0],
): { contentType: string; body: Uint8Array<ArrayBuffer> } {
  const boundary = randomUUID();
  const fields = { ...params, response_format: 'verbose_json', 'timestamp_granularities[]': 'segment' };
  const head = Object.entries(fields).map(
    ([field, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\n${value}\r\n`,
  );
  const fileName = name.replaceAll(/["\r\n\\]/g, '_');
  head.push(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${fileName}"\r\nContent-Type: ${mimetype}\r\n\r\n`,
  );
  const parts = [Buffer.from(head.join('')), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)];
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: new Uint8Array(Buffer.concat(parts)) };
}

function parseAnswer(value: unknown, url: URL): Transcript {
  const { text = '', segments } = checkValue(Transcription, value, url, 'a transcription');
  return { text, segments: readSegments(segments ?? []) };
}

/** None if no segment has times: then the whole text is as good. A segment without a time begins where the last one ended. */
function readSegments(segments: readonly (typeof Segment)['static'][]): SpokenSegment[] {
  const isTime = (time: unknown): time is number => typeof time === 'number' && time >= 0 && Number.isFinite(time);
  if (!segments.some(({ start }) => isTime(start))) return [];
  let last = 0;
  return segments.map(({ start, end, text = '', speaker }) => {
    const from = isTime(start) ? start : last;
    last = isTime(end) && end >= from ? end : from;
    return { start: from, end: last, text, ...(speaker ? { speaker } : {}) };
  });
}
