/** Maximum length of a file name in UTF-8 bytes, the limit of common file systems. */
const maxFileNameBytes = 255;

/** Control characters, line separators, bidirectional marks, zero-width characters and lone surrogates. */
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]/u;
/** Windows device names, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?$/i;

/** The stored form of a name: NFC, so that names that look the same have the same code points. */
export function toStoredName(name: string): string {
  return name.normalize('NFC');
}

/** A key that ignores letter case and compatibility variants such as full-width characters and ligatures. */
export function getNameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Why the name is not valid for a file of a library; undefined when it is valid. */
export function findFileNameProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (invisible.test(name)) return 'has a control or invisible character';
  if (/[/\\]/.test(name)) return 'has a slash or backslash; give the name without its folder';
  if (/[<>:"|?*]/.test(name)) return 'has one of the characters < > : " | ? *';
  const bytes = new TextEncoder().encode(toStoredName(name)).length;
  if (bytes > maxFileNameBytes) return `has ${bytes} bytes; at most ${maxFileNameBytes} are allowed`;
  if (name.startsWith('.')) return 'begins with a dot';
  if (name !== name.trim() || name.endsWith('.')) return 'begins or ends with a blank, or ends with a dot';
  if (device.test(name) || device.test(getNameKey(name))) return 'is the name of a device on Windows';
  return undefined;
}
