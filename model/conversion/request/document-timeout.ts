/** Default time limits of documents. */
export interface DocumentTimeouts {
  /** For a small document, in seconds; 0: `maxSeconds` for every document. */
  seconds: number;
  /** The maximum that a request may set. */
  maxSeconds: number;
}

const secondsPerMegabyte = 60;
/** Documents that wait for models may take so many times as long. */
const modelFactor = 6;

/**
 * The time limit in milliseconds of a document of that many bytes: the one of its request, otherwise the default and a minute
 * per megabyte above the first, never more than the maximum.
 */
export function computeDocumentTimeout(
  document: { asked: number | null; bytes: number; usesModels: boolean },
  { seconds, maxSeconds }: DocumentTimeouts,
): number {
  const megabytes = Math.max(0, document.bytes / 1024 ** 2 - 1);
  const grown = (seconds + secondsPerMegabyte * megabytes) * (document.usesModels ? modelFactor : 1);
  const timeoutSeconds = document.asked ?? (seconds === 0 ? maxSeconds : Math.ceil(grown));
  return Math.min(timeoutSeconds, maxSeconds) * 1_000;
}
