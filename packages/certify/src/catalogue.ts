/** One requirement on a merchant's receiver. */
export interface CheckDescription {
  readonly check: number
  /** Stable, for programs. */
  readonly name: string
  readonly title: string
  /** The section of the merchant's documentation that requires it. */
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
    clause: 'Webhooks, Verify: the signature covers the bytes as they arrived',
  },
  {
    check: 4,
    name: 'wrong_time_is_refused',
    title: 'A webhook that was signed six minutes in the past or in the future is refused and has no effect',
    clause: 'Webhooks, Verify: signed within five minutes',
  },
  {
    check: 5,
    name: 'unusual_json_is_accepted',
    title: 'A genuine webhook with unusual spacing, Hindi text and an additional field is answered with 200',
    clause: 'Webhooks, Verify: verify the bytes as they arrived, then parse them; later versions may add fields',
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
    title: 'Webhooks arrive in the order of sequence 3, 2, 1: the order stays paid',
    clause: 'Webhooks, What comes: ignore a lower webhook-sequence',
  },
  {
    check: 10,
    name: 'unpaid_is_not_fulfilled',
    title: 'A signed Success arrives while search returns Initiate: the order is not fulfilled',
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
    title: 'Search answers 503, then works again: the order is fulfilled once',
    clause: 'Webhooks, Acknowledge: store the webhook before you answer 200',
  },
  {
    check: 13,
    name: 'failed_is_not_fulfilled',
    title: 'A payment fails, one has a wrong amount and one comes too late: none of the orders is fulfilled',
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
    title:
      'A GET request, invalid bodies and a body of one mebibyte: the receiver refuses invalid bodies, keeps running and never answers 410',
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
    title: 'token_expired and 429: the shop makes a new token and sends no request before Retry-After',
    clause: 'Errors: 401 token_expired, 429 with Retry-After',
  },
  {
    check: 18,
    name: 'lost_webhooks_are_made_up_by_search',
    title: 'No webhook arrives: the shop searches for the order when it expires, and fulfils it once',
    clause: 'Search is the truth about a payment; a webhook only makes the shop search sooner',
  },
] as const satisfies readonly CheckDescription[]

export type CheckNumber = (typeof CATALOGUE)[number]['check']
