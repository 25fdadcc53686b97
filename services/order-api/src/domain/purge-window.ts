/** How a sweep goes through time: in windows that grow while there is little in them. All times in ms. */
export interface PurgeWindow {
  readonly from: Date
  /** Not included. */
  readonly until: Date
}

/** At a thousand orders a second it holds a thousand: what the database looks through for one batch at worst. */
export const MIN_WIDTH_MS = 1000

/** From where the sweep has come to, towards the cutoff; `undefined` when it is there. */
export function nextWindow(from: Date, cutoff: Date, widthMs: number): PurgeWindow | undefined {
  if (from.getTime() >= cutoff.getTime()) return undefined
  return { from, until: new Date(Math.min(cutoff.getTime(), from.getTime() + widthMs)) }
}

/**
 * Half as wide after a window with more in it than one batch takes, else twice: years without an order are a few steps. Of what
 * the window was, not of what it might have been: the cutoff ends most of them, and a width that grew regardless would never
 * come down again.
 */
export function nextWidthMs({ from, until }: PurgeWindow, wasFull: boolean): number {
  const widthMs = until.getTime() - from.getTime()
  return Math.max(MIN_WIDTH_MS, wasFull ? widthMs / 2 : widthMs * 2)
}
