/** Default time limits of documents. */
export interface DocumentTimeouts {
  /** For a small document, in seconds; 0: `maxSeconds` for every document. */
  seconds: number;
  /** The maximum that a request may set. */
  maxSeconds: number;
}

const secondsPerMegabyte = 60;
/** Documents that wait for models get this many times as long. */
const modelFactor = 6;

/**
 * The time limit of a document in milliseconds: that of its request, otherwise the default plus one minute
 * per megabyte above the first, never more than the maximum.
 */
export function computeDocumentTimeout(
  document: { requested: number | null; bytes: number; usesModels: boolean },
  { seconds, maxSeconds }: DocumentTimeouts,
): number {
  const megabytes = Math.max(0, document.bytes / 1024 ** 2 - 1);
  const defaultSeconds = (seconds + secondsPerMegabyte * megabytes) * (document.usesModels ? modelFactor : 1);
  const timeoutSeconds = document.requested ?? (seconds === 0 ? maxSeconds : Math.ceil(defaultSeconds));
  return Math.min(timeoutSeconds, maxSeconds) * 1_000;
}
