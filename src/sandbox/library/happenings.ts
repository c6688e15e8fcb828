import type { EventName } from './given.ts';

/** What may be said of each event; whatever is not said, the sandbox makes up. */
export interface TriggerFields extends Record<EventName, object> {
  readonly 'message.received': {
    /** A customer's number, who becomes a contact if unknown. */
    readonly from?: string | undefined;
    readonly text?: string | undefined;
  };
  readonly 'message.delivered': ReceiptFields;
  readonly 'message.read': ReceiptFields;
  readonly 'message.failed': FailureFields;
  readonly 'flow.completed': {
    /** A contact's id or phone. */
    readonly contact?: string | undefined;
    readonly flow?: string | undefined;
  };
  readonly 'broadcast.completed': {
    /** An id or a name; unless told, the first that is not completed. */
    readonly campaign?: string | undefined;
    /** Only the contacts with this tag. */
    readonly tag?: string | undefined;
    /** Name and template of a new campaign. */
    readonly name?: string | undefined;
    readonly template?: string | undefined;
  };
  readonly 'contact.created': {
    readonly phone?: string | undefined;
    readonly name?: string | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly attributes?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly 'order.paid': {
    /** A contact's id or phone. */
    readonly contact?: string | undefined;
    /** Such as `'10.00'`. */
    readonly amount?: string | undefined;
    /** Such as `'USD'`. */
    readonly currency?: string | undefined;
    readonly provider?: string | undefined;
  };
}

export interface ReceiptFields {
  /** A message's id; unless told, the last one to which this can happen. */
  readonly message?: string | undefined;
  /** The number of a new message, to which this happens. */
  readonly to?: string | undefined;
  /** That of the new message. */
  readonly template?: string | undefined;
}

export interface FailureFields extends ReceiptFields {
  readonly reason?: { readonly code: string; readonly message: string } | undefined;
}
