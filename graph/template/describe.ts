import type { GraphTemplate, TemplateClass, TemplateField } from './model';
import { reachableClasses } from './template';

/** Describes a template in Markdown: a section per class, and a line per relation. */
export function describeTemplate(template: GraphTemplate): string {
  const classes = reachableClasses(template);
  const lines = [
    `# Template ${template.root}`,
    '',
    ...classes.flatMap((templateClass) => classLines(template, templateClass)),
  ];
  const relations = classes.flatMap((templateClass) =>
    templateClass.fields.flatMap((field) => relationLine(template, templateClass, field)),
  );
  if (relations.length > 0) lines.push('## Relations', '', ...relations, '');
  return lines.join('\n');
}

function classLines(template: GraphTemplate, templateClass: TemplateClass): string[] {
  const { name, isEntity, idFields, maxInstances, description, fields } = templateClass;
  const identity = idFields.length > 0 ? `known by ${idFields.map(code).join(', ')}` : 'known by all it says';
  const limitText = maxInstances === undefined ? '' : `, at most ${maxInstances}`;
  const kind = isEntity ? `Entity, ${identity}${limitText}.` : 'Component: stays inside its owner.';
  return [
    `## ${plain(name)}${name === template.root ? ' (root)' : ''}`,
    '',
    ...(description ? [plain(description), ''] : []),
    kind,
    '',
    '| field | type | | |',
    '| --- | --- | --- | --- |',
    ...fields.map((field) => {
      const required = field.isRequired ? 'required' : '';
      return `| ${code(field.name)} | ${typeText(field)} | ${required} | ${plain(field.description ?? '')} |`;
    }),
    '',
  ];
}

function typeText({ type, model, isList, choices, container }: TemplateField): string {
  const single = choices ? choices.values.map(code).join(', ') : (model ?? container?.kind ?? type);
  return isList ? `list of ${plain(single)}` : plain(single);
}

function relationLine({ classes }: GraphTemplate, templateClass: TemplateClass, field: TemplateField): string[] {
  if (!field.model || classes.get(field.model)?.isEntity === false) return [];
  const many = field.isList ? 'many' : 'one';
  const reverse = field.reverseLabel ? `, back ${code(field.reverseLabel)}` : '';
  const label = code(field.edgeLabel ?? field.name);
  return [`- ${plain(templateClass.name)} ${label} ${plain(field.model)} (${many}${reverse})`];
}

const code = (text: string) => `\`${text.replace(/[`|\n]/g, ' ')}\``;
const plain = (text: string) => text.replace(/\s+/g, ' ').replace(/\|/g, '\\|').replace(/</g, '&lt;');
