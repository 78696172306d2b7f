import { Type } from '@sinclair/typebox';
import { AppError } from '../../model/errors';
import { findModelProvider, modelProviders } from '../../model/llm/providers';
import { ProviderModels } from '../../model/llm/wire';
import { route } from '../http/route';

export const listProviderModels = route({
  method: 'GET',
  path: '/api/v1/providers/{provider}/models',
  summary: 'The models of a provider: the local model host, or the hosted vendor.',
  description:
    'Lists are cached for a minute, and the dimension of a local model as long as the model does not change. The reply names the provider as the request did.',
  params: Type.Object({
    provider: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'localmodel (also ollama) or hostedmodel (also watsonx).',
    }),
  }),
  query: Type.Object({
    api_base: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description: 'hostedmodel only: another https address of the vendor. Default: HOSTEDMODEL_API_BASE_URL.',
      }),
    ),
  }),
  replies: { 200: ProviderModels },
  errors: [
    'UNSUPPORTED_PROVIDER',
    'INVALID_API_BASE',
    'MISSING_CONFIGURATION',
    'ADDRESS_NOT_ALLOWED',
    'LOCALMODEL_CONNECTION_FAILED',
    'CONNECTION_ERROR',
    'EXTERNAL_SERVICE_ERROR',
    'HOSTEDMODEL_AUTH_FAILED',
    'INVALID_RESPONSE',
  ],
  handler: async ({ params, query, services }) => {
    const provider = findModelProvider(params.provider);
    if (!provider) {
      throw new AppError(
        'UNSUPPORTED_PROVIDER',
        `There is no model provider '${params.provider}'; there are: ${Object.keys(modelProviders).join(', ')}.`,
        { target: { type: 'parameter', name: 'provider' } },
      );
    }
    if (provider === 'localmodel' && query.api_base !== undefined) {
      throw new AppError(
        'INVALID_API_BASE',
        'api_base is for the provider hostedmodel; the local host is configured.',
        {
          target: { type: 'parameter', name: 'api_base' },
        },
      );
    }
    return { provider: params.provider, models: await services.models.list(provider, query.api_base) };
  },
});
