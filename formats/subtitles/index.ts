import type { Format } from '../format';

/** Subtitles with times: WebVTT and SubRip. */
export const subtitles: Format = {
  name: 'subtitles',
  label: 'Subtitles',
  mediaTypes: ['text/vtt', 'application/x-subrip'],
  extensions: ['vtt', 'srt'],
  sniff: (head) =>
    /^(?:\u00ef\u00bb\u00bf)?WEBVTT(?:[ \t\r\n]|$)/.test(Buffer.from(head.subarray(0, 16)).toString('latin1')),
  serviceName: 'vtt',
  overrides: ['text'],
  load: () => import('./read'),
};
