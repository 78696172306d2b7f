/** What clients and retry policies know of an error code. */
export interface ErrorEntry {
  /** The HTTP status of replies. */
  status: number;
  /** `never`; `outage` (a service is unavailable: keep retrying as long as the run may last); `few` (a few attempts). */
  retry: 'never' | 'outage' | 'few';
  /** What fails with the error. */
  scope: 'document' | 'run' | 'request';
  text: string;
  /** The lower-case spelling that existing clients know, if it is not simply the code in lower case. */
  lower?: string;
}
