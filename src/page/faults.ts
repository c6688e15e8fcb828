import { type EndpointName, endpoints } from '../contract/endpoints.ts';
import type { OutputOf } from '../sandbox/control/operations.ts';

type Effect = OutputOf<'faults'>[number]['effect'];

/** Such as `POST send-template`. */
export function endpointText(name: EndpointName): string {
  const { method, path } = endpoints[name];
  return `${method} ${path.replace(/.*\//, '')}`;
}

export const answerEffects = {
  status: 'answers with a status',
  latency: 'answers late',
  reset: 'resets the connection',
  hang: 'never answers',
  truncate: 'stops in the middle of the answer',
  garbage: 'answers without JSON',
} as const;

export const eventEffects = {
  delay: 'is delivered late',
  drop: 'is not delivered',
  duplicate: 'is delivered twice',
  'bad-signature': 'has an invalid signature',
  'stale-timestamp': 'has an old timestamp',
} as const;

export type EffectKind = keyof typeof answerEffects | keyof typeof eventEffects;

const effects: Readonly<Record<EffectKind, string>> = { ...answerEffects, ...eventEffects };

export function isEffectKind(name: string): name is EffectKind {
  return Object.hasOwn(effects, name);
}

export function effectText(effect: Effect): string {
  if (effect.kind === 'status') return `answers with ${effect.status}`;
  const text = effects[effect.kind];
  return 'ms' in effect ? `${text}, by ${effect.ms / 1_000} s` : text;
}

/** The amount is a status, or seconds. */
export function effectOf(kind: EffectKind, amount: number): Effect {
  if (kind === 'status') return { kind, status: amount };
  if (kind === 'latency' || kind === 'delay') return { kind, ms: amount * 1_000 };
  return { kind };
}
