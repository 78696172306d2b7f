import { hash } from 'node:crypto';
import { v5 } from 'uuid';

/**
 * The job id of a command-line run: a UUID version 5 in the DNS namespace of `<slug>_<hash>`. The slug is the name in lower case
 * with runs of non-word characters replaced by `-`; the hash is the first 8 hexadecimal digits of the name's SHA-256.
 * `my-pipeline` becomes aec97d92-fe4a-5801-ac8b-90f274c32349. Equal names have equal ids.
 */
export function getJobId(flowName: string): string {
  const slug = flowName
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return v5(`${slug}_${hash('sha256', flowName).slice(0, 8)}`, v5.DNS);
}
