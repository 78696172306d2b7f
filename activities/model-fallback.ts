import { settings } from '../model/config';
import { findModelType } from '../model/llm/model-host';

/**
 * The model host for a model type when the configuration of the operator names none: the hosted API when it is set, else the
 * local host.
 */
export function findDefaultHost(type: unknown, env: Readonly<Record<string, string | undefined>>): string {
  const isHosted = typeof type === 'string' && findModelType(type) === 'hosted';
  const local = env['LOCALMODEL_HOST']?.trim() || settings.LOCALMODEL_HOST.default;
  return (isHosted && env['HOSTEDMODEL_API_BASE_URL']?.trim()) || local;
}
