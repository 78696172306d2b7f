/** Characters that are unsafe in file names: control characters, separators, and bidirectional formatting characters. */
const unsafe = /[\p{Cc}\u2028-\u202e\u2066-\u2069<>:"|?*]/gu;
const maxLength = 200;
/** A longer end is not an extension. */
const maxExtensionLength = 20;

/** The last segment of a path with `/` or `\` separators, safe for any file system; `file` when nothing is left. */
export function toSafeFileName(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? '';
  const clean = base
    .replace(unsafe, '_')
    .replace(/^\.+|[. ]+$/g, '')
    .trim();
  if (clean === '') return 'file';
  if (clean.length <= maxLength) return clean;
  const dot = clean.lastIndexOf('.');
  const extension = dot > 0 && clean.length - dot <= maxExtensionLength ? clean.slice(dot) : '';
  return clean.slice(0, maxLength - extension.length) + extension;
}

/** Makes names unique: a name that was used before, in any letter case, gets a number before its extension. */
export function createDistinctNames(): (stem: string, extension: string) => string {
  const used = new Set<string>();
  return (stem, extension) => {
    for (let count = 1; ; count += 1) {
      const name = `${stem}${count === 1 ? '' : `_${count}`}${extension}`;
      if (used.has(name.toLowerCase())) continue;
      used.add(name.toLowerCase());
      return name;
    }
  };
}
