/** How many records of each kind a sandbox keeps. The oldest make room for new ones. */
export const keeping = {
  /** Requests with a known key: what the audit logs of all keys hold together. */
  requests: 10_000,
  /** Requests without one. */
  strangers: 1_000,
  /** Events, each with its deliveries. */
  events: 50_000,
  messages: 100_000,
  /** What customers wrote, flows that were completed, orders: of each. */
  happenings: 10_000,
} as const;
