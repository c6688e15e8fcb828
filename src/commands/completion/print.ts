import { command } from '../../cli/command.ts';
import type { Shell } from '../../cli/values.ts';

export const printForBash = print('bash', 'source <(bizmsg completion bash)');
export const printForZsh = print('zsh', 'source <(bizmsg completion zsh)');
export const printForFish = print('fish', 'bizmsg completion fish | source');

function print(shell: Shell, once: string) {
  return command({
    name: shell,
    summary: `Print what ${shell} needs to complete bizmsg`,
    details: `To try it in one shell alone: ${once}`,
    params: {},
    examples: [`completion ${shell}`],
    sample: `${shell === 'zsh' ? '#compdef bizmsg\n' : ''}# ${shell} completion of bizmsg, by bizmsg completion.…\n…`,
    honours: [],
    piped: 'verbatim',
    run: async (context) => (await context.completions()).shim(shell),
    view: (text) => text.toString(),
  });
}
