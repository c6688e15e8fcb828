import { unsafe } from '../base/errors.ts';
import type { Env } from '../base/host.ts';
import { shellQuote } from '../base/shell-quote.ts';
import { isLoopback } from '../client/address.ts';
import type { CheckedTarget, Session } from './session.ts';

/** What AI agents set for the commands that they run. Editors set other variables in a person's terminal, too. */
const variables = `AI_AGENT ANTIGRAVITY_AGENT AUGMENT_AGENT CLAUDECODE CLAUDE_CODE CLAUDE_CODE_ENTRYPOINT CLINE_ACTIVE CODEX_CI
  CODEX_SANDBOX CODEX_THREAD_ID COPILOT_CLI CURSOR_AGENT GEMINI_CLI GOOSE_TERMINAL OPENCODE OPENCODE_CLIENT QWEN_CODE`;

/** The variable that shows that an AI agent runs this command. */
function agentIn(env: Env): string | undefined {
  return variables.split(/\s+/).find((name) => !['', '0', 'false', undefined].includes(env[name]));
}

/** An agent does not release its own seat belt. */
export function refuseAgentAsPerson(env: Env): void {
  const name = agentIn(env);
  if (name === undefined) return;
  const hint = 'nothing was changed; ask a person to run this command in a terminal of their own';
  throw unsafe('agent', `an AI agent runs this command (${name} is set), and only a person may allow this`, hint);
}

/** A seat belt: throws if an AI agent would send or change something with a live key, unless a person allowed it. */
export function refuseAgent({ host, given }: Session, { caller, target }: CheckedTarget): void {
  const isAllowed = 'agents' in caller && caller.agents === 'live';
  if (given.dryRun || target.mode === 'sandbox' || isAllowed) return;
  const name = agentIn(host.env);
  if (name === undefined || isLoopback(new URL(target.baseUrl).hostname)) return;
  const who = target.profile === undefined ? 'NAME' : shellQuote(target.profile);
  throw unsafe(
    'agent',
    `an AI agent runs this command (${name} is set), and the key is live`,
    `nothing was sent; practice with --profile local or --dry-run; a person can allow it: bizmsg profiles set ${who} --agents live`,
  );
}
