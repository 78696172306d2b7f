import { embeddingPacks, findModelLanguages } from '../../../model/llm/model-packs';
import { detectQuestionLanguage } from '../refine/function-words';
import { bestHits, type Ranked } from './fusion';
import { findLanguageName } from './read-language';
import type { RankingTools } from './tools';
import type { VectorGroup } from './vectors';

type Embedded = readonly { group: Pick<VectorGroup, 'embedding'> }[];

const multilingualPack = embeddingPacks.find(({ languages }) => languages === undefined)?.name;

/** The languages that each group's model knows. */
export function listLanguages(
  embedded: Embedded,
  tools: Pick<RankingTools, 'builtin'>,
): (readonly string[] | undefined)[] {
  return embedded.map((item) => findModelLanguages(findModel(item, tools)));
}

/** Whether each group's model is known to know many languages. Nothing is known of models of others. */
export function isMultilingual(
  groups: readonly Embedded[number]['group'][],
  tools: Pick<RankingTools, 'builtin'>,
): boolean {
  const models = groups.map((group) => findModel({ group }, tools));
  return (
    models.length > 0 &&
    models.every((model) => embeddingPacks.some(({ name, languages }) => name === model && languages === undefined))
  );
}

/**
 * Says if a question in one language can hardly find records in another one, because a model that ranked readable records does not
 * know one of the two. Nothing if the best hits by words are in the language of the question: they need no model. A query without
 * a recognized language is mostly a name.
 */
export function listLanguageWarnings(
  question: string,
  { text, near, embedded }: { text: readonly Ranked[] | undefined; near: readonly Ranked[][]; embedded: Embedded },
  tools: Pick<RankingTools, 'builtin'>,
): string[] {
  const own = detectQuestionLanguage(question);
  const found = findMajority(text ?? []);
  if (own === undefined || own === found) return [];
  const languages = listLanguages(embedded, tools);
  // Models of records that the user may not read are not revealed.
  return embedded.flatMap((item, position) => {
    const known = languages[position];
    const missing = [own, found].filter((code) => code !== undefined && known?.includes(code) === false);
    if (missing.length === 0 || near[position]?.length === 0) return [];
    return [formatLanguageWarning(findModel(item, tools) ?? '', missing.map(findLanguageName))];
  });
}

function formatLanguageWarning(model: string, missing: readonly (string | undefined)[]): string {
  return (
    `The embedding model '${model}' does not know ${missing.join(' and ')}, so it rarely finds records in a language other than that of the query. ` +
    `The model pack ${multilingualPack} knows about a hundred languages: 'docloom models add ${multilingualPack}', then index the documents with it.`
  );
}

function findModel(
  { group: { embedding } }: Embedded[number],
  { builtin }: Pick<RankingTools, 'builtin'>,
): string | undefined {
  return (embedding.type === 'builtin' ? builtin : embedding).model_id;
}

/** The language of more than half of the best hits. */
function findMajority(text: readonly Ranked[]): string | undefined {
  const best = text.slice(0, bestHits).map(({ language }) => language);
  return best.find((language) => best.filter((other) => other === language).length > best.length / 2);
}
