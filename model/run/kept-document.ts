/** The forms in which a document is stored, with the extensions of their files. */
export const keptForms = { json: 'json', markdown: 'md', original: 'original' } as const;
export type KeptForm = keyof typeof keptForms;

/** The prefix of all stored files of a document of a job. */
export function buildKeptPrefix(jobId: string, documentId: string): string {
  return `documents/${jobId}/${documentId}/`;
}

/** The key of one form of a document. `version` is the hash of its content, or the run that read it if there is no hash. */
export function buildKeptKey(jobId: string, documentId: string, version: string, form: KeptForm): string {
  return `${buildKeptPrefix(jobId, documentId)}${version}.${keptForms[form]}`;
}

/** The key of the Markdown with which a person replaced the conversion of this version. */
export function buildCorrectionKey(jobId: string, documentId: string, version: string): string {
  return `${buildKeptPrefix(jobId, documentId)}${version}.corrected.md`;
}
