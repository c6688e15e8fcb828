/** Records as the API has them; with these a sandbox can be filled. */
export interface Contents {
  readonly contacts?: readonly NewRecord<Contact, 'phone'>[] | undefined;
  readonly templates?: readonly NewRecord<Template, 'name' | 'body'>[] | undefined;
  readonly campaigns?: readonly NewRecord<Campaign, 'name' | 'template'>[] | undefined;
}

/** Only these fields are needed; the others are made up. */
export type NewRecord<T, Needed extends keyof T> = Pick<T, Needed> & {
  readonly [K in Exclude<keyof T, Needed>]?: T[K] | undefined;
};

export interface Contact {
  readonly id: string;
  readonly phone: string;
  readonly name?: string | undefined;
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

export interface Template {
  readonly id: string;
  readonly name: string;
  readonly language: string;
  readonly category: string;
  /** Only an approved one can be sent. */
  readonly status: 'APPROVED' | 'PENDING' | 'REJECTED';
  /** With its variables: `Hello {{1}}`. */
  readonly body: string;
  /** A name for each variable, in order. */
  readonly variables: readonly string[];
}

export interface Campaign {
  readonly id: string;
  readonly name: string;
  /** The name of its template. */
  readonly template: string;
  readonly status: 'COMPLETED' | 'RUNNING' | 'SCHEDULED';
  readonly audience: number;
  readonly counts: Readonly<Record<'sent' | 'delivered' | 'read' | 'failed', number>>;
  readonly created_at: string;
}
