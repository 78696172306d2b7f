/** The providers whose models can be listed, with their aliases. */
export const modelProviders = {
  localmodel: { aliases: ['ollama'] },
  hostedmodel: { aliases: ['watsonx'] },
} as const satisfies Record<string, { aliases: readonly string[] }>;
export type ModelProvider = keyof typeof modelProviders;

/** The provider of that name or alias, ignoring letter case; undefined when there is none. */
export function findModelProvider(name: string): ModelProvider | undefined {
  const entries = Object.entries(modelProviders) as [ModelProvider, { aliases: readonly string[] }][];
  const lowerName = name.toLowerCase();
  return entries.find(([provider, { aliases }]) => provider === lowerName || aliases.includes(lowerName))?.[0];
}
