import { randomUUID } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { SpeechEndpoint, SpokenSegment, Transcribe, Transcript } from '../../model/conversion/speech/speech';
import type { NetworkRules } from '../../model/network-rules';
import { createModelEndpoints } from './model-endpoint';
import { checkValue } from './protocol';

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

/** Speech models with the OpenAI protocol (`/v1/audio/transcriptions`). */
export function createSpeech(rules: NetworkRules, maxRetries?: number): Speech {
  const endpoints = createModelEndpoints(rules, maxRetries);
  return {
    async transcribe(endpoint, recording, signal) {
      const { answer, base } = await endpoints.post(endpoint, createForm(endpoint, recording), signal);
      return parseAnswer(answer, base);
    },
    close: () => endpoints.close(),
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

function parseAnswer(answer: unknown, url: URL): Transcript {
  const { text = '', segments } = checkValue(Transcription, answer, url, 'a transcription');
  return { text, segments: readSegments(segments ?? []) };
}

/**
 * Empty if no segment has times; callers then use the whole text. A segment without a time begins where the last one ended.
 */
function readSegments(segments: readonly (typeof Segment)['static'][]): SpokenSegment[] {
  const isTime = (time: unknown): time is number => typeof time === 'number' && time >= 0 && Number.isFinite(time);
  if (!segments.some(({ start }) => isTime(start))) return [];
  let previousEnd = 0;
  return segments.map(({ start, end, text = '', speaker }) => {
    const from = isTime(start) ? start : previousEnd;
    previousEnd = isTime(end) && end >= from ? end : from;
    return { start: from, end: previousEnd, text, ...(speaker ? { speaker } : {}) };
  });
}
