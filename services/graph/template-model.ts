import type { Config } from '../../model/config';
import { AppError } from '../../model/errors';
import { addUsage, type ModelUsage, createEmptyUsage } from '../../model/llm/model-host';
import type { ChatRequest, Llm } from '../llm/ports';

/** A draft that the model of the operator may improve. */
export interface TemplateDrafting {
  /** The caller limits the number of characters of a request. */
  ask(question: ChatRequest, signal: AbortSignal): Promise<{ text: string; isTruncated: boolean }>;
  usage: ModelUsage;
  close(): void;
}

/** The model that improves drafts of graph templates. The operator configures it; requests cannot name another one. */
export interface TemplateModel {
  isConfigured: boolean;
  /**
   * Throws SERVICE_UNAVAILABLE if no model is configured, and TOO_MANY_REQUESTS while another draft of the user is
   * being improved.
   */
  open(username: string): TemplateDrafting;
}

const maxTokens = 4_096;
const timeoutSeconds = 120;

/** The configured model, with the same limits as every other call. One draft of a user at a time, in this process. */
export function createTemplateModel(
  llm: Pick<Llm, 'chat'>,
  {
    DOCLOOM_TEMPLATE_MODEL: model,
    LOCALMODEL_HOST: address,
  }: Pick<Config, 'DOCLOOM_TEMPLATE_MODEL' | 'LOCALMODEL_HOST'>,
): TemplateModel {
  const open = new Set<string>();
  const protocol = URL.canParse(address) && new URL(address).pathname !== '/' ? { protocol: 'openai' as const } : {};
  const settings = {
    type: 'local_api',
    provider_config: { model_id: model, timeout: timeoutSeconds, max_retries: 0, ...protocol },
  };
  return {
    isConfigured: model !== '',
    open(username) {
      if (model === '')
        throw new AppError(
          'SERVICE_UNAVAILABLE',
          'No model improves templates on this server: DOCLOOM_TEMPLATE_MODEL is not set.',
        );
      if (open.has(username))
        throw new AppError(
          'TOO_MANY_REQUESTS',
          'The model is working on another draft of yours; wait for it to finish.',
        );
      open.add(username);
      const usage = createEmptyUsage();
      return {
        ask: (question, signal) =>
          llm.chat({ ...question, temperature: 0, maxTokens }, settings, signal, (used) => addUsage(usage, used)),
        usage,
        close: () => void open.delete(username),
      };
    },
  };
}
