import type { GraphOptions } from '../model/graph/wire';
import { ConfigurationError } from './core/errors';
import type { PipelineOptions } from './pipeline-options';
import { templateFromText } from './template/file';
import type { GraphTemplate } from './template/model';
import { templateFrom } from './template/template';

/** The pipeline options among the service's options for a graph. */
export function toPipelineOptions({
  formats: _formats,
  type: _type,
  provider_config: _config,
  ...options
}: GraphOptions): Partial<PipelineOptions> {
  return { ...options, backend: options.backend ?? 'rules', provenance: options.provenance ?? 'standard' };
}

/** Parses the template of a configuration. Throws a ConfigurationError with all problems if it is invalid or only a name. */
export function getTemplate(source: string | object): GraphTemplate {
  if (typeof source === 'string' && /^[\w$-]+(?:[./\\][\w$-]+)*$/.test(source.trim()))
    throw new ConfigurationError(
      `The template is '${source.trim()}', a name; expected the template itself, as an object or as YAML or JSON text`,
    );
  const template = typeof source === 'string' ? templateFromText(source, 'template') : templateFrom(source);
  if (template.classes.get(template.root)?.isEntity === false)
    throw new ConfigurationError(`The root '${template.root}' of the template is a component, which makes no node`);
  return template;
}
