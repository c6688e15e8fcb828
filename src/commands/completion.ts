import { dirname, join } from 'node:path';
import { ownText } from '../base/files.ts';
import { command } from '../cli/command.ts';
import { chosen, knowing, required } from '../cli/params.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
const scripts = { bash: 'bizmsg.bash', zsh: '_bizmsg', fish: 'bizmsg.fish', powershell: 'bizmsg.ps1' } as const;

export const completion = command({
  name: 'completion',
  summary: 'Print the completion script for a shell',
  details: `Add the line of your shell to its start-up file. bizmsg must be in PATH; in a clone, run npm link.
      ~/.bashrc                   eval "$(bizmsg completion bash)"
      ~/.zshrc                    eval "$(bizmsg completion zsh)"
      ~/.config/fish/config.fish  bizmsg completion fish | source
      $PROFILE  bizmsg completion powershell | Out-String | Invoke-Expression`,
  params: {
    shell: knowing(
      shells,
      required('<shell>', `the shell: ${shells.join(', ')}`, (text) => chosen(text, shells)),
    ),
  },
  examples: ['completion bash', 'completion zsh', 'completion fish', 'completion powershell'],
  accepts: [],
  piped: 'verbatim',
  run: async ({ host }, { shell: named }) =>
    Buffer.from(ownText(join(dirname(host.self[1] ?? ''), '../completions', scripts[named]))),
  view: (text) => text.toString(),
});
