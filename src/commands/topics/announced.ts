import { announced } from '../../contract/endpoints.ts';

const lines = announced.map(({ family, what }) => `  ${family.padEnd(10)} ${what.join(', ')}`);

export const announcedTopic = `Announced by the API as coming soon, with no path yet. No command pretends to
have any of it.

${lines.join('\n')}
`;
