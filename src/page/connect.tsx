import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ask } from './ask.ts';
import { Copy } from './notice.tsx';

/** How a program calls this sandbox: the lines for its `.env`. */
export function Connect() {
  const text = useEnvironment();
  return (
    <div class="connect">
      <p>Put these lines into the .env of your program.</p>
      <pre tabIndex={0}>{text}</pre>
      <div class="actions">
        <Copy text={text} class="main">
          Copy .env
        </Copy>
        <Copy text={curl}>Copy curl</Copy>
      </div>
    </div>
  );
}

export function useEnvironment(): string {
  const text = useSignal(`BIZMSG_BASE_URL=${location.origin}\n`);
  useEffect(() => {
    void ask('env')
      .then(({ url, keys: { sandbox }, secret }) => {
        text.value = `BIZMSG_BASE_URL=${url}\nBIZMSG_API_KEY=${sandbox}\nBIZMSG_WEBHOOK_SECRET=${secret}\n`;
      })
      .catch(() => {});
  }, []);
  return text.value;
}

async function curl(): Promise<string> {
  const { url, keys } = await ask('env');
  return `curl ${url}/api/public/templates -H 'Authorization: Bearer ${keys.sandbox}'`;
}
