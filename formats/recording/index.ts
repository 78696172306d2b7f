import { recordingTypes } from '../../model/conversion/speech/speech';
import type { Format } from '../format';

/**
 * Audio and video. Only conversions with a speech model accept these formats; all others refuse such files.
 */
export const recordings: readonly Format[] = [
  createFormat('audio', 'Audio', recordingTypes.audio),
  createFormat('video', 'Video', recordingTypes.video),
];

function createFormat(name: string, label: string, types: Readonly<Record<string, string>>): Format {
  return {
    name,
    label,
    mediaTypes: [...new Set(Object.values(types))],
    extensions: Object.keys(types),
    load: () => import('./read'),
  };
}
