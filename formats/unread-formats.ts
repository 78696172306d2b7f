/** A known but unsupported format. */
interface RefusedFormat {
  /** Signature at the beginning of the file, as Latin-1. */
  starts?: RegExp;
  name: RegExp;
  /** What a file with that name must begin with, because unrelated files, such as keys, share the extension. */
  container?: RegExp;
  reason: string;
}

const compound = /^\xd0\xcf/;

const refused: readonly RefusedFormat[] = [
  {
    starts: /^[^]{4}ftyp(?:M4A |M4V |mp4[12]|isom|qt {2})/,
    name: /\.(?:mp3|wav|m4a|aac|ogg|oga|opus|flac|wma|mp4|m4v|mpe?g|avi|mov|mkv|webm|wmv)$/i,
    reason:
      'is audio or video, and no speech model is set (DOCLOOM_SPEECH_URL); set one, or convert its subtitles (VTT, SRT) instead',
  },
  {
    starts: /^\xa1\x2f\xf4\x3f\xd9\xef\x76\x4c/,
    name: /\.(?:onepkg|onetoc2)$/i,
    reason: 'is a OneNote notebook, of which only the sections (`.one`) can be read',
  },
  {
    name: /\.pub$/i,
    container: compound,
    reason: 'is a Publisher document, which is not supported; save it as PDF',
  },
  {
    name: /\.hwp$/i,
    container: compound,
    reason: 'is a Hangul document in the binary format, which is not supported; save it as HWPX',
  },
  {
    starts: /^HWP Document Fil/,
    name: /\.hwp$/i,
    container: /^HWP Document/,
    reason: 'is a Hangul document from before 2002, which is not supported; save it as HWPX',
  },
  {
    starts: /^(?:7z\xbc\xaf|Rar!)/,
    name: /\.(?:7z|rar)$/i,
    reason: 'is a 7-Zip or RAR archive; request the documents in it (`members`), or unpack it',
  },
];

/** Returns the reason why a file of a known format is not supported, as a sentence; undefined for all others. */
export function findUnreadReason({ name, bytes }: { name: string; bytes: Uint8Array }): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  const refusedFormat = refused.find(
    (format) => format.starts?.test(start) || (format.name.test(name) && (format.container?.test(start) ?? true)),
  );
  return refusedFormat && `'${name}' ${refusedFormat.reason}.`;
}
