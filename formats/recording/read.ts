import { createDocument } from '../../document/builder';
import { findRecordingType, type SpokenSegment } from '../../model/conversion/speech/speech';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';

/** A day of speech has about 20,000 segments. */
const maxSegments = 500_000;

/** Transcribes a recording: one text for each segment of speech, with its times and speaker in `source`. */
export const read: ReadDocument = async (bytes, { name, transcribe, warn }) => {
  if (!transcribe) throw new AppError('FORMAT_UNSUPPORTED', `'${name}' is a recording, and no speech model is set.`);
  const heard = await transcribe({ bytes, name, mimetype: findRecordingType(name) ?? 'application/octet-stream' });
  if (heard.segments.length > maxSegments)
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `'${name}' has ${heard.segments.length} segments of speech; at most ${maxSegments} are read.`,
    );
  const builder = createDocument(getStem(name));
  for (const segment of heard.segments) {
    const text = segment.text.trim();
    if (text !== '') builder.text('text', text).source = [buildTrack(segment)];
  }
  const whole = heard.text.trim();
  if (builder.document.texts.length > 0) return builder.document;
  if (whole === '') warn?.(`The speech model heard no speech in '${name}'.`);
  else {
    warn?.(`The speech model gave no times for '${name}'.`);
    for (const paragraph of whole.split(/\n\s*\n/)) builder.text('text', paragraph.trim());
  }
  return builder.document;
};

function buildTrack({ start, end, speaker }: SpokenSegment) {
  return { kind: 'track', start_time: start, end_time: end, ...(speaker ? { voice: speaker } : {}) };
}
