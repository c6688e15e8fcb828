import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { tryAsk } from './ask.ts';
import { Copy } from './notice.tsx';

/** The lines for the `.env` of a program that calls this sandbox. */
export function Connect() {
  const text = useEnvironment();
  return (
    <div class="connect">
      <p>Put these lines into the .env of your program.</p>
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} class="main">
        Copy .env
      </Copy>
    </div>
  );
}

export function useEnvironment(): string {
  const text = useSignal(`BIZMSG_BASE_URL=${location.origin}\n`);
  useEffect(() => void environment().then((lines) => (text.value = lines)), []);
  return text.value;
}

async function environment(): Promise<string> {
  const { url = location.origin, keys, secret } = (await tryAsk('env')) ?? {};
  return `BIZMSG_BASE_URL=${url}\nBIZMSG_API_KEY=${keys?.sandbox}\nBIZMSG_WEBHOOK_SECRET=${secret}\n`;
}
