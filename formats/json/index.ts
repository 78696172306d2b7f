import type { Format } from '../format';

/** JSON of any kind: objects as lists with headings, similar ones as tables. */
export const json: Format = {
  name: 'json',
  label: 'JSON',
  mediaTypes: ['application/json', 'text/json', 'application/ld+json', 'application/geo+json', 'application/x-ndjson'],
  extensions: [
    'json',
    'jsonl',
    'ndjson',
    'jsonc',
    'json5',
    'geojson',
    'topojson',
    'jsonld',
    'har',
    'webmanifest',
    'avsc',
  ],
  sniff: (head) =>
    /^(?:\u00ef\u00bb\u00bf)?\s*(?:\{\s*"[^"\n]{1,200}"\s*:|\[\s*\{\s*"[^"\n]{1,200}"\s*:)/.test(
      Buffer.from(head.subarray(0, 1024)).toString('latin1'),
    ),
  overrides: [],
  load: () => import('./read'),
};
