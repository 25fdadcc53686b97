import { SLOTS } from '@gateway/contracts'

/**
 * Where a replica looks for due work: within a range of slots, which follows only from what its own claims lost. Replicas need not know
 * of each other (docs/adr/0027).
 */
export interface ClaimRange {
  /** The first slot, a multiple of `width`: of two ranges, either one holds the other or they share nothing. */
  readonly from: number
  /** How many slots: a power of two, at most `SLOTS`. */
  readonly width: number
  /** Looks so far. */
  readonly looks: number
}

/** What came of one look, in documents. */
export interface Look {
  /** Due ones that it found. */
  readonly found: number
  /** Those of its claim that another replica had taken. */
  readonly lost: number
  /** The most that one claim takes. */
  readonly limit: number
}

/** Where a replica begins: in all slots. Replicas that start together do not look for the longest due at the same time. */
export function firstRange(random: () => number): ClaimRange {
  return { from: 0, width: SLOTS, looks: Math.floor(random() * OLDEST_EVERY) }
}

/** A claim that loses more than this share met another replica. */
const MAX_LOST_SHARE = 0.1
/** A claim is drawn from so many times as many due documents: replicas that look at the same time draw different ones. */
const DRAWN_FROM = 4
/** Every so many looks a replica claims the longest due of all slots. Without it, due work outside all ranges could wait without a bound. */
export const OLDEST_EVERY = 16

/** What the next look reads, the longest due first: of these slots (all of them if undefined) so many documents at most. */
export function nextLook({ from, width, looks }: ClaimRange, limit: number) {
  if (isForOldest(looks)) return { slots: undefined, maxFound: limit }
  return { slots: width === SLOTS ? undefined : { $gte: from, $lt: from + width }, maxFound: limit * DRAWN_FROM }
}

/** The range after that look. `random` is from 0 to below 1. */
export function rangeAfter(range: ClaimRange, { found, lost, limit }: Look, random: () => number): ClaimRange {
  const next = { ...range, looks: range.looks + 1 }
  if (isForOldest(range.looks)) return next
  // The range holds less than one claim takes.
  if (found < limit) return wider(next)
  return lost > limit * MAX_LOST_SHARE ? narrower(next, random) : next
}

function isForOldest(looks: number): boolean {
  return looks % OLDEST_EVERY === OLDEST_EVERY - 1
}

/** A quarter as wide and somewhere else, while the replica that took the others stays where it is. */
function narrower(range: ClaimRange, random: () => number): ClaimRange {
  const width = Math.max(1, range.width / 4)
  return { ...range, from: Math.floor((random() * SLOTS) / width) * width, width }
}

function wider(range: ClaimRange): ClaimRange {
  const width = Math.min(SLOTS, range.width * 2)
  return { ...range, from: range.from - (range.from % width), width }
}

/** So many of the items, drawn at random; all of them if there are not more. */
export function draw<T>(items: readonly T[], count: number, random: () => number): T[] {
  const left = [...items]
  while (left.length > count) left.splice(Math.floor(random() * left.length), 1)
  return left
}
