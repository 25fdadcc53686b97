/** A stretch of creation times that one step of the purge looks at. Windows grow while there is little in them. */
export interface PurgeWindow {
  readonly from: Date
  /** Excluded. */
  readonly until: Date
}

/** The narrowest window: at 1000 orders a second the database scans 1000 orders for one batch at worst. */
export const MIN_WIDTH_MS = 1000

/** The next window from the sweep's progress towards the cutoff; `undefined` when the progress has reached it. */
export function nextWindow(from: Date, cutoff: Date, widthMs: number): PurgeWindow | undefined {
  if (from.getTime() >= cutoff.getTime()) return undefined
  return { from, until: new Date(Math.min(cutoff.getTime(), from.getTime() + widthMs)) }
}

/**
 * The width of the window after this one: half after a full batch, else twice, so that years without orders take a few steps.
 * It follows the actual width: the cutoff shortens most windows, and a width that grew regardless would never shrink again.
 */
export function nextWidthMs({ from, until }: PurgeWindow, wasFull: boolean): number {
  const widthMs = until.getTime() - from.getTime()
  return Math.max(MIN_WIDTH_MS, wasFull ? widthMs / 2 : widthMs * 2)
}
