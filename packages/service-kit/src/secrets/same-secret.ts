import { hash, timingSafeEqual } from 'node:crypto'

/** Compares a given secret in constant time, whatever its length and wherever it differs. */
export function isSameSecret(given: string, secret: string): boolean {
  // `timingSafeEqual` needs equal lengths; digests have one.
  return timingSafeEqual(digest(given), digest(secret))
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}
