/** The width of a list's first window, in milliseconds. */
export const FIRST_WIDTH_MS = 60 * 60 * 1000

const FACTOR = 8

/** Wider after a window that held few payments. */
export function widerMs(widthMs: number): number {
  return widthMs * FACTOR
}

/** Narrower after a window that held too many; `undefined` when there is nothing narrower than a millisecond. */
export function narrowerMs(widthMs: number): number | undefined {
  return widthMs <= 1 ? undefined : Math.max(1, Math.floor(widthMs / FACTOR))
}
