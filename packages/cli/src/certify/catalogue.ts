/** One requirement on a merchant's receiver. */
export interface CheckDescription {
  readonly check: number
  /** Stable, for programs. */
  readonly name: string
  readonly title: string
  /** What the merchant's documentation says about it. */
  readonly clause: string
}

/** Every check, by its number. Reports and docs/certification.md name them. */
export const CATALOGUE = [
  {
    check: 1,
    name: 'paid_is_acknowledged',
    title: 'A genuine webhook of a paid order is answered with 200 within ten seconds',
    clause: 'Webhooks, Acknowledge: answer 200 within ten seconds',
  },
  {
    check: 2,
    name: 'forged_is_refused',
    title: 'A webhook without a signature, or signed with another secret, is refused and has no effect',
    clause: 'Webhooks, Verify, before anything else',
  },
  {
    check: 3,
    name: 'changed_body_is_refused',
    title: 'A webhook with one changed byte is refused and has no effect',
    clause: 'Webhooks, Verify: the signature is over the bytes as they came',
  },
  {
    check: 4,
    name: 'wrong_time_is_refused',
    title: 'A webhook that was signed six minutes ago, or in six minutes, is refused and has no effect',
    clause: 'Webhooks, Verify: signed within five minutes',
  },
  {
    check: 5,
    name: 'unusual_json_is_accepted',
    title: 'A genuine webhook with odd spacing, Hindi text and a field more is answered with 200',
    clause: 'Webhooks, Verify: the bytes as they came, parsed afterwards; later versions may add fields',
  },
  {
    check: 6,
    name: 'second_signature_is_accepted',
    title: 'A webhook whose second signature is valid is answered with 200',
    clause: 'Webhooks, What comes: two signatures while a secret rotates',
  },
  {
    check: 7,
    name: 'repeated_webhook_has_one_effect',
    title: 'The same webhook twice: the order is fulfilled once',
    clause: 'Webhooks, What comes: deduplicate by webhook-id',
  },
  {
    check: 8,
    name: 'simultaneous_webhooks_have_one_effect',
    title: 'The same webhook five times at once: the order is fulfilled once',
    clause: 'Webhooks, What comes: deduplicate by webhook-id',
  },
  {
    check: 9,
    name: 'late_arrivals_change_nothing',
    title: 'Sequences 3, 2, 1: the order stays paid',
    clause: 'Webhooks, What comes: ignore a lower webhook-sequence',
  },
  {
    check: 10,
    name: 'unpaid_is_not_fulfilled',
    title: 'A signed Success, while the search says Initiate: the order is not fulfilled',
    clause: 'Confirm every webhook by search before you release goods',
  },
  {
    check: 11,
    name: 'search_comes_before_fulfilment',
    title: 'The order is fulfilled after the search has confirmed it, not before',
    clause: 'Confirm every webhook by search before you release goods',
  },
  {
    check: 12,
    name: 'outage_of_search_loses_nothing',
    title: 'The search answers 503, then works: the order is fulfilled once in the end',
    clause: 'Webhooks, Acknowledge: store the webhook before you answer 200',
  },
  {
    check: 13,
    name: 'failed_is_not_fulfilled',
    title: 'A failed payment, one of a wrong amount and one that came too late: none is fulfilled',
    clause: 'Confirm every webhook by search: only Success is paid',
  },
  {
    check: 14,
    name: 'test_event_has_no_effect',
    title: 'A test event is answered with 200 and has no effect',
    clause: 'Webhooks, Register a URL: webhook-test',
  },
  {
    check: 15,
    name: 'junk_is_survived',
    title: 'GET, junk and one mebibyte: junk is refused, the receiver stays alive, and never answers 410',
    clause: 'Webhooks, Acknowledge: 410 disables the URL',
  },
  {
    check: 16,
    name: 'lost_answer_is_repeated_as_the_same_order',
    title: 'The answer to create is lost: the same order_id is sent again',
    clause: 'The same order sent twice is one order',
  },
  {
    check: 17,
    name: 'refusals_are_waited_out',
    title: 'token_expired and 429: a new token, and no request before Retry-After',
    clause: 'Errors: 401 token_expired, 429 with Retry-After',
  },
  {
    check: 18,
    name: 'lost_webhooks_are_made_up_by_search',
    title: 'No webhook arrives: the order is searched for when it expires, and fulfilled once',
    clause: 'Search is the truth about a payment; webhooks only bring the news sooner',
  },
] as const satisfies readonly CheckDescription[]

export type CheckNumber = (typeof CATALOGUE)[number]['check']
