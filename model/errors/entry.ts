/** The facts about an error code for clients and retry policies. */
export interface ErrorEntry {
  /** The HTTP status of replies. */
  status: number;
  /** `never`; `outage` (a service is unavailable: keep retrying as long as the run may last); `few` (a few attempts). */
  retry: 'never' | 'outage' | 'few';
  /** The scope of the failure. */
  scope: 'document' | 'run' | 'request';
  text: string;
  /** The lower-case spelling that existing clients know, if it is not simply the code in lower case. */
  lower?: string;
}
