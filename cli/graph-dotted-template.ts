import { ConfigurationError, type GraphTemplate } from '../graph';

/** A template of a module in the working folder. */
export async function loadDottedTemplate(given: string, folder: string): Promise<GraphTemplate> {
  throw new ConfigurationError(`The template '${given}' was not found in ${folder}`, { template: given });
}
