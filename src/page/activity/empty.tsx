import type { RenderableProps } from 'preact';
import { send } from '../ask.ts';
import { environment, webhooks } from '../model.ts';
import { act, Command } from '../notice.tsx';
import { listen, testNumbers } from '../words.ts';

const first = { to: testNumbers[0].phone, template: 'welcome', params: [] };

/** The first steps, until something has happened. */
export function Empty() {
  return (
    <section class="empty" aria-label="First steps">
      <h2>Waiting for your first message</h2>
      <p class="note">Nothing here reaches a real phone. This page updates by itself.</p>
      <ol>
        <StepOf title="1 Send a message">
          <button class="main" onClick={() => void act(() => send(first))}>
            Send one now
          </button>
          <Command>{`bizmsg send-template ${first.to} ${first.template} --profile local`}</Command>
        </StepOf>
        <StepOf title={`${webhooks.value?.length ? '✓' : '2'} Receive its events in your handler`}>
          <Command>{listen}</Command>
        </StepOf>
        <StepOf title="3 Or call it from your code">
          <Command>{environment.value.trim()}</Command>
        </StepOf>
      </ol>
      <p class="note">
        {testNumbers.map(({ phone, does }, at) => (
          <>
            {at > 0 && ' · '}
            <code>…{phone.slice(-4)}</code> {does}
          </>
        ))}
      </p>
    </section>
  );
}

function StepOf({ title, children }: RenderableProps<{ readonly title: string }>) {
  return (
    <li class="card">
      <h3>{title}</h3>
      {children}
    </li>
  );
}
