import { command } from '../../cli/command.ts';
import { printing } from '../../cli/globals.ts';
import { shellParam } from './shell-param.ts';

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
    const completions = await context.completions();
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
