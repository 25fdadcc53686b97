/** What must happen in a batch of seeds: where one is missing, the simulation no longer tests what it should. */
export const MARKS = [
  'a failover cut a write',
  'a message was redelivered',
  'an event was published again',
  'a delivery was delayed',
  'a replaced primary answered a read',
  'a chunk moved while commands waited',
  'a stale router sent a command again',
  'a partition was deleted',
  'a confirm was lost',
  'a publisher was blocked',
  'a replica died before a call',
  'a replica died after a call',
  'a replica was paused',
  'a client got no answer',
  'a webhook was refused at first',
  'a webhook came twice',
  'a capture was reversed',
  'a refund was made',
  'an order was created twice at once',
] as const

export type Mark = (typeof MARKS)[number]
