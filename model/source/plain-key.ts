/** True for an object name that is used unchanged: address parsers and file systems alter others. */
export function isPlainKey(key: string): boolean {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return key !== '' && !/[\u0000-\u001f\u007f]/.test(key) && !key.split('/').some((name) => /^\.{1,2}$/.test(name));
}
