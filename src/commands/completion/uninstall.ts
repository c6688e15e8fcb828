import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { shellParam } from './shell-param.ts';

export const uninstallCompletion = command({
  name: 'uninstall',
  summary: 'Uninstall completion: take back what completion install did',
  params: { shell: shellParam },
  examples: ['completion uninstall zsh'],
  sample: 'Removed /home/ada/.local/share/zsh/site-functions/_bizmsg\nRestored /home/ada/.zshrc',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { shell }) => {
    const completions = await context.completions();
    return completions.uninstall(shell ?? completions.usual());
  },
  view: ({ file, file_is: fileIs, start_up: startUp, start_up_is: startUpIs }, ui) =>
    [
      fileIs === 'removed' ? `${ui.color.green('Removed')} ${file}` : `There is no ${file} of ours`,
      ...(startUpIs === 'restored' ? [`${ui.color.green('Restored')} ${String(startUp)}`] : []),
    ].join('\n'),
});
