import { Button } from '@mantine/core';
import type { GraphPair } from '../../../client';
import { formatPercent, formatTime } from '../../format';
import { Value } from '../../parts/value';
import { texts } from '../../texts';
import { toKnowledgeNode } from '../model';
import { SupportList } from './support';

type State = GraphPair['state'];

/** The possible decisions on a pair in a state, the usual one first. */
const choices: Readonly<Record<State, readonly State[]>> = {
  open: ['same', 'different'],
  same: ['different', 'open'],
  different: ['same', 'open'],
};

/** Two nodes side by side: their properties, why they may mean the same thing, and the passages about each. */
export function PairCard({
  pair,
  onDecide,
  onLater,
}: {
  pair: GraphPair;
  onDecide: ((state: State) => void) | undefined;
  onLater: (() => void) | undefined;
}) {
  const { nodes, state, score, reasons, decided_by: by, decided_at: at } = pair;
  const [node, other] = nodes.map(toKnowledgeNode);
  if (!node || !other) return null;
  const nameAction = (value: string) => texts.pairs.one(value, node.title, other.title);
  const words = state === 'open' ? texts.pairs.found : texts.pairs.decided;
  return (
    <section className="panel" aria-label={nameAction(node.type)}>
      <p className="muted">
        {node.type} · {texts.pairs.score(formatPercent(score))}
        {reasons.length > 0 ? `: ${reasons.map(describeReason).join(', ')}` : null}
      </p>
      <Comparison one={node} other={other} />
      <div className="twins">
        {nodes.map(({ id, support }) => (
          <div key={id}>
            <SupportList support={support} limit={2} />
          </div>
        ))}
      </div>
      <div className="actions pair-actions">
        {onDecide
          ? choices[state].map((choice, index) => (
              <Button
                key={choice}
                size="xs"
                variant={index === 0 && state === 'open' ? 'filled' : 'default'}
                aria-label={nameAction(nameDecision(state, choice))}
                onClick={() => onDecide(choice)}
              >
                {nameDecision(state, choice)}
              </Button>
            ))
          : null}
        {onLater && state === 'open' ? (
          <Button size="xs" variant="default" aria-label={nameAction(texts.pairs.later)} onClick={onLater}>
            {texts.pairs.later}
          </Button>
        ) : null}
        <span className="state-note">{words(texts.pairs.by[by], formatTime(at))}</span>
      </div>
    </section>
  );
}

function nameDecision(from: State, to: State): string {
  if (to === 'same') return texts.pairs.merge;
  if (to === 'open') return texts.pairs.reopen;
  return from === 'same' ? texts.pairs.undo : texts.pairs.apart;
}

function describeReason({ code, property }: GraphPair['reasons'][number]): string {
  const words = texts.pairs.reasons[code];
  return property === undefined ? words : texts.pairs.reason(words, property);
}

type Shown = ReturnType<typeof toKnowledgeNode>;

/** The properties of both, row by row; different values are marked with a word. */
function Comparison({ one, other }: { one: Shown; other: Shown }) {
  const [left, right] = [new Map(one.attributes), new Map(other.attributes)];
  const names = [...new Set([...left.keys(), ...right.keys()])];
  return (
    <div className="scroll" tabIndex={0} role="group" aria-label={`${one.title}, ${other.title}`}>
      <table className="twin-table">
        <thead>
          <tr>
            <th scope="col">{texts.pairs.property}</th>
            <th scope="col">{one.title}</th>
            <th scope="col">{other.title}</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name} data-same={JSON.stringify(left.get(name)) === JSON.stringify(right.get(name))}>
              <th scope="row">{name}</th>
              {[left, right].map((values, index) => (
                <td key={index === 0 ? 'one' : 'other'}>
                  {values.has(name) ? <Value value={values.get(name)} /> : <span className="state-note">–</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
