import { locate, type FlowAlert, type OperatorsByName } from './alert';
import { buildEffectiveConfig } from './config';
import type { FlowDefinition } from './flow';
import { type FlowGraph, getProducer } from './graph';

/** Finds invalid branch inputs: an input must name an existing branch, and a branch must not have the name of an operator. */
export function findBranchProblems(flow: FlowDefinition, graph: FlowGraph, operators: OperatorsByName): FlowAlert[] {
  const branches = new Map<string, string[]>();
  for (const operator of graph.operators.values()) {
    const list = operators.get(operator.type)?.branches?.(buildEffectiveConfig(flow, operator));
    if (list) branches.set(operator.name, list);
  }
  return [...findWrongInputs(flow, graph, branches), ...findAmbiguous(flow, graph, branches)];
}

function findWrongInputs(flow: FlowDefinition, graph: FlowGraph, branches: ReadonlyMap<string, string[]>): FlowAlert[] {
  return flow.flow.flatMap((operator, index) =>
    (graph.inputs.get(operator.name) ?? []).flatMap((input) => {
      const producer = getProducer(input, graph.operators);
      const branch = input.slice(producer.length + 1);
      const reason = describeWrongInput(producer, branches.get(producer), branch);
      return reason === undefined
        ? []
        : [
            {
              message_code: 'BRANCH_NOT_FOUND',
              message: `'${operator.name}' ${reason}`,
              ...locate(operator, index, '/depends_on'),
            },
          ];
    }),
  );
}

/** The end of a sentence that begins with the consumer; undefined for a valid input. */
function describeWrongInput(producer: string, branchNames: string[] | undefined, branch: string): string | undefined {
  if (!branchNames)
    return branch === '' ? undefined : `takes the branch '${branch}' of '${producer}', which has no branches.`;
  const known =
    branchNames.length === 0
      ? 'it has none'
      : `there are ${branchNames.map((name) => `${producer}.${name}`).join(', ')}`;
  if (branch === '') return `depends on '${producer}' and must name one of its branches: ${known}.`;
  return branchNames.includes(branch)
    ? undefined
    : `takes the branch '${branch}' of '${producer}', which has no such branch: ${known}.`;
}

function findAmbiguous(flow: FlowDefinition, graph: FlowGraph, branches: ReadonlyMap<string, string[]>): FlowAlert[] {
  return [...branches].flatMap(([name, list]) =>
    list
      .filter((branch) => graph.operators.has(`${name}.${branch}`))
      .map((branch) => {
        const index = flow.flow.findIndex((operator) => operator.name === `${name}.${branch}`);
        const operator = flow.flow[index];
        return {
          message_code: 'OPERATOR_NAME_REPEATED',
          message: `The operator '${name}.${branch}' has the same name as the branch '${branch}' of '${name}'.`,
          ...(operator ? locate(operator, index, '/name') : { pointer: '/flow' }),
        };
      }),
  );
}
