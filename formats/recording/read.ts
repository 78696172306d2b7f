import { createDocument } from '../../document/builder';
import { findRecordingType, type SpokenSegment } from '../../model/conversion/speech/speech';
import { AppError } from '../../model/errors';
import { type ReadDocument, getStem } from '../format';

/** More segments are refused: a whole day of speech has about 20,000. */
const maxSegments = 500_000;

/** Transcribes a recording: one text for each segment of speech, with its times and speaker in `source`. */
export const read: ReadDocument = async (bytes, { name, transcribe, warn }) => {
  if (!transcribe) throw new AppError('FORMAT_UNSUPPORTED', `'${name}' is a recording, and no speech model is set.`);
  const transcript = await transcribe({ bytes, name, mimetype: findRecordingType(name) ?? 'application/octet-stream' });
  if (transcript.segments.length > maxSegments)
    throw new AppError(
      'DOCUMENT_TOO_LARGE',
      `'${name}' has ${transcript.segments.length} segments of speech; at most ${maxSegments} are read.`,
    );
  const builder = createDocument(getStem(name));
  for (const segment of transcript.segments) {
    const text = segment.text.trim();
    if (text !== '') builder.text('text', text).source = [toTrack(segment)];
  }
  const wholeText = transcript.text.trim();
  if (builder.document.texts.length > 0) return builder.document;
  if (wholeText === '') warn?.(`The speech model found no speech in '${name}'.`);
  else {
    warn?.(`The speech model returned no times for '${name}', so its texts have none.`);
    for (const paragraph of wholeText.split(/\n\s*\n/)) builder.text('text', paragraph.trim());
  }
  return builder.document;
};

function toTrack({ start, end, speaker }: SpokenSegment) {
  return { kind: 'track', start_time: start, end_time: end, ...(speaker ? { voice: speaker } : {}) };
}
