import type { Doubt } from './quality';

/** What an operator reports about a document that it converted. */
export interface Conversion {
  id: string;
  name: string;
  /** The hash of the content, or the run that read it if there is no hash. */
  version: string;
  pages: number;
  confidence: number | null;
  doubts: Doubt[];
  /** The text is that of a person, so nothing is doubtful. */
  isCorrected: boolean;
}
