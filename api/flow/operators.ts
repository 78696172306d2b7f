import { OperatorCatalogue } from '../../model/flow/wire-operators';
import { route } from '../http/route';
import { buildMetadata } from './operator-metadata';

export const operatorsMetadata = route({
  method: 'GET',
  path: '/api/v1/operators/metadata',
  operationId: 'listOperators',
  summary: 'All operators, with their inputs, outputs and configuration.',
  replies: { 200: OperatorCatalogue },
  handler: ({ services }) =>
    Object.fromEntries(services.operators.map((operator) => [operator.name, buildMetadata(operator)])),
});
