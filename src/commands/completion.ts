import { command } from '../cli/command.ts';
import { printOptions } from '../cli/globals.ts';
import { argument, knowing, type Shell, shell, shells } from '../cli/params.ts';

const printForBash = print('bash', 'source <(bizmsg completion bash)');
const printForZsh = print('zsh', 'source <(bizmsg completion zsh)');
const printForFish = print('fish', 'bizmsg completion fish | source');

function print(shell: Shell, once: string) {
  return command({
    name: shell,
    summary: `Print the completion script for ${shell}`,
    details: `To try it in the current shell: ${once}`,
    params: {},
    examples: [`completion ${shell}`],
    sample: `${shell === 'zsh' ? '#compdef bizmsg\n' : ''}# ${shell} completion of bizmsg, by bizmsg completion.…\n…`,
    accepts: [],
    piped: 'verbatim',
    run: async ({ host }) => Buffer.from((await installer()).completionScript(shell, host)),
    view: (text) => text.toString(),
  });
}

const shellParam = knowing(
  { of: shells },
  argument('[shell]', `the shell: ${shells.join(', ')} (default: the one in SHELL)`, shell),
);

const install = command({
  name: 'install',
  summary: 'Install the completion script where the shell looks for it',
  details: [
    'bash loads it with the package bash-completion, fish without any setting. For zsh, and for bash without',
    'that package, the command prints the line to add to ~/.zshrc or ~/.bashrc; it changes no such file.',
  ].join('\n'),
  params: { shell: shellParam },
  examples: ['completion install zsh', 'completion install fish'],
  sample:
    'Wrote /home/ada/.local/share/zsh/site-functions/_bizmsg\nAdd this line to /home/ada/.zshrc:\n  …\nIt works in the next shell.',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { shell: named }) => {
    const { installCompletion, isOnPath, usualShell } = await installer();
    const { host } = context;
    const installed = installCompletion(named ?? usualShell(host.env), host);
    if (!isOnPath(host.env))
      context.note('not-on-path', 'bizmsg is not in PATH, so the shell cannot call it; in a clone, run npm link');
    return installed;
  },
  view: ({ shell: name, file, file_is: fileIs, start_up: startUp, line }, ui) => {
    const add = name === 'bash' ? 'If bash-completion is not loaded, add' : 'Add';
    return [
      fileIs === 'written' ? `${ui.color.green('Wrote')} ${file}` : `${file} is up to date`,
      ...(line === null ? [] : [`${add} this line to ${startUp}:`, `  ${line}`]),
      'It works in the next shell.',
    ].join('\n');
  },
});

const uninstall = command({
  name: 'uninstall',
  summary: 'Remove the completion script',
  params: { shell: shellParam },
  examples: ['completion uninstall zsh'],
  sample: 'Removed /home/ada/.local/share/zsh/site-functions/_bizmsg',
  accepts: printOptions,
  changes: true,
  piped: 'text',
  run: async (context, { shell: named }) => {
    const { uninstallCompletion, usualShell } = await installer();
    const { host } = context;
    return uninstallCompletion(named ?? usualShell(host.env), host);
  },
  view: ({ file, file_is: fileIs, start_up: startUp, line }, ui) =>
    [
      fileIs === 'removed' ? `${ui.color.green('Removed')} ${file}` : `${file} is not installed`,
      ...(line === null ? [] : [`Remove this line from ${startUp}:`, `  ${line}`]),
    ].join('\n'),
});

export const completionCommands = [printForBash, printForZsh, printForFish, install, uninstall];

async function installer() {
  return import('../cli/complete/install.ts');
}
