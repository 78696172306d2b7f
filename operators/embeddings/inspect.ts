import type { Inspection } from '../inspection';

const requestTimeoutSeconds = 10;

/** Embeds one word. */
export const inspection: Inspection = {
  pointer: '/provider_config',
  async inspect({ config, services, signal }) {
    const provider = (config['provider_config'] ?? {}) as Record<string, unknown>;
    const probe = { ...config, provider_config: { ...provider, max_retries: 0, timeout: requestTimeoutSeconds } };
    const [vector] = await services.embedder.embed(['probe'], probe, signal);
    return { errors: [], ...(vector ? { vectorDimension: vector.length } : {}) };
  },
};
