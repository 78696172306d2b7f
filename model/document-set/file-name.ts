/** The most bytes of a file name in UTF-8: what file systems take. */
export const maxFileNameBytes = 255;

/** Controls, separators of lines, marks of direction, characters without width, and halves of characters. */
const invisible = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]/u;
/** Devices of Windows, with any extension. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\..*)?$/i;

/** The name as it is stored: composed characters (NFC), so that one name that looks like another of it is the same. */
export function toStoredName(name: string): string {
  return name.normalize('NFC');
}

/** Names that differ only in letter case or in the form of a character (full width, ligature) have the same key. */
export function nameKeyOf(name: string): string {
  return name.normalize('NFKC').toLowerCase().normalize('NFKC');
}

/** Why a file of a library cannot have the name; undefined when it can. */
export function fileNameProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (invisible.test(name)) return 'has a control or invisible character';
  if (/[/\\]/.test(name)) return 'has a slash or backslash; give the name without its folder';
  if (/[<>:"|?*]/.test(name)) return 'has one of the characters < > : " | ? *';
  const bytes = new TextEncoder().encode(toStoredName(name)).length;
  if (bytes > maxFileNameBytes) return `has ${bytes} bytes; the most is ${maxFileNameBytes}`;
  if (name.startsWith('.')) return 'begins with a dot';
  if (name !== name.trim() || name.endsWith('.')) return 'begins or ends with a blank, or ends with a dot';
  if (device.test(name) || device.test(nameKeyOf(name))) return 'is the name of a device on Windows';
  return undefined;
}
