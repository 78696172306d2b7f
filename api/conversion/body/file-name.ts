const maxLength = 180;
/** A longer end is not an extension. */
const maxExtensionLength = 20;

/** The last segment of a path with slashes or backslashes; a generated name when nothing is left. */
export function getBaseName(path: string, index = 0): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is replaced
  const name = (path.split(/[\\/]/).at(-1) ?? '').replaceAll(/[\u0000-\u001f\u007f]/g, '_').trim();
  if (name === '' || name === '.' || name === '..') return `file_${index}.pdf`;
  if (name.length <= maxLength) return name;
  const dot = name.lastIndexOf('.');
  const extension = dot > 0 && name.length - dot <= maxExtensionLength ? name.slice(dot) : '';
  return name.slice(0, maxLength - extension.length) + extension;
}
