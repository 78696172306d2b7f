import { readConfig } from '../model/config';
import { addOperators, operators } from '../operators/index';
import { loadConfiguredOperators } from '../services/operator/custom-operators';

/** Adds the operators of the installation, as api and worker do at startup. */
export async function addCustomOperators(env: Record<string, string | undefined>): Promise<void> {
  if (!env['DOCLOOM_CUSTOM_OPERATORS'] && !env['DOCPIPE_CUSTOM_OPERATORS']) return;
  addOperators(
    await loadConfiguredOperators(
      readConfig(env),
      operators.map(({ name }) => name),
    ),
  );
}
