/** The text as a regular expression that matches it, in JavaScript and in MongoDB. */
export function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
