/** Known but unsupported formats, by the brand of their first box or by extension, with the reason. */
const refused: readonly (readonly [RegExp, RegExp, string])[] = [
  [
    /^ftyp(?:hei[cfsmx]|hevc|hevx)$/,
    /\.(?:heic|heif)$/i,
    'is a HEIC image, whose codec (HEVC) is not part of this program; save it as AVIF, JPEG or PNG',
  ],
  [
    /^ftyp(?:M4A |M4V |mp4[12]|isom|qt {2})$/,
    /\.(?:mp3|wav|m4a|aac|ogg|oga|opus|flac|wma|mp4|m4v|mpe?g|avi|mov|mkv|webm|wmv)$/i,
    'is sound or film, and no speech model is set (DOCLOOM_SPEECH_URL); set one, or give the subtitles (VTT, SRT) instead',
  ],
];

/** Returns the reason why a file of a known format is not supported, as a sentence; undefined for all others. */
export function reasonUnread({ name, bytes }: { name: string; bytes: Uint8Array }): string | undefined {
  const brand = Buffer.from(bytes.subarray(4, 12)).toString('latin1');
  const found = refused.find(([byContent, byName]) => byContent.test(brand) || byName.test(name));
  return found && `'${name}' ${found[2]}.`;
}
