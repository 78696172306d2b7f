import type { Doubt } from './quality';

/** The report of an operator about a converted document. */
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
