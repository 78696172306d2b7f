import { readS3Settings } from '../../model/source/remote-source';
import type { SourceEntry } from '../../services/source/sources';
import { computeDocumentId, type Listing } from './take';

/**
 * The entries without files that flows exported. They have lost the access lists of their documents, and a flow that ingests its own
 * would export them again under new names, more with each run. Those ingested by earlier versions are removed.
 */
export async function leaveOutExports(listing: Listing, entries: readonly SourceEntry[]): Promise<SourceEntry[]> {
  const { context, counts, lost } = listing;
  const exported = await findExported(listing, entries);
  if (exported.size === 0) return [...entries];
  const ids = [...exported].map((entry) => computeDocumentId(entry, context));
  counts.exported += ids.length;
  const known = await context.services.ledger.lookup(context.run.jobId, ids);
  counts.lostExports += known.size;
  for (const id of known.keys()) lost.add(id);
  return entries.filter((entry) => !exported.has(entry));
}

/** The entries that the run leaves out because a flow exported them. */
export async function findExported(
  { config, context }: Listing,
  entries: readonly SourceEntry[],
): Promise<ReadonlySet<SourceEntry>> {
  const source = entries[0]?.source;
  if (source === undefined) return new Set();
  const { region } = readS3Settings(config);
  const keys = entries.map(({ relativePath }) => relativePath);
  const jobs = await context.services.exportedFiles.find({ source, region }, keys);
  return new Set(
    entries.filter(({ relativePath }) => {
      const job = jobs.get(relativePath);
      return job !== undefined && (job === context.run.jobId || !config.include_exports);
    }),
  );
}
