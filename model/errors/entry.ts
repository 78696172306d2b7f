/** The facts about an error code for clients and retry policies. */
export interface ErrorEntry {
  /** The HTTP status of replies. */
  status: number;
  /** `outage`: a service is unavailable, so retries go on as long as the run may last. `few`: a few retries. Absent: none. */
  retry?: 'outage' | 'few';
  /** The scope of the failure. */
  scope: 'document' | 'run' | 'request';
  text: string;
  /** The lower-case spelling that existing clients know, if it is not simply the code in lower case. */
  lower?: string;
}
