import { words } from '../../support/shell-words.ts';
import { newHome } from '../../support/fake-service.ts';
import { cli } from '../../support/cli.ts';

/** The message and the hint for a line that is refused with exit 2. */
export async function refusal(line: string): Promise<readonly [message: string, hint: string]> {
  const { code, stdout, stderr } = await cli(words(line), { home: newHome() });
  const [message = '', hint = ''] = stderr.split('\n').map((one) => one.trim());
  if (code !== 2 || stdout !== '') throw new Error(`${line}: ${code} ${stdout}`);
  return [message.replace('error: ', ''), hint];
}
