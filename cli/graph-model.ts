import { Option } from 'commander';
import { chatModel, ConfigurationError, type LanguageModel } from '../graph';
import { readConfig } from '../model/config';
import { createLlm } from '../services/llm';
import { resolveSecrets } from '../services/secrets';

/** Which language model extracts, as the command line names it. */
export interface ModelChoice {
  provider?: string;
  model?: string;
  apiBase?: string;
  apiKey?: string;
}

/** The options of `ModelChoice`. */
export function modelOptions(): Option[] {
  return [
    new Option('--provider <type>', 'kind of the model host, for the backend llm').choices([
      'local_api',
      'gateway',
      'hosted',
    ]),
    new Option('--model <name>', 'name of the language model, for the backend llm'),
    new Option('--api-base <url>', 'address of the model host; default: that of the configuration'),
    new Option('--api-key <reference>', 'key of the model host, as a reference such as ${DOCLOOM_SECRET_MODEL}'),
  ];
}

/** The chosen model; the settings of the environment name hosts and allowed addresses. Whoever opens it closes it. */
export function openGraphModel(
  { provider = 'local_api', model: name, apiBase, apiKey }: ModelChoice,
  env: Record<string, string | undefined>,
): { model: LanguageModel; close(): void } {
  if (name === undefined)
    throw new ConfigurationError('The backend llm needs a model: give its name with --model', { option: '--model' });
  const provider_config = {
    model_id: name,
    ...(apiBase === undefined ? {} : { api_base: apiBase }),
    ...(apiKey === undefined ? {} : { api_key: apiKey }),
  };
  const llm = createLlm(readConfig(env));
  const settings = resolveSecrets({ type: provider, provider_config }, env);
  const never = new AbortController().signal;
  const model = chatModel((question, signal = never) => llm.chat(question, settings, signal));
  return { model, close: () => llm.close() };
}
