const maxLength = 180;

/** The last part of a path, whichever slashes it was written with; a name of our own where nothing is left of it. */
export function baseName(path: string, index = 0): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
  const name = (path.split(/[\\/]/).at(-1) ?? '').replaceAll(/[\u0000-\u001f\u007f]/g, '_').trim();
  if (name === '' || name === '.' || name === '..') return `file_${index}.pdf`;
  if (name.length <= maxLength) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= 20 ? name.slice(dot) : '';
  return name.slice(0, maxLength - extension.length) + extension;
}
