/** The status of an answer; 0 if there was none. */
export function StatusText({ status }: { readonly status: number }) {
  return <strong class={status >= 200 && status < 400 ? 'good' : 'bad'}>{status === 0 ? 'no answer' : status}</strong>;
}
