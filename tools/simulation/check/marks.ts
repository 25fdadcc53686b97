/** What must happen in a batch of seeds: where one is missing, the simulation no longer tests what it should. */
export const MARKS = [
  'a failover cut a write',
] as const
