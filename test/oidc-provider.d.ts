// What the tests use of the provider, which brings no types.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  export interface Interaction {
    prompt: { name: string };
    params: Record<string, unknown>;
    grantId?: string;
    session?: { accountId: string };
  }
  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>);
    readonly issuer: string;
    callback(): RequestListener;
    interactionDetails(...exchange: Parameters<RequestListener>): Promise<Interaction>;
    interactionFinished(request: unknown, response: unknown, result: Record<string, unknown>): Promise<void>;
    readonly Grant: new (of: { accountId: string; clientId: string }) => {
      addOIDCScope(scope: string): void;
      save(): Promise<string>;
    };
  }
}
