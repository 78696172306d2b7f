import type { User } from '../../model/access';
import { countNouns } from '../../model/count-nouns';
import { errorCatalogue } from '../../model/errors';
import { toPublicMessage, getCatalogueText } from '../../model/public-errors';
import type { RunPart, RunResult } from '../../services/run/facts';
import type { RunDocument, RunFacts, RunRecord } from '../../services/run/run-record';

/** Replaces the name of a document. */
export const withheldName = '(withheld)';

/**
 * True when the user may see names and problems of individual documents. Reports contain no access lists, and the access rule of
 * documents has no exception for administrators: they see counts and codes of a run, its owner sees everything.
 */
export function mayNameDocuments(run: Pick<RunRecord, 'owner'>, user: Pick<User, 'username'>): boolean {
  return run.owner === user.username;
}

/** The record as the user may see it. Users other than the owner do not see texts that may name documents. */
export function omitNames<Run extends RunFacts>(run: Run, user: Pick<User, 'username'>): Run {
  if (mayNameDocuments(run, user)) return run;
  const message = formatPublicRunMessage(run.message);
  // The address that did not answer may be that of a document.
  const waiting = run.waiting?.map((wait) => ({ ...wait, message: toPublicMessage(wait) }));
  return {
    ...run,
    message,
    warnings: withholdWarnings(run.warnings),
    ...(waiting ? { waiting } : {}),
  };
}

/**
 * Error messages begin with their code, after the outages that the run waits for. With fail_fast they quote a document's error.
 */
function formatPublicRunMessage(text: string): string {
  const [all, code = ''] = /\b([A-Z]+(?:_[A-Z]+)+): /.exec(text) ?? [];
  if (all === undefined || !(code in errorCatalogue)) return text;
  const end = text.indexOf(all) + all.length;
  const message = text.slice(end);
  const isOfDocument = message.startsWith('fail_fast: ');
  return `${text.slice(0, end)}${isOfDocument ? `fail_fast: ${withheldName}` : toPublicMessage({ code, message })}`;
}

/** A failed or skipped document, reduced to its code. */
export function anonymizeDocument(document: RunDocument): RunDocument {
  return { ...document, name: withheldName, message: getText(document.code) };
}

/** A line of the report without name and reason. */
export function anonymizeResult(result: RunResult): RunResult {
  const [code = ''] = result.reason.split(':');
  return { ...result, name: withheldName, reason: code in errorCatalogue ? code : '' };
}

/** A part with failures reduced to codes and warnings reduced to a count. */
export function anonymizePart(part: RunPart): RunPart {
  if (!part.report) return part;
  const { failures, warnings } = part.report;
  return {
    ...part,
    report: {
      ...part.report,
      failures: failures.map((failure) => ({ ...failure, name: withheldName, message: getText(failure.code) })),
      warnings: withholdWarnings(warnings),
    },
  };
}

function withholdWarnings(warnings: readonly string[]): string[] {
  return warnings.length === 0 ? [] : [`${countNouns(warnings.length, 'warning')}: ${withheldName}`];
}

function getText(code: string): string {
  return code in errorCatalogue ? getCatalogueText(code) : withheldName;
}
