/** The width of a list's first window, in milliseconds. */
export const FIRST_WIDTH_MS = 60 * 60 * 1000

const FACTOR = 8

/** The next width after a window that held few documents. */
export function widerMs(widthMs: number): number {
  return widthMs * FACTOR
}

/** The next width after a window that held too many documents. A window of one millisecond cannot be narrower: `undefined`. */
export function narrowerMs(widthMs: number): number | undefined {
  return widthMs <= 1 ? undefined : Math.max(1, Math.floor(widthMs / FACTOR))
}
