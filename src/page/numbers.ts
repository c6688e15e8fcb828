/** §6: the numbers with a fixed outcome. */
export const testNumbers = [
  { phone: '+12025550101', does: 'always delivers' },
  { phone: '+12025550102', does: 'always fails' },
  { phone: '+12025550103', does: 'delivers after 5 s' },
] as const;
