export interface Plan {
  /** Requests per minute; undefined if agreed with the customer. */
  readonly perMinute: number | undefined;
  /** Messages per month; undefined if unlimited. */
  readonly perMonth: number | undefined;
}

// §8
export const plans = {
  starter: { perMinute: 60, perMonth: 3_000 },
  growth: { perMinute: 300, perMonth: 15_000 },
  scale: { perMinute: 1_000, perMonth: 50_000 },
  enterprise: { perMinute: undefined, perMonth: undefined },
} as const satisfies Record<string, Plan>;

export type PlanName = keyof typeof plans;

export const planNames = ['starter', 'growth', 'scale', 'enterprise'] as const satisfies readonly PlanName[];
