import { command, type Context } from '../cli/command.ts';
import { printing } from '../cli/globals.ts';
import { argument, knowing, type Shell, shell, shells } from '../cli/params.ts';

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
    run: async (context) => (await completionsOf(context)).shim(shell),
    view: (text) => text.toString(),
  });
}

export const shellParam = knowing(
  { of: shells },
  argument('[shell]', `the shell: ${shells.join(', ')} (that of SHELL)`, shell),
);

export const installCompletion = command({
  name: 'install',
  summary: 'Install completion where the shell looks for it',
  details: [
    'bash: in bash-completion/completions, and where bash-completion is not there, one line in ~/.bashrc.',
    'zsh: in a folder of its fpath, or else in one that a block in ~/.zshrc names. fish: in its completions.',
    'A start-up file is changed only after a yes, or with --yes. A second time changes nothing, and completion',
    'uninstall takes it back.',
  ].join('\n'),
  params: { shell: shellParam },
  examples: ['completion install zsh --yes', 'completion install fish'],
  sample:
    'Wrote /home/ada/.local/share/zsh/site-functions/_bizmsg\nAdded to /home/ada/.zshrc:\n  …\nIt works in the next shell.',
  honours: [...printing],
  changes: true,
  piped: 'text',
  run: async (context, { shell: asked }) => {
    const completions = await completionsOf(context);
    const name = asked ?? completions.usual();
    const places = completions.places(name);
    if (places.startUp && completions.changesStartUp(places))
      await context.confirm(`Add to ${places.startUp.path} what loads ${places.file}?`);
    if (!completions.isOnPath())
      context.note('not-on-path', 'there is no bizmsg in PATH, which is what the shell asks: try npm link');
    return completions.install(name, places);
  },
  view: ({ file, file_is: fileIs, start_up: startUp, added }, ui) => {
    const lines = [
      fileIs === 'written' ? `${ui.color.green('Wrote')} ${file}` : `${file} was there already`,
      ...(startUp === null
        ? []
        : [added.length === 0 ? `${startUp} names it already` : `${ui.color.green('Added')} to ${startUp}:`]),
    ];
    return [...lines, ...added.map((line) => `  ${line}`), 'It works in the next shell.'].join('\n');
  },
});

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
    const completions = await completionsOf(context);
    return completions.uninstall(shell ?? completions.usual());
  },
  view: ({ file, file_is: fileIs, start_up: startUp, start_up_is: startUpIs }, ui) =>
    [
      fileIs === 'removed' ? `${ui.color.green('Removed')} ${file}` : `There is no ${file} of ours`,
      ...(startUpIs === 'restored' ? [`${ui.color.green('Restored')} ${String(startUp)}`] : []),
    ].join('\n'),
});

export const completionCommands = [printForBash, printForZsh, printForFish, installCompletion, uninstallCompletion];

async function completionsOf({ session }: Context) {
  return (await import('../cli/complete/install.ts')).openCompletions(session.host);
}
