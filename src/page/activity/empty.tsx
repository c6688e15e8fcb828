import type { ComponentChildren } from 'preact';
import { useSignal } from '@preact/signals';
import { useEnvironment } from '../connect.tsx';
import { Icon } from '../icons.tsx';
import { webhooks } from '../known.ts';
import { act, Command } from '../notice.tsx';
import { testNumbers } from '../numbers.ts';
import { send } from '../send.ts';
import { listen } from './strip.tsx';

const first = { to: testNumbers[0].phone, template: 'welcome', params: [] };

/** The first steps, until something has happened. */
export function Empty() {
  const env = useEnvironment();
  const isSending = useSignal(false);
  const sendOne = async () => {
    isSending.value = true;
    await act(() => send(first));
    isSending.value = false;
  };
  return (
    <section class="empty" aria-label="First steps">
      <header>
        <h2>Waiting for your first message</h2>
        <p class="note">Nothing here reaches a real phone. This page updates by itself.</p>
      </header>
      <ol>
        <StepOf number={1} title="Send a message">
          <button class="main" disabled={isSending.value} onClick={() => void sendOne()}>
            Send one now
          </button>
          <Command>{`bizmsg send-template ${first.to} ${first.template} --profile local`}</Command>
        </StepOf>
        <StepOf number={2} title="Receive its events in your handler" isDone={(webhooks.value ?? []).length > 0}>
          <Command>{listen}</Command>
        </StepOf>
        <StepOf number={3} title="Or call it from your code">
          <Command>{env.trim()}</Command>
        </StepOf>
      </ol>
      <p class="note">
        {testNumbers.map(({ phone, does }, at) => (
          <span key={phone}>
            {at > 0 && ' · '}
            <code>…{phone.slice(-4)}</code> {does}
          </span>
        ))}
      </p>
    </section>
  );
}

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly isDone?: boolean;
  readonly children: ComponentChildren;
}

function StepOf({ number, title, isDone = false, children }: StepProps) {
  return (
    <li class={isDone ? 'is-done' : undefined}>
      <h3>
        {isDone ? <Icon name="delivered" class="is-good" label="done" /> : number} {title}
      </h3>
      {children}
    </li>
  );
}
