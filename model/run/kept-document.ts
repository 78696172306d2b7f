/** The forms in which a document is kept beside its records, with how the names of their files end. */
export const keptForms = { json: 'json', markdown: 'md', original: 'original' } as const;
export type KeptForm = keyof typeof keptForms;

/** Where everything of a document of a job is kept in the files store. */
export function keptPrefix(jobId: string, documentId: string): string {
  return `documents/${jobId}/${documentId}/`;
}

/** The key of a form of a document; `version` is the hash of its content, or the run that read it where there is none. */
export function keptKey(jobId: string, documentId: string, version: string, form: KeptForm): string {
  return `${keptPrefix(jobId, documentId)}${version}.${keptForms[form]}`;
}
