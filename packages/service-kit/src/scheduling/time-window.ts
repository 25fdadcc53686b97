/** Who reads a long time in windows widens them while they hold little, and narrows one that holds too much and is read again. */
const FACTOR = 8

/** The width of the window after one that held little, in milliseconds. */
export function widerMs(widthMs: number, maxMs = Infinity): number {
  return Math.min(widthMs * FACTOR, maxMs)
}

/** The width in which to read a window again that held too much; `undefined` when it cannot be narrower. */
export function narrowerMs(widthMs: number, minMs = 1): number | undefined {
  return widthMs <= minMs ? undefined : Math.max(minMs, Math.floor(widthMs / FACTOR))
}
