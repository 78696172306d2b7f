import type { CheckedRight } from '../../services/source/check';
import type { Finding, Inspection } from '../inspection';

const pointer = '/connection_params';

/** Denied rights are errors, except that of access lists: documents whose list cannot be used fail one by one. */
export const inspection: Inspection = {
  pointer,
  async inspect({ config, services, reader, signal }) {
    const rights = await services.sources.check(config, reader, signal);
    return {
      errors: rights.filter(({ right }) => right !== 'access').flatMap(toFindings),
      warnings: rights.filter(({ right }) => right === 'access').flatMap(toFindings),
    };
  },
};

function toFindings({ outcome, code, message }: CheckedRight): Finding[] {
  return outcome === 'denied'
    ? [{ code: code ?? 'SOURCE_UNREADABLE', message: `Seen from the api: ${message}`, pointer }]
    : [];
}
