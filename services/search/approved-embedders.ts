import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import { isSameHost } from '../net/addresses';
import type { MayFetch } from './ranking/vectors';

/** The settings with the model servers that searches may use. */
export type EmbedderSettings = Pick<Config, 'LOCALMODEL_HOST'> &
  Partial<Pick<Config, 'HOSTEDMODEL_API_BASE_URL' | 'DOCLOOM_SEARCH_EMBEDDERS'>>;

/**
 * The model servers to which queries may be sent. Every user who can run a flow can create an index, so the server that an index names
 * is used only if the operator configured the same host and port.
 */
export function createEmbedderRule(settings: EmbedderSettings): MayFetch {
  const configured = [settings.LOCALMODEL_HOST, settings.HOSTEDMODEL_API_BASE_URL ?? ''].flatMap((text) =>
    URL.canParse(text) ? [new URL(text)] : [],
  );
  const approved = [...configured, ...(settings.DOCLOOM_SEARCH_EMBEDDERS ?? []).flatMap(listAddresses)];
  return (address) => {
    const url = URL.canParse(address) ? new URL(address) : undefined;
    return approved.some(
      (candidate) =>
        url?.protocol === candidate.protocol &&
        url.port === candidate.port &&
        isSameHost(url.hostname, candidate.hostname),
    );
  };
}

/** An entry is an address, or host and port for both protocols. */
function listAddresses(entry: string): URL[] {
  const texts = entry.includes('://') ? [entry] : [`http://${entry}`, `https://${entry}`];
  return texts.map((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url && /^https?:$/.test(url.protocol) && url.username === '') return url;
    throw new AppError(
      'INVALID_CONFIGURATION',
      `DOCLOOM_SEARCH_EMBEDDERS has the entry '${entry}'; expected an address or a host with a port, as in https://models.example/v1 or 127.0.0.1:8000.`,
    );
  });
}
