import { endpointNames } from '../../../contract/endpoints.ts';
import { plans } from '../../../contract/plans.ts';
import type { OutputOf } from '../../../sandbox/control/operations.ts';
import { act } from '../../asked.ts';
import { ask } from '../../connection.ts';
import { numberIn } from '../../form.ts';
import { endpointText } from '../../faults.ts';

/** Limits and endpoints other than those of the plan. */
export function PlanForm({ plan }: { readonly plan: OutputOf<'usage'>['plan'] }) {
  const { perMinute, perMonth } = plans[plan.name];
  const isOwn = plan.perMinute !== undefined || plan.perMonth !== undefined || plan.without.length > 0;
  const set = (event: SubmitEvent & { readonly currentTarget: HTMLFormElement }) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget);
    const without = endpointNames.filter((name) => !given.has(name));
    const limits = { rate: numberIn(given, 'rate'), monthly: numberIn(given, 'monthly') };
    void act(() => ask('setPlan', { name: plan.name, ...limits, without }), 'The plan is set');
  };
  return (
    <details open={isOwn}>
      <summary>Other limits and endpoints</summary>
      <form class="line" aria-label="Other limits and endpoints" onSubmit={set}>
        <label>
          Requests a minute
          <input name="rate" type="number" min="0" placeholder={limitText(perMinute)} defaultValue={plan.perMinute} />
        </label>
        <label>
          Messages a month
          <input name="monthly" type="number" min="0" placeholder={limitText(perMonth)} defaultValue={plan.perMonth} />
        </label>
        <fieldset>
          <legend>Endpoints of the plan</legend>
          {endpointNames.map((name) => (
            <label key={name} class="check">
              <input name={name} type="checkbox" defaultChecked={!plan.without.includes(name)} /> {endpointText(name)}
            </label>
          ))}
        </fieldset>
        <button type="submit">Set</button>
        {isOwn && (
          <button type="button" onClick={() => void act(() => ask('setPlan', { name: plan.name }), 'The plan is set')}>
            Use those of the plan
          </button>
        )}
      </form>
    </details>
  );
}

function limitText(limit: number | undefined): string {
  return limit === undefined ? 'unlimited' : String(limit);
}
