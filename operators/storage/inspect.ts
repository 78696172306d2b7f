import type { Inspection } from '../inspection';

const pointer = '/destination';

/** Denied rights of the destination are errors. */
export const inspection: Inspection = {
  pointer,
  async inspect({ config, services, reader, signal }) {
    const rights = await services.destinations.check(config, reader, signal);
    return {
      errors: rights.flatMap(({ outcome, code, message }) =>
        outcome === 'denied'
          ? [{ code: code ?? 'EXPORT_NOT_ALLOWED', message: `Seen from the api: ${message}`, pointer }]
          : [],
      ),
    };
  },
};
