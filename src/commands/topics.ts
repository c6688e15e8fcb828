/** The help topics. None is loaded before it is asked for. */
export const topics = {
  'exit-codes': async () => (await import('./topics/exit-codes.ts')).exitCodesTopic,
  environment: async () => (await import('./topics/environment.ts')).environmentTopic,
  output: async () => (await import('./topics/output.ts')).outputTopic,
  announced: async () => (await import('./topics/announced.ts')).announcedTopic,
} as const;
